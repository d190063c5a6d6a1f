import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import { ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';
import { type LogServer, startLogServer } from '#test/support/eventstoredb/log-server.js';
import { until } from '#test/support/eventually.js';
import { decodeTally, newTallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { PATIENT_TIMING } from '#test/support/projections/timing.js';
import { startRedis } from '#test/support/redis/redis.js';
import { GatedReadStore } from './gated-read-store.js';
import { LogIdentity } from './log-identity.js';

const TALLY = 'test.tally';
const LATE = 'test.late';
const projections = [tallyProjection(), tallyProjection({ name: LATE, categories: [LATE] })];
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const timing = { ...PATIENT_TIMING, idleCommitMs: 50 };

/** A promise that a test resolves. */
const newHold = (): Readonly<{ held: Promise<void>; goOn: () => void }> => {
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return { held, goOn };
};

/** A log in which reads of one stream wait for the test. */
class HeldStream extends DelegatingEventStore {
  held: Promise<void> | undefined;

  constructor(
    log: EventStore,
    private readonly stream: string,
  ) {
    super(log);
  }

  override async readStream(...read: Parameters<EventStore['readStream']>): ReturnType<EventStore['readStream']> {
    if (read[0] === this.stream) await this.held;
    return await super.readStream(...read);
  }
}

/** A log whose connection was lost unnoticed: it sends no notifications and no answers. */
class HalfDeadLog extends DelegatingEventStore {
  isDead = false;

  override onInterruption(): () => void {
    return () => undefined;
  }

  override end(): Promise<Position> {
    return this.isDead ? new Promise(() => undefined) : super.end();
  }

  override readStream(...read: Parameters<EventStore['readStream']>): ReturnType<EventStore['readStream']> {
    return this.isDead ? new Promise(() => undefined) : super.readStream(...read);
  }
}

describe('read models whose log answers again after an outage', () => {
  let server: LogServer;
  let store: ReadStore;
  let log: EventStore;
  let cleanUps: (() => unknown)[];
  beforeEach(async () => {
    server = await startLogServer();
    cleanUps = [() => server.stop()];
    const redis = await startRedis();
    cleanUps.push(() => redis.stop());
    store = await openRedisReadStore(redis);
    cleanUps.push(() => store.close());
    log = connect();
    await new LogIdentity(log).open();
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  const connect = (): EventStore => {
    const opened = openEventStoreDb({ connectionString: server.connectionString, limits: { idleMs: 300, silenceMs: 2_000 } });
    cleanUps.push(() => opened.close());
    return opened;
  };
  /** Starts a process that keeps both read models up to date. */
  const start = (events: EventStore, dependencies: Partial<RunnerDependencies> = {}) => {
    const shared = { events, store, decode: decodeTally, expiring: [], log: silent, now: Date.now, timing };
    const models = new ReadModels({ ...shared, ...dependencies }, projections);
    cleanUps.push(() => models.stop());
    models.start();
    const shown = new GatedReadStore(store, (name) => models.readGate(name));
    const names = async (projection: string) => (await shown.view(projection).range('totals', {})).map(({ key }) => key).join();
    return { models, names };
  };
  const append = async (name: string): Promise<void> => {
    for (const category of [TALLY, LATE])
      await log.append(`${category}-1`, [newTallyEvent({ type: 'Counted', data: { name, by: 1 } })], 'any');
  };
  const shows = ({ names }: ReturnType<typeof start>, expected: string): Promise<unknown> =>
    until(async () => (await Promise.all([TALLY, LATE].map(names)).catch(() => [''])).every((found) => found === expected));
  const restore = async (backup: Awaited<ReturnType<LogServer['backup']>>): Promise<void> => {
    await server.goDown();
    await server.comeUp(backup);
  };

  it('show nothing once one of them has found another log, however late the others are examined', async () => {
    const events = new HeldStream(log, `${LATE}-1`);
    const process = start(events);
    await append('kept');
    const backup = await server.backup();
    await append('lost');
    await shows(process, 'kept,lost');
    const { held, goOn } = newHold();
    cleanUps.push(goOn);
    events.held = held;
    await restore(backup);
    await until(async () => process.models.mismatch(TALLY) !== null);
    await expect(process.names(LATE)).rejects.toBeInstanceOf(ReadModelsUnavailable);
    goOn();
    await shows(process, 'kept');
    await until(() => process.models.state(LATE) === 'live');
    await append('new');
    await shows(process, 'kept,new');
  });

  it('are not shown by processes either that have not noticed anything, once one has found it', async () => {
    const halfDead = new HalfDeadLog(connect());
    const { held, goOn } = newHold();
    cleanUps.push(goOn);
    let isHeld = false;
    const noticing = start(log, { decode: async (events) => (isHeld ? held : Promise.resolve()).then(() => decodeTally(events)) });
    const unaware = start(halfDead, { seats: null });
    await append('kept');
    const backup = await server.backup();
    await append('lost');
    await Promise.all([noticing, unaware].map((process) => shows(process, 'kept,lost')));
    halfDead.isDead = true;
    isHeld = true; // the rebuild is not finished
    await restore(backup);
    await until(async () => [TALLY, LATE].every((name) => noticing.models.mismatch(name) !== null));
    for (const { names } of [noticing, unaware])
      for (const name of [TALLY, LATE]) await expect(names(name)).rejects.toBeInstanceOf(ReadModelsUnavailable);
    halfDead.isDead = false;
    goOn();
    await shows(noticing, 'kept');
  });

  it('are withheld, not marked, by a process that applies none: it does not decide for those that do', async () => {
    const projector = start(log);
    await append('kept');
    const backup = await server.backup();
    await append('lost');
    await shows(projector, 'kept,lost');
    await projector.models.stop();
    const api = start(connect(), { seats: null });
    await shows(api, 'kept,lost');
    await restore(backup);
    await until(async () => [TALLY, LATE].every((name) => api.models.mismatch(name) !== null));
    for (const name of [TALLY, LATE]) await expect(api.names(name)).rejects.toBeInstanceOf(ReadModelsUnavailable);
    const served = await store.served(TALLY);
    expect(served && (await store.progress(served))).toMatchObject({ origin: expect.not.stringContaining('foreign') });
    await shows(start(connect()), 'kept');
    await shows(api, 'kept');
  });

  it('are shown while it is away, and by all processes again when it is the same', async () => {
    const processes = [start(log), start(connect(), { seats: null })];
    await append('kept');
    await Promise.all(processes.map((process) => shows(process, 'kept')));
    const served = await store.served(TALLY);
    await server.goDown();
    await until(async () => processes.every(({ models }) => models.state(TALLY) === 'catching-up'));
    for (const { names } of processes) expect(await names(TALLY)).toBe('kept');
    await server.comeUp();
    for (const { models, names } of processes) {
      await until(async () => models.state(TALLY) === 'live' && models.state(LATE) === 'live');
      expect([await names(TALLY), await names(LATE)]).toEqual(['kept', 'kept']);
    }
    expect(await store.served(TALLY)).toEqual(served);
  });
});
