import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { isWorking, reportsOf, WorkLease, workCondition } from './work-lease.js';

const AT = { name: 'spec.work', collection: 'work', key: 'holder' };
const timing = { beatMs: 40, graceMs: LONGEST_MS, silenceMs: LONGEST_MS };
/** For tests that wait until a holder is silent, or its store is. */
const SHORT = { beatMs: 40, graceMs: 300, silenceMs: 750 };

describe('the lease of work in the background', () => {
  const directory = { current: temporaryDirectory() };
  const over: AbortController[] = [];
  const held: WorkLease[] = [];
  let store: ReadStore;

  beforeEach(async () => {
    directory.current = temporaryDirectory();
    store = await openDocumentStore({ path: directory.current.path });
  });
  afterEach(async () => {
    for (const abort of over.splice(0)) abort.abort();
    for (const lease of held.splice(0)) lease.end();
    await store.close();
    directory.current.remove();
  });

  const take = (node: string, tried = () => {}, id: string = randomUUID(), now: () => number = Date.now, times = timing) => {
    const abort = new AbortController();
    over.push(abort);
    return WorkLease.acquire({ store, at: AT, id, node, now, timing: times }, abort.signal, tried).then((lease) => {
      held.push(lease);
      return lease;
    });
  };
  const condition = (subscription?: string) => workCondition(store, AT, Date.now(), timing, subscription);
  const beats = async () => (await store.standing(AT.name))?.checkpoint ?? 0n;

  it('has no holder at first', async () =>
    expect(await condition()).toEqual({ node: null, alive: false, problem: null, lastProblem: null, since: null }));

  it('is seen to be at work also by a node whose clock is an hour apart, and not once its holder is silent or has gone', async () => {
    expect(await isWorking(store, AT, timing)).toBe(false);
    for (const apart of [-3_600_000, 3_600_000]) {
      const lease = await take('one:1', undefined, undefined, () => Date.now() + apart);
      const keeping = lease.keep();
      expect(await condition()).toMatchObject({ node: 'one:1', alive: false });
      expect(await isWorking(store, AT, timing)).toBe(true);
      lease.end();
      await keeping;
      expect(await isWorking(store, AT, SHORT)).toBe(false);
      await lease.release();
      expect(await isWorking(store, AT, timing)).toBe(false);
    }
  });

  it('goes to another node when its holder stops beating, and the holder notices', async () => {
    const first = await take('one:1');
    first.report('s', 'a problem');
    await take('two:2', undefined, undefined, undefined, SHORT);
    await first.keep();
    expect(first.lost.aborted).toBe(true);
    expect(await condition('s')).toEqual({ node: 'two:2', alive: true, problem: null, lastProblem: null, since: null });
  });

  it('stays with a holder that is too busy to see that its beats are stored, unless another node takes it', async () => {
    const pass = stopClock();
    const lease = await take('one:1', undefined, undefined, undefined, SHORT);
    const commit = store.commit.bind(store);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const beat = jest.spyOn(store, 'commit').mockImplementationOnce(async (...changes) => {
      await commit(...changes);
      await answered;
    });
    const beaten = await beats();
    const keeping = lease.keep();
    await until(async () => (await beats()) > beaten);
    for (let time = 0; time < 5; time++) {
      pass(SHORT.graceMs); // in one turn, in which it sees nothing
      await sleep(SHORT.beatMs); // it looks at the time more often
    }
    answer();
    await until(async () => (await beats()) > beaten + 1n);
    expect(lease.lost.aborted).toBe(false);
    beat.mockRestore();
    await take('two:2', undefined, undefined, undefined, { ...SHORT, silenceMs: 0 });
    await keeping;
    expect(lease.lost.reason).toMatchObject({ name: 'LeaseLost' });
  });

  it('is lost by a holder whose store does not answer, before another node may take it', async () => {
    const lease = await take('one:1', undefined, undefined, undefined, SHORT);
    const answers = jest.spyOn(store, 'commit').mockReturnValue(new Promise(() => undefined));
    const begun = performance.now();
    void lease.keep();
    await new Promise((resolve) => lease.lost.addEventListener('abort', resolve));
    expect(performance.now() - begun).toBeGreaterThan(SHORT.graceMs - SHORT.beatMs);
    answers.mockRestore();
  });

  it('is acquired at once by the process that held it before', async () => {
    const id = randomUUID();
    await take('one:1', undefined, id);
    let looks = 0;
    await take('one:1', () => (looks += 1), id);
    expect(looks).toBe(0); // it did not have to wait
  });

  it('shows problems until they are over or the next holder begins', async () => {
    const lease = await take('one:1');
    const keeping = lease.keep();
    lease.report('s', 'a problem');
    await until(async () => (await condition('s')).problem === 'a problem');
    expect((await condition('other')).problem).toBeNull();
    lease.report('s', null);
    await until(async () => (await condition('s')).problem === null);
    lease.report('s', 'another');
    lease.report('t', { done: 1 });
    await until(async () => (await reportsOf(store, AT, 10)).length === 2);
    expect(await reportsOf(store, AT, 10)).toEqual(['another', { done: 1 }]);
    lease.end();
    await keeping;
    await lease.release();
    expect(await condition('s')).toEqual({ node: 'one:1', alive: false, problem: 'another', lastProblem: null, since: null });
    await take('two:2');
    expect(await condition('s')).toEqual({ node: 'two:2', alive: true, problem: null, lastProblem: null, since: null });
  });
});
