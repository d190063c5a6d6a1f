import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DamagedLog } from '#domain/shared/damaged-log.js';
import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { DEFAULT_TIMING } from '#infra/engine/projection-runner/runner-timing.js';
import type { Projection } from '#projections/shared/projection.js';
import {
  DocumentsLost,
  NamespaceGone,
  ReadModelsUnavailable,
  type ReadStore,
  ReadStoreUnavailable,
} from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { forAny } from '#test/support/for-any.js';
import { ofSeveralWriters, openRunnerLab, overEvents, overStore, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { SHORT_TIMING } from '#test/support/projections/timing.js';
import { kinds, runs } from '#test/support/test-runs.js';
import { rebuild } from './rebuild.js';
import { type RebuildProgress, RebuildUnderWay, rebuildUnderWay } from './rebuild-lease.js';

const NAME = 'test.tally';
const counted = (name: string, by = 1): TallyEvent => ({ type: 'Counted', data: { name, by } });
const many = (count: number, name = 'a'): TallyEvent[] => Array.from({ length: count }, () => counted(name));

let lab: RunnerLab;
let running: ReadModels[];

const start = (dependencies: Partial<RunnerDependencies> = {}, projection: Projection = tallyProjection()): ReadModels => {
  const models = new ReadModels({ ...lab.dependencies, ...dependencies }, [projection]);
  running.push(models);
  models.start();
  return models;
};
const sum = async (): Promise<number> => (await lab.totals()).a?.sum ?? 0;
const applied = (models: ReadModels, position: Position) => models.applied(NAME, position, LONGEST_MS);
const versionServed = async (): Promise<number | undefined> => (await lab.store.served(NAME))?.version;

/** Runs work during appends and reads: a reader must never see less than before, and a writer always its own events. */
const underLoad = async (models: ReadModels, work: () => Promise<unknown>): Promise<void> => {
  let working = true;
  const writing = (async () => {
    while (working) {
      const position = await lab.append(many(2));
      expect(await applied(models, position)).toBe(true);
    }
  })();
  const reading = (async () => {
    for (let least = await sum(); working; ) {
      const now = await sum();
      expect(now).toBeGreaterThanOrEqual(least);
      least = now;
      await sleep(5); // a read in every turn would take most of the time of a busy machine
    }
  })();
  await work().finally(() => {
    working = false;
  });
  await Promise.all([writing, reading]);
};

/** Holds up builds of the documents: `held` is a store that does so, `begun` whether one has begun, `release` ends it. */
const heldBuilds = () => {
  let release = (): void => undefined;
  let hasBegun = false;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = (store: ReadStore): ReadStore =>
    overStore(store, {
      prepare: async (...build) => {
        if (build[0] === NAME) {
          hasBegun = true;
          await released;
        }
        return store.prepare(...build);
      },
    });
  return { held, begun: () => hasBegun, release };
};

describe.each(kinds('embedded', 'redis'))('a rebuild on %s', (kind) => {
  beforeEach(async () => {
    running = [];
    lab = await openRunnerLab(kind);
  });
  afterEach(async () => {
    await Promise.all(running.map((models) => models.stop()));
    await lab.dispose();
  });

  it('equals the live documents, whatever the events', async () => {
    const name = fc.stringMatching(/^[ab]{1,2}$/);
    const event: fc.Arbitrary<TallyEvent> = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(name, fc.integer({ min: -5, max: 5 })).map(([key, by]) => counted(key, by)) },
      { weight: 1, arbitrary: name.map((key): TallyEvent => ({ type: 'Dropped', data: { name: key } })) },
      { weight: 1, arbitrary: name.map((prefix): TallyEvent => ({ type: 'Cleared', data: { prefix } })) },
      { weight: 1, arbitrary: fc.constant<TallyEvent>({ type: 'Noted', data: { text: 'x' } }) },
    );
    const models = start();
    await forAny(runs(12), fc.array(fc.array(event, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 }), async (appends) => {
      let last = 0n;
      for (const events of appends) last = await lab.append(events);
      expect(await applied(models, last)).toBe(true);
      const live = await lab.documents();
      const before = await lab.store.served(NAME);
      await models.rebuild(NAME);
      expect(await lab.store.served(NAME)).not.toEqual(before);
      expect(await lab.documents()).toEqual(live);
    });
  });

  it('reports its progress and its result', async () => {
    await lab.append(many(1_200));
    const told: RebuildProgress[] = [];
    const count = async (categories: readonly string[]) => (categories.includes('test.tally') ? 1_000 : null);
    const done = await rebuild({ ...lab.dependencies, count }, tallyProjection(), {
      id: 'r1',
      onProgress: (progress) => told.push(progress),
    });
    expect(done).toMatchObject({ id: 'r1', projection: NAME, version: 1, state: 'done', processed: 1_200, total: 1_200 });
    expect(done.eventsPerSecond).toBeGreaterThan(0);
    expect(Date.parse(done.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(done.startedAt));
    expect(told.map(({ processed }) => processed)).toEqual([...told.map(({ processed }) => processed)].sort((a, b) => a - b));
    expect([...new Set(told.map(({ state, total }) => `${state} of ${total}`))]).toEqual([
      'running of 1000',
      'switching of 1000',
      'done of 1200',
    ]);
    expect(told.some(({ processed, remainingSeconds }) => processed === 600 && remainingSeconds !== null)).toBe(true);
    expect(await sum()).toBe(1_200);
  });

  it('goes unnoticed by readers and writers, started here or in another process', async () => {
    await lab.append(many(1_000));
    const models = start();
    await until(async () => (await sum()) === 1_000);
    const elsewhere = await lab.openStore();
    await underLoad(models, async () => {
      for (let round = 0; round < 2; round += 1) {
        await models.rebuild(NAME);
        await rebuild({ ...lab.dependencies, store: elsewhere }, tallyProjection());
      }
    });
    const { a } = await lab.totals();
    expect(a?.sum).toBe(a?.events);
    expect((await models.status(NAME))?.lag.events).toBe(0);
  });

  it('leaves the served documents alone if it is cancelled or fails', async () => {
    await lab.append(many(3_000));
    const models = start();
    await until(async () => (await sum()) === 3_000);
    const before = await lab.store.served(NAME);
    const cancel = new AbortController();
    const states: string[] = [];
    const cancelled = rebuild(lab.dependencies, tallyProjection(), {
      signal: cancel.signal,
      onProgress: ({ state, processed }) => {
        states.push(state);
        if (processed >= 1_000) cancel.abort();
      },
    });
    await expect(cancelled).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect(states.at(-1)).toBe('cancelled');
    const told: RebuildProgress[] = [];
    const events = overEvents(lab.events, { readAll: () => Promise.reject(new DamagedLog('broken')) });
    const failing = rebuild({ ...lab.dependencies, events }, tallyProjection(), { onProgress: (progress) => told.push(progress) });
    await expect(failing).rejects.toThrow('broken');
    expect(told.at(-1)).toMatchObject({ state: 'failed' });
    expect(await lab.store.served(NAME)).toEqual(before);
    expect(await applied(models, await lab.append(many(1)))).toBe(true);
    expect(await sum()).toBe(3_001);
    expect((await models.status(NAME))?.rebuild).toBeNull();
  });

  it('is refused while another one is under way, whose progress is shown', async () => {
    await lab.append(many(600));
    const models = start();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store = overStore(await lab.openStore(), {
      serve: async (namespace) => {
        if (namespace.projection === NAME) await held;
        await lab.store.serve(namespace);
      },
    });
    let state = '';
    const first = rebuild({ ...lab.dependencies, store }, tallyProjection(), {
      id: 'first',
      onProgress: (progress) => {
        state = progress.state;
      },
    });
    await until(() => state === 'switching');
    await expect(models.rebuild(NAME)).rejects.toThrow(RebuildUnderWay);
    expect((await models.status(NAME))?.rebuild).toMatchObject({ id: 'first', state: 'running' });
    release();
    await first;
    expect((await models.status(NAME))?.rebuild).toBeNull();
    expect((await models.rebuild(NAME)).state).toBe('done');
  });

  it('keeps other processes out while it searches a long log', async () => {
    await lab.append(many(600));
    let release = (): void => undefined;
    const found = new Promise<void>((resolve) => {
      release = resolve;
    });
    const events = overEvents(lab.events, {
      readAll: async (options) => {
        await found;
        return lab.events.readAll(options);
      },
    });
    const first = rebuild({ ...lab.dependencies, events }, tallyProjection());
    await until(async () => (await rebuildUnderWay(lab.store, NAME, DEFAULT_TIMING, Date.now())) !== null);
    const now = (): number => Date.now() + 3_600_000; // the clocks differ: only a beat shows that the first one lives
    const other = { ...lab.dependencies, store: await lab.openStore(), timing: DEFAULT_TIMING, now };
    await expect(rebuild(other, tallyProjection())).rejects.toThrow(RebuildUnderWay);
    release();
    expect((await first).state).toBe('done');
  });

  it('beats on when the clock is set back', async () => {
    await lab.append(many(600));
    const pass = stopClock();
    let now = Date.now();
    const beats: number[] = [];
    const store = overStore(lab.store, {
      committing: (commit, { projection }, [change]) => {
        if (projection === `${NAME}.rebuild` && change?.kind === 'put') beats.push(JSON.parse(`${change.value}`).progress.processed);
        return commit();
      },
    });
    await rebuild({ ...lab.dependencies, store, now: () => now }, tallyProjection(), {
      onProgress: () => {
        pass(1_000);
        now -= 3_600_000;
      },
    });
    expect([...new Set(beats)]).toEqual([0, 200, 400, 600]);
  });

  it('takes the place of one that died', async () => {
    await lab.append(many(1_200));
    const dying = new AbortController();
    const store = overStore(lab.store, {
      committing: (commit) => (dying.signal.aborted ? new Promise(() => undefined) : commit()),
    });
    void rebuild({ ...lab.dependencies, store }, tallyProjection(), { onProgress: () => dying.abort() });
    await until(() => dying.signal.aborted);
    await until(() =>
      rebuild({ ...lab.dependencies, timing: SHORT_TIMING }, tallyProjection()).then(
        ({ state }) => state === 'done',
        (error) => {
          if (!(error instanceof RebuildUnderWay)) throw error;
          return false;
        },
      ),
    );
    expect(await sum()).toBe(1_200);
  });

  it('waits out outages, and finds out whether a switch of unknown outcome was made', async () => {
    await lab.append(many(1_200));
    let luck = 1;
    const flaky = async <T>(operation: () => Promise<T>): Promise<T> => {
      luck = (luck * 48_271) % 2_147_483_647;
      const fate = luck % 3;
      if (fate === 1) throw new ReadStoreUnavailable('lost before');
      const result = await operation();
      if (fate === 2) throw new ReadStoreUnavailable('lost after');
      return result;
    };
    const store = overStore(lab.store, {
      committing: (commit) => flaky(commit),
      serve: (namespace) => flaky(() => lab.store.serve(namespace)),
      prepare: (...build) => flaky(() => lab.store.prepare(...build)),
      served: (projection) => flaky(() => lab.store.served(projection)),
    });
    expect((await rebuild({ ...lab.dependencies, store }, tallyProjection())).state).toBe('done');
    expect(await lab.totals()).toEqual({ a: { sum: 1_200, events: 1_200 } });
  });

  it('ends if documents of its own are gone, which do not come back', async () => {
    await lab.append(many(10));
    const gone = () => Promise.reject(new DocumentsLost());
    const store = overStore(lab.store, { documents: (namespace) => Object.assign(lab.store.documents(namespace), { getMany: gone }) });
    await expect(rebuild({ ...lab.dependencies, store }, tallyProjection())).rejects.toThrow(NamespaceGone);
    expect((await rebuild(lab.dependencies, tallyProjection())).state).toBe('done');
  });

  it('fences off writers of the documents that were served before', async () => {
    await lab.append(many(10));
    await rebuild(lab.dependencies, tallyProjection());
    const old = await lab.store.served(NAME);
    if (!old) throw new Error('nothing is served');
    const at = await lab.store.checkpoint(old);
    await rebuild(lab.dependencies, tallyProjection());
    await expect(lab.store.commit(old, [{ kind: 'put', collection: 'totals', key: 'a', value: '{}' }], at, at + 1n)).rejects.toThrow(
      NamespaceGone,
    );
    expect(await sum()).toBe(10);
  });

  describe('when the version changes', () => {
    it('builds the new documents beside the old ones, which are served until then, in one process or several', async () => {
      await lab.append(many(600));
      const old = start();
      await until(async () => (await sum()) === 600);
      await old.stop();
      const { held, begun, release } = heldBuilds();
      const upgraded = tallyProjection({ version: 2 });
      const timing = SHORT_TIMING; // of two that want to build at once, one waits for so long
      const several = [
        start({ timing, store: held(lab.store) }, upgraded),
        ...(kind === 'redis' ? [start({ timing, store: held(await lab.openStore()) }, upgraded)] : []),
      ];
      await until(begun);
      expect(await versionServed()).toBe(1);
      expect(await sum()).toBe(600);
      const position = await lab.append(many(1));
      release();
      await until(async () => (await versionServed()) === 2);
      await Promise.all(several.map((models) => until(() => models.state(NAME) === 'live')));
      expect(new Set(await Promise.all(several.map((models) => applied(models, position))))).toEqual(new Set([true]));
      expect(await sum()).toBe(601);
    });

    it('shows no documents of a version that it cannot read, until the new ones are built', async () => {
      await lab.append(many(600));
      const old = start();
      await until(async () => (await sum()) === 600);
      await old.stop();
      const { held, begun, release } = heldBuilds();
      const models = start({ store: held(lab.store) }, { ...tallyProjection({ version: 3 }), readsFrom: 2 });
      await until(begun);
      expect(await versionServed()).toBe(1);
      expect(models.mismatch(NAME)).toBe('its documents are of version 1');
      expect(models.readGate(NAME)?.refusal()).toBeInstanceOf(ReadModelsUnavailable);
      release();
      await until(async () => (await versionServed()) === 3 && models.state(NAME) === 'live');
      expect([models.mismatch(NAME), models.readGate(NAME)?.refusal(), await sum()]).toEqual([null, undefined, 600]);
    });

    ofSeveralWriters(kind)(
      'leaves newer documents to newer processes, and returns to its own version only when those are gone',
      async () => {
        const { takeoverMs } = DEFAULT_TIMING; // a newer process on a busy machine may need longer than that of tests
        const older = start({ timing: { ...lab.dependencies.timing, takeoverMs } });
        await lab.append(many(10));
        await until(async () => (await sum()) === 10);
        const newer = start({ store: await lab.openStore() }, tallyProjection({ version: 2 }));
        await until(async () => (await versionServed()) === 2 && newer.state(NAME) === 'live');
        for (let round = 0; round < 10; round += 1) {
          const position = await lab.append(many(1));
          expect(await Promise.all([older, newer].map((models) => applied(models, position)))).toEqual([true, true]);
        }
        expect(await versionServed()).toBe(2);
        await newer.stop();
        const position = await lab.append(many(1));
        await until(async () => (await versionServed()) === 1);
        await until(() => applied(older, position)); // it learns of its own switch a moment later
        expect(await sum()).toBe(21);
      },
    );

    ofSeveralWriters(kind)('leaves newer documents to their process if that goes on before they are replaced', async () => {
      const store = await lab.openStore();
      const asked = new Set<string>();
      let build = Promise.resolve();
      const older = start({
        timing: SHORT_TIMING,
        store: overStore(store, {
          prepare: async (...args) => {
            asked.add('prepare');
            await build;
            return store.prepare(...args);
          },
          serve: async (...args) => {
            asked.add('serve');
            await store.serve(...args);
          },
        }),
      });
      await lab.append(many(10));
      await until(async () => (await sum()) === 10);
      let reads = Promise.resolve();
      let readOn = (): void => {};
      const events = overEvents(lab.events, {
        async *subscribeAll(options) {
          for await (const batch of lab.events.subscribeAll(options)) {
            await reads;
            yield batch;
          }
        },
      });
      const newer = start({ events }, tallyProjection({ version: 2 }));
      await until(async () => (await versionServed()) === 2 && newer.state(NAME) === 'live' && older.state(NAME) === 'live');
      reads = new Promise((resolve) => {
        readOn = resolve;
      });
      asked.clear();
      let goOn = (): void => {};
      build = new Promise((resolve) => {
        goOn = resolve;
      });
      const position = await lab.append(many(1));
      await until(() => asked.has('prepare'));
      readOn();
      await until(() => applied(older, position));
      goOn();
      await until(() => older.state(NAME) === 'live');
      expect([await versionServed(), await sum(), asked.has('serve')]).toEqual([2, 11, false]);
    });

    ofSeveralWriters(kind)('is live as long as newer documents show the log, without waiting for whether they are abandoned', async () => {
      const older = start();
      await lab.append(many(10));
      const newer = start({ store: await lab.openStore() }, tallyProjection({ version: 2 }));
      await until(async () => (await versionServed()) === 2 && newer.state(NAME) === 'live');
      const position = await lab.append(many(1));
      expect(await applied(older, position)).toBe(true);
      await until(() => older.state(NAME) === 'live');
    });
  });
});
