import { describe, expect, it } from '@jest/globals';
import { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { TopicEnds } from './topic-ends.js';

/** A topic with three messages, counters that show the log up to position 10, and a log that ends there. `compared`: comparisons with the log. */
const world = () => {
  const pass = stopClock();
  const state = { counted: 3 as number | undefined, head: 10n, isOwing: false, isShown: true, isClear: true, compared: 0 };
  const gate = new PositionGate();
  gate.open();
  gate.advance(10n, 0);
  const offsets = {
    nextOffsets: async () => {
      if (!state.isShown) throw new ReadModelsUnavailable('they are filled');
      return [state.counted];
    },
  };
  const counters = { gate, tracker: state, projection: { categories: ['messaging.messages'] } };
  const readModels = { isOwing: () => state.isOwing, partitionsOf: () => counters };
  const events = {
    readAll: async ({ after }: { after: bigint }) => {
      state.compared += 1;
      return { events: after < state.head ? [{}] : [], position: state.head, caughtUp: true };
    },
    head: async () => state.head,
  };
  return { state, gate, pass, ends: new TopicEnds(offsets, readModels as never, events as never) };
};

describe('The end of a topic', () => {
  it('is known by the counters, which are compared with the log once a second', async () => {
    const { state, pass, ends } = world();
    expect([await ends.isEnd('t', 2), await ends.isEnd('t', 3), await ends.isEnd('u', 4)]).toEqual([false, true, true]);
    pass(999);
    expect([await ends.isEnd('t', 3), state.compared]).toEqual([true, 1]);
    pass(1);
    expect([await ends.isEnd('t', 3), state.compared]).toEqual([true, 2]);
  });

  it('is not known while this process owes a message that it has acknowledged', async () => {
    const { state, ends } = world();
    expect(await ends.isEnd('t', 3)).toBe(true);
    state.isOwing = true;
    expect(await ends.isEnd('t', 3)).toBe(false);
    state.isOwing = false;
    expect(await ends.isEnd('t', 3)).toBe(true);
  });

  it('is not known while the counters do not reach the end of the log', async () => {
    const { state, gate, pass, ends } = world();
    state.head = 11n;
    expect(await ends.isEnd('t', 3)).toBe(false);
    gate.advance(11n, 0);
    pass(1_000);
    expect(await ends.isEnd('t', 3)).toBe(true);
  });

  it('takes messages into account that the counters show only after the comparison', async () => {
    const { state, gate, ends } = world();
    state.head = 11n;
    const asked = ends.isEnd('t', 3);
    state.counted = 4;
    gate.advance(11n, 0);
    expect(await asked).toBe(false);
  });

  it('is not known of a topic that the counters do not have', async () => {
    const { state, ends } = world();
    state.counted = undefined;
    expect(await ends.isEnd('t', 3)).toBe(false);
  });

  it('is not known while a project is paused, also if that happens meanwhile', async () => {
    const { state, ends } = world();
    const asked = ends.isEnd('t', 3);
    state.isClear = false;
    expect([await asked, await ends.isEnd('t', 3)]).toEqual([false, false]);
    state.isClear = true;
    expect(await ends.isEnd('t', 3)).toBe(true);
  });

  it('is not known while the counters are filled', async () => {
    const { state, ends } = world();
    state.isShown = false;
    expect(await ends.isEnd('t', 3)).toBe(false);
  });
});
