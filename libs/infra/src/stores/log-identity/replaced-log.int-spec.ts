import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import { ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';
import { EMPTY, openRestorableLog, type RestorableLog, restorableLogs } from '#test/support/event-stores/restorable-log.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { decodeTally, newTallyEvent, type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { PATIENT_TIMING, SHORT_TIMING } from '#test/support/projections/timing.js';
import { startRedis } from '#test/support/redis/redis.js';
import { isFullRun } from '#test/support/test-runs.js';
import { GatedReadStore } from './gated-read-store.js';
import { LogIdentity } from './log-identity.js';

const NAME = 'test.tally';
const counted = (name: string): TallyEvent => ({ type: 'Counted', data: { name, by: 1 } });
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const timing = { ...PATIENT_TIMING, idleCommitMs: 50 };

/** Without those that rarely go together, except in full runs. */
const matrix = restorableLogs
  .flatMap((log) => (['LMDB', 'Redis'] as const).map((store) => ({ log, store })))
  .filter(({ log, store }) => isFullRun || (log === 'EventStoreDB') === (store === 'Redis'));

describe.each(matrix)('read models on $store over $log', ({ log: logKind, store: storeKind }) => {
  let log: RestorableLog;
  let store: ReadStore;
  let cleanUps: (() => unknown)[];
  let running: ReadModels[];
  let errors: string[];

  beforeEach(async () => {
    cleanUps = [];
    running = [];
    errors = [];
    log = await openRestorableLog(logKind);
    cleanUps.push(() => log.dispose());
    if (storeKind === 'Redis') {
      const redis = await startRedis();
      cleanUps.push(() => redis.stop());
      store = await openRedisReadStore(redis);
    } else {
      const path = mkdtempSync(join(tmpdir(), 'logbook-replaced-'));
      cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
      store = await openDocumentStore({ path });
    }
    cleanUps.push(() => store.close());
  });
  afterEach(async () => {
    await stop();
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  const stop = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((models) => models.stop()));
  };
  /** A process that opens the log, then follows it. */
  const start = async (dependencies: Partial<RunnerDependencies> = {}, projection = tallyProjection()) => {
    await new LogIdentity(log.store()).open();
    const quiet = () => undefined;
    const said = (_: unknown, message?: string) => void errors.push(String(message));
    const models = new ReadModels(
      {
        events: log.store(),
        store,
        decode: decodeTally,
        expiring: [],
        log: { info: quiet, warn: quiet, error: said },
        now: Date.now,
        timing,
        ...dependencies,
      },
      [projection],
    );
    running.push(models);
    models.start();
    const shown = new GatedReadStore(store, (name) => models.readGate(name)).view(NAME);
    return { models, names: async () => (await shown.range('totals', {})).map(({ key }) => key).join(), shown };
  };
  const append = async (name: string, stream = 'test.tally-1'): Promise<Position> =>
    (await log.store().append(stream, [newTallyEvent(counted(name))], 'any')).position;
  const generation = async () => (await store.served(NAME))?.generation;
  /** Puts the log back to a state older than the read models. */
  const lose = async (lost: readonly (readonly [name: string, stream: string])[]): Promise<void> => {
    const { models } = await start();
    expect(await models.applied('test.tally', await append('kept'), LONGEST_MS)).toBe(true);
    await stop();
    const backup = await log.backup();
    const later = await start();
    let last = 0n;
    for (const [name, stream] of lost) last = await append(name, stream);
    await until(async () => ((await later.models.status(NAME))?.position ?? 0n) >= last);
    await stop();
    await log.restore(backup);
  };

  it('are withheld while they show what the log does not have, and are rebuilt', async () => {
    await lose([
      ['lost', 'test.tally-1'],
      ['other', 'test.other-1'],
    ]);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { models, names, shown } = await start({ decode: async (events) => held.then(() => decodeTally(events)) });
    await models.examined([], LONGEST_MS);
    expect(models.mismatch(NAME)).toEqual(expect.any(String));
    expect(models.state(NAME)).toBe('catching-up');
    expect(errors).toEqual(['the read model does not come from this log: it is not shown until it is built again']);
    for (const read of [
      shown.get('totals', 'lost'),
      shown.getMany('totals', ['lost']),
      shown.count('totals', {}),
      names(),
      shown.ranges('totals', [{}]),
    ])
      await expect(read).rejects.toBeInstanceOf(ReadModelsUnavailable);
    const position = await append('new');
    expect(await models.applied('test.tally', position, 50)).toBe(false);
    expect(await models.status(NAME)).toMatchObject({ mismatch: expect.any(String), position: 0n, lag: { events: 2 } });
    goOn();
    await until(async () => models.mismatch(NAME) === null && models.state(NAME) === 'live');
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    expect(await names()).toBe('kept,new');
    const built = await generation();
    await stop();
    const again = await start();
    await until(() => again.models.state(NAME) === 'live');
    expect([await again.names(), await generation()]).toEqual(['kept,new', built]);
  });

  it('stay if they show nothing that was lost, and miss nothing that is written in its place', async () => {
    await lose(Array.from({ length: 10 }, (_, index) => [`${index}`, 'test.other-1'] as const));
    const before = await generation();
    await new LogIdentity(log.store()).open();
    const position = await append('new');
    const { models, names } = await start();
    await models.examined([], LONGEST_MS);
    expect(models.mismatch(NAME)).toBeNull();
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    expect([await names(), await generation()]).toEqual(['kept,new', before]);
    expect(errors).toEqual([]);
  });

  it('are rebuilt by one process if several notice it', async () => {
    await lose([['lost', 'test.tally-1']]);
    const before = Number(await generation());
    const processes = await Promise.all(Array.from({ length: 3 }, () => start({ timing: SHORT_TIMING }))); // those that do not build wait for so long
    for (const { models, names } of processes) {
      await until(() => models.state(NAME) === 'live' && models.mismatch(NAME) === null);
      expect(await names()).toBe('kept');
    }
    expect(await generation()).toBe(before + 1);
    const position = await append('new');
    for (const { models, names } of processes) {
      expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
      expect(await names()).toBe('kept,new');
    }
  });

  it('are also replaced by a rebuild that an operator asks for', async () => {
    await lose([['lost', 'test.tally-1']]);
    const models = new ReadModels({ events: log.store(), store, decode: decodeTally, expiring: [], log: silent, now: Date.now, timing }, [
      tallyProjection(),
    ]);
    expect(await models.rebuild(NAME)).toMatchObject({ state: 'done', processed: 1 });
    const { names, models: started } = await start();
    await until(() => started.state(NAME) === 'live');
    expect(await names()).toBe('kept');
    expect(errors).toEqual([]);
  });

  it('are withheld if they are of an older version, until those of this version are built', async () => {
    await lose([['lost', 'test.tally-1']]);
    const { models, names } = await start({}, tallyProjection({ version: 2 }));
    await models.examined([], LONGEST_MS);
    expect(errors).toHaveLength(1);
    await until(() => models.state(NAME) === 'live');
    expect(await names()).toBe('kept');
    expect(await store.served(NAME)).toMatchObject({ version: 2 });
  });

  it('are replaced by those of this version if they are newer and no newer process does it', async () => {
    const newer = await start({}, tallyProjection({ version: 2 }));
    await newer.models.applied('test.tally', await append('kept'), LONGEST_MS);
    await stop();
    await log.restore(EMPTY);
    await new LogIdentity(log.store()).open();
    const position = await append('new');
    const { models, names } = await start({ timing: SHORT_TIMING });
    await until(() => models.state(NAME) === 'live');
    expect(await models.applied('test.tally', position, LONGEST_MS)).toBe(true);
    expect(await names()).toBe('new');
    expect(await store.served(NAME)).toMatchObject({ version: 1 });
  });

  it('catch up if they are older than the log', async () => {
    const { models } = await start();
    await models.applied('test.tally', await append('early'), LONGEST_MS);
    await stop();
    for (let index = 0; index < 5; index += 1) await append(`late ${index}`);
    const later = await start();
    await until(() => later.models.state(NAME) === 'live');
    expect((await later.names()).split(',')).toHaveLength(6);
    expect(errors).toEqual([]);
  });
});
