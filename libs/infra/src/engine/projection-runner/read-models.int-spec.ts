import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventBatch, SubscribeOptions } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { decodeOrigin } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { ofSeveralWriters, openRunnerLab, overEvents, overStore, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { SHORT_TIMING } from '#test/support/projections/timing.js';
import { kinds } from '#test/support/test-runs.js';
import type { RunnerDependencies } from './dependencies.js';
import { ReadModels } from './read-models.js';

const NAME = 'test.tally';
const counted = (name: string, by = 1): TallyEvent => ({ type: 'Counted', data: { name, by } });
const many = (count: number, name = 'a'): TallyEvent[] => Array.from({ length: count }, () => counted(name));
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

let lab: RunnerLab;
let running: ReadModels[];
const start = (dependencies: Partial<RunnerDependencies> = {}, projections: readonly Projection[] = [tallyProjection()]): ReadModels => {
  const models = new ReadModels({ ...lab.dependencies, ...dependencies }, projections);
  running.push(models);
  models.start();
  return models;
};
const stopAll = async (): Promise<void> => {
  await Promise.all(running.map((models) => models.stop()));
  running = [];
};
const stateIs = (models: ReadModels, state: string) => until(() => models.state(NAME) === state);
const served = async () => {
  const namespace = await lab.store.served(NAME);
  if (!namespace) throw new Error('nothing is served');
  return namespace;
};
const checkpoint = async (): Promise<Position> => lab.store.checkpoint(await served());

describe.each(kinds('embedded', 'redis'))('the runner of read models on %s', (kind) => {
  beforeEach(async () => {
    running = [];
    lab = await openRunnerLab(kind);
  });
  afterEach(async () => {
    await stopAll();
    await lab.dispose();
  });

  it('catches up from nothing, goes live, and reports its status', async () => {
    const started = Date.now();
    const position = await lab.append([...many(700), { type: 'Noted', data: { text: 'x' } }]);
    const models = start();
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    expect(await lab.totals()).toEqual({ a: { sum: 700, events: 700 } });
    await stateIs(models, 'live');
    const status = await models.status(NAME);
    expect(status).toMatchObject({
      name: NAME,
      version: 1,
      service: 'ops',
      state: 'live',
      position,
      head: position,
      lag: { events: 0, seconds: 0 },
    });
    expect(status).toMatchObject({ documents: 701, rebuild: null });
    expect(status?.batchSeconds).toBeGreaterThan(0);
    expect(Date.parse(status?.appliedAt ?? '')).toBeGreaterThanOrEqual(started);
    expect(await models.status('test.other')).toBeNull();
    const idle = new ReadModels(lab.dependencies, [tallyProjection()]);
    expect(await idle.status(NAME)).toMatchObject({ position, lag: { events: 0 }, documents: 701 });
  });

  it('stores that the documents are complete, also if the batch that says so brings nothing new', async () => {
    await new LogIdentity(lab.events).open();
    const checkpoint = await lab.append(many(700));
    const subscribeAll = async function* (options: SubscribeOptions): AsyncGenerator<EventBatch> {
      for await (const batch of lab.events.subscribeAll(options)) {
        yield { ...batch, caughtUp: false };
        if (batch.caughtUp) yield { events: [], position: batch.position, caughtUp: true };
      }
    };
    await stateIs(start({ events: overEvents(lab.events, { subscribeAll }) }), 'live');
    const { origin } = await lab.store.progress(await served());
    const { building = false, ...stored } = decodeOrigin(origin ?? '');
    expect(stored).toMatchObject({ checkpoint });
    expect(building).toBe(false);
  });

  it('reports the newest event without a search of the log once its documents show it', async () => {
    const searched: unknown[] = [];
    const events = overEvents(lab.events, {
      head: (categories) => {
        searched.push(categories);
        return lab.events.head(categories);
      },
    });
    await new LogIdentity(lab.events).open();
    const models = start({ events });
    const position = await lab.append(many(3));
    await lab.append([{ type: 'Noted', data: { text: 'of another category' } }], 'test.other-1');
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    await until(async () => (await checkpoint()) >= position);
    await stateIs(models, 'live');
    expect([(await models.status(NAME))?.head, searched]).toEqual([position, []]);
    const idle = new ReadModels({ ...lab.dependencies, events }, [tallyProjection()]); // it does not know the origin of the documents
    expect([(await idle.status(NAME))?.head, searched.length]).toEqual([position, 1]);
  });

  it('reports its progress while it is filled without a search of the log', async () => {
    const searched: unknown[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const events = overEvents(lab.events, {
      head: (categories) => {
        searched.push(categories);
        return lab.events.head(categories);
      },
      readAll: (options) => {
        if (options.categories) searched.push(options.categories);
        return lab.events.readAll(options);
      },
      async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch> {
        let passed = 0;
        for await (const batch of lab.events.subscribeAll({ ...options, maxBatch: 10 })) {
          yield batch;
          passed += batch.events.length;
          if (passed >= 50) await released;
        }
      },
    });
    const middle = await lab.append(many(50));
    const end = await lab.append(many(50));
    const models = start({ events });
    await until(async () => (await lab.totals()).a?.sum === 50);
    searched.length = 0;
    const status = await models.status(NAME);
    expect(await models.current('test.tally')).toBe(false);
    expect([status?.state, status?.position, status?.head, status?.lag.events, searched]).toEqual(['catching-up', middle, end, 1_000, []]);
    release();
    await stateIs(models, 'live');
    expect(await models.status(NAME)).toMatchObject({ position: end, head: end, lag: { events: 0, seconds: 0 } });
  });

  it('does not count events that are applied while it looks, also of a process that only looks', async () => {
    let meanwhile = async (): Promise<unknown> => undefined;
    const events = overEvents(lab.events, {
      readAll: async (options) => {
        await meanwhile();
        return lab.events.readAll(options);
      },
    });
    const models = start({ events });
    const applies = async () => expect(await models.applied('test.tally', await lab.append(many(3)), LONGEST_MS)).toBe(true);
    await applies();
    await stateIs(models, 'live');
    const idle = new ReadModels({ ...lab.dependencies, events }, [tallyProjection()]);
    for (const asked of [models, idle]) {
      meanwhile = applies;
      const status = await asked.status(NAME);
      meanwhile = async () => undefined;
      expect([status?.state, status?.lag]).toEqual(['live', { events: 0, seconds: 0 }]);
    }
  });

  it('lets every writer see its own write at once', async () => {
    const models = start();
    const seen = await Promise.all(
      times(200, async (index) => {
        const name = `w${index}`;
        expect(await models.applied('test.tally', await lab.append([counted(name)], `test.tally-${name}`), LONGEST_MS)).toBe(true);
        return await lab.store.view(NAME).get('totals', name);
      }),
    );
    expect(seen.every((document) => document !== null)).toBe(true);
  });

  it('continues after a restart in mid-stream, counting each event once', async () => {
    await lab.append(many(2_000));
    let models = start();
    await until(() => lab.totals().then(({ a }) => (a?.sum ?? 0) > 0));
    await stopAll();
    const middle = await lab.totals();
    const position = await lab.append(many(100));
    models = start();
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    expect(middle.a?.sum).toBeLessThanOrEqual(2_000);
    expect(await lab.totals()).toEqual({ a: { sum: 2_100, events: 2_100 } });
  });

  it('counts an event once although it is delivered again and again, and accepts gaps in the positions', async () => {
    const events = overEvents(lab.events, {
      async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch> {
        const seen: EventBatch['events'][number][] = [];
        for await (const batch of lab.events.subscribeAll({ ...options, maxBatch: 3 })) {
          yield batch;
          seen.push(...batch.events);
          const last = seen.at(-1)?.position ?? 0n; // repeated once it is applied: a single subscription repeats nothing
          await until(() => options.signal.aborted || (models.partitionsOf(NAME)?.gate.position ?? 0n) >= last);
          yield { ...batch, events: [...seen] };
          yield { ...batch, events: seen.slice(0, 1) };
        }
      },
    });
    const models: ReadModels = start({ events });
    for (let round = 0; round < 5; round += 1) {
      await lab.append(many(4));
      await lab.append([{ type: 'Noted', data: { text: 'a gap' } }], 'test.other-1');
    }
    expect(await models.applied('test.tally', await lab.append(many(1)), LONGEST_MS)).toBe(true);
    expect(await lab.totals()).toEqual({ a: { sum: 21, events: 21 } });
  });

  it('keeps one checkpoint for each projection, and waits for those that read the category', async () => {
    const first = tallyProjection();
    const second = tallyProjection({ name: 'test.wide', categories: ['test.*'] });
    const models = start({}, [first, second]);
    const tally = await lab.append([counted('a')]);
    const other = await lab.append([counted('b')], 'test.second-1');
    const third = await lab.append([counted('c')], 'test.third-1');
    expect(await models.applied('test.tally-1', tally, LONGEST_MS)).toBe(true);
    expect(await models.applied('test.second', other, LONGEST_MS)).toBe(true);
    expect(await models.applied('nobody.reads', third + 100n, LONGEST_MS)).toBe(true);
    expect(await models.applied('test.third', third, LONGEST_MS)).toBe(true);
    expect(await models.applied('test.tally', tally, LONGEST_MS)).toBe(true);
    expect(await models.applied('test.second', third, LONGEST_MS)).toBe(true);
    expect(Object.keys(await lab.totals('test.wide'))).toEqual(['a', 'b', 'c']);
    expect(Object.keys(await lab.totals())).toEqual(['a']);
  });

  it('answers false at the end of the time, and at once when no runner works any more', async () => {
    const models = start();
    const position = await lab.append(many(1));
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    const before = performance.now();
    expect(await models.applied('test.tally', position + 1n, 50)).toBe(false);
    expect(performance.now() - before).toBeGreaterThanOrEqual(49); // a timer may come a millisecond early
    const waiting = models.applied('test.tally', position + 1n, LONGEST_MS);
    await stopAll();
    expect(await waiting).toBe(false);
    expect(await models.applied('test.tally', position + 1n, LONGEST_MS)).toBe(false);
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
  });

  it('moves the checkpoint past events that change nothing, but not with each of them', async () => {
    let commits = 0;
    const store = overStore(lab.store, {
      committing: (commit) => {
        commits += 1;
        return commit();
      },
    });
    await lab.append(times(2_000, () => ({ type: 'Noted', data: { text: 'x' } }) as const));
    const models = start({ store, timing: { ...lab.dependencies.timing, idleCommitMs: 60_000 } });
    const position = await lab.append([{ type: 'Noted', data: { text: 'y' } }]);
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    await until(async () => (await checkpoint()) === position);
    expect(commits).toBeLessThanOrEqual(3);
    const elsewhere = await lab.append([counted('b')], 'test.other-1');
    await until(async () => ((await models.status(NAME))?.position ?? 0n) >= elsewhere);
    const before = commits;
    expect(await checkpoint()).toBe(position);
    await stopAll();
    expect(commits).toBe(before + 1);
    expect(await checkpoint()).toBeGreaterThanOrEqual(elsewhere);
  });

  it('moves the checkpoint after the clock was set back', async () => {
    const pass = stopClock();
    let now = Date.now();
    const models = start({ now: () => now, timing: { ...lab.dependencies.timing, idleCommitMs: 60_000 } });
    expect(await models.applied(NAME, await lab.append([counted('a')]), LONGEST_MS)).toBe(true);
    await stateIs(models, 'live');
    now -= 3_600_000;
    pass(60_000);
    const elsewhere = await lab.append([counted('b')], 'test.other-1');
    await until(async () => ((await models.status(NAME))?.position ?? 0n) >= elsewhere);
    expect(await checkpoint()).toBeGreaterThanOrEqual(elsewhere);
  });

  it.each(['before', 'after'] as const)('counts each event once although commits fail %s the write', async (moment) => {
    let calls = 0;
    const store = overStore(lab.store, {
      committing: async (commit) => {
        calls += 1;
        const fails = calls % 3 !== 0;
        if (fails && moment === 'before') throw new ReadStoreUnavailable('lost');
        await commit();
        if (fails) throw new ReadStoreUnavailable('lost');
      },
    });
    const models = start({ store });
    for (let round = 0; round < 20; round += 1) {
      expect(await models.applied('test.tally', await lab.append(many(3)), LONGEST_MS)).toBe(true);
      expect((await lab.totals()).a?.sum).toBe((round + 1) * 3);
    }
    await stateIs(models, 'live');
  });

  it('applies again what the store has lost', async () => {
    let losing = false;
    const store = overStore(lab.store, {
      committing: (commit, { projection }) => (losing && projection === NAME ? Promise.resolve() : commit()),
    });
    const models = start({ store });
    expect(await models.applied('test.tally', await lab.append(many(2)), LONGEST_MS)).toBe(true);
    losing = true;
    expect(await models.applied('test.tally', await lab.append(many(2)), LONGEST_MS)).toBe(true);
    expect((await lab.totals()).a?.sum).toBe(2);
    losing = false;
    const position = await lab.append(many(2));
    await until(async () => (await checkpoint()) === position);
    expect(await lab.totals()).toEqual({ a: { sum: 6, events: 6 } });
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
  });

  it('waits out an outage, and sets nothing aside for it', async () => {
    let down = false;
    const fail = () => Promise.reject(new ReadStoreUnavailable('down'));
    const store = overStore(lab.store, {
      committing: (commit) => (down ? fail() : commit()),
      checkpoint: (namespace) => (down ? fail() : lab.store.checkpoint(namespace)),
      progress: (namespace) => (down ? fail() : lab.store.progress(namespace)),
    });
    const models = start({ store });
    expect(await models.applied('test.tally', await lab.append(many(1)), LONGEST_MS)).toBe(true);
    await stateIs(models, 'live');
    down = true;
    const position = await lab.append(many(1));
    await stateIs(models, 'catching-up');
    expect(await models.applied('test.tally', position, 50)).toBe(false);
    await expect(models.status(NAME)).rejects.toThrow(ReadStoreUnavailable);
    const waiting = models.applied('test.tally', position, LONGEST_MS);
    down = false;
    expect(await waiting).toBe(true);
    await stateIs(models, 'live');
    expect(models.setAside(NAME).isEmpty).toBe(true);
  });

  ofSeveralWriters(kind)(
    'shares a projection with a second process: each event counts once, both answer, and the second takes over',
    async () => {
      const elsewhere = await lab.openStore();
      const [first, second] = [start(), start({ timing: SHORT_TIMING, store: elsewhere })];
      for (let round = 0; round < 40; round += 1) {
        const position = await lab.append(many(2));
        expect(await Promise.all([first, second].map((models) => models.applied('test.tally', position, LONGEST_MS)))).toEqual([
          true,
          true,
        ]);
      }
      expect(await lab.totals()).toEqual({ a: { sum: 80, events: 80 } });
      await Promise.all([stateIs(first, 'live'), stateIs(second, 'live')]);
      await first.stop();
      expect(await second.applied('test.tally', await lab.append(many(2)), LONGEST_MS)).toBe(true);
      expect(await lab.totals()).toEqual({ a: { sum: 82, events: 82 } });
    },
  );
});
