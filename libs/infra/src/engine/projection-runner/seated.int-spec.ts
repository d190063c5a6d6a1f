import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventBatch, type EventStore, EventStoreUnavailable, type SubscribeOptions } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { Seats } from '#infra/platform/coordination/seats/seats.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import { type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { ofSeveralWriters, openRunnerLab, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { PATIENT_TIMING, SHORT_TIMING } from '#test/support/projections/timing.js';
import { PROJECTOR_SEATS } from './dependencies.js';
import { ReadModels } from './read-models.js';
import type { RunnerTiming } from './runner-timing.js';

const NAME = 'test.tally';
const counted = (by = 1): TallyEvent => ({ type: 'Counted', data: { name: 'a', by } });
/** For tests that wait until a process takes the place of one that is silent. */
const SHORT = { silenceMs: 600, timing: SHORT_TIMING };

/** The connection of one process, which can be cut. */
class Cuttable extends DelegatingReadStore {
  isCut = false;

  override commit(...commit: Parameters<ReadStore['commit']>): Promise<void> {
    return this.isCut ? Promise.reject(new ReadStoreUnavailable('cut')) : super.commit(...commit);
  }

  override commitSoon(...commit: Parameters<ReadStore['commitSoon']>): Promise<void> {
    return this.isCut ? Promise.reject(new ReadStoreUnavailable('cut')) : super.commitSoon(...commit);
  }
}

/** The log of one process, which can be cut off from it. `subscriptions`: number begun: one to catch up, one at the head. */
class CuttableLog extends DelegatingEventStore {
  subscriptions = 0;
  /** Number of requests for the newest event of a category. */
  searches = 0;
  /** Makes reads of the log never end. */
  isSearchingForEver = false;
  private isCut = false;
  private readonly listeners = new Set<() => void>();

  cut(): void {
    this.isCut = true;
    for (const listener of this.listeners) listener();
  }

  mend(): void {
    this.isCut = false;
  }

  override head(...search: Parameters<EventStore['head']>): Promise<Position> {
    this.searches++;
    return super.head(...search);
  }

  override readAll(...read: Parameters<EventStore['readAll']>): Promise<EventBatch> {
    return this.isSearchingForEver ? new Promise(() => undefined) : super.readAll(...read);
  }

  override async end(): Promise<Position> {
    if (this.isCut) throw new EventStoreUnavailable('cut');
    return await super.end();
  }

  override async readStream(...read: Parameters<EventStore['readStream']>): ReturnType<EventStore['readStream']> {
    if (this.isCut) throw new EventStoreUnavailable('cut');
    return await super.readStream(...read);
  }

  override onInterruption(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  override subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch> {
    this.subscriptions++;
    return super.subscribeAll(options);
  }
}

/** A process of an installation. */
type Node = Readonly<{ models: ReadModels; store: Cuttable; log: CuttableLog; subscriptions: () => number; stop: () => Promise<void> }>;

describe.each(['embedded', 'redis'] as const)('read models of several processes on %s', (kind) => {
  const severally = ofSeveralWriters(kind);
  let lab: RunnerLab;
  const nodes: Node[] = [];
  beforeEach(async () => {
    lab = await openRunnerLab(kind);
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    await lab.dispose();
  });

  /** `silenceMs`: time without a heartbeat after which this process takes the seat of another one. */
  const start = async (
    role: 'projector' | 'api',
    {
      version = 1,
      silenceMs = LONGEST_MS,
      timing = PATIENT_TIMING,
      isSearchingForEver = false,
    }: Readonly<{ version?: number; silenceMs?: number; timing?: RunnerTiming; isSearchingForEver?: boolean }> = {},
  ): Promise<Node> => {
    const store = new Cuttable(await (role === 'projector' ? lab.openStore() : lab.openReader()));
    const { log } = lab.dependencies;
    const beats = { beatMs: 30, silenceMs, retryMs: 20 };
    const own = kind === 'redis' ? new Seats({ store, name: PROJECTOR_SEATS, node: role, log, now: Date.now, timing: beats }) : undefined;
    const events = Object.assign(new CuttableLog(lab.events), { isSearchingForEver });
    const seats = role === 'projector' ? own : null;
    const models = new ReadModels({ ...lab.dependencies, timing, events, store, ...(seats !== undefined && { seats }) }, [
      tallyProjection({ version }),
    ]);
    const node: Node = {
      models,
      store,
      log: events,
      subscriptions: () => events.subscriptions,
      stop: async () => {
        await models.stop();
        await own?.close();
      },
    };
    models.start();
    nodes.push(node);
    return node;
  };
  const live = (node: Node) => until(() => node.models.state(NAME) === 'live');
  const shown = async (node: Node, by = 1): Promise<boolean> => node.models.applied(NAME, await lab.append([counted(by)]), LONGEST_MS);
  const sum = async () => (await lab.totals()).a?.sum ?? 0;

  it('are applied by one of them; the others see each commit without reading the log', async () => {
    await lab.append([counted()]);
    const first = await start('projector');
    await live(first);
    const [second, api] = [await start(kind === 'redis' ? 'projector' : 'api'), await start('api')];
    await Promise.all([live(second), live(api)]);
    for (let round = 0; round < 5; round++) {
      const position = await lab.append([counted()]);
      expect(await Promise.all([first, second, api].map(({ models }) => models.applied(NAME, position, LONGEST_MS)))).toEqual([
        true,
        true,
        true,
      ]);
    }
    expect([await sum(), first.subscriptions(), second.subscriptions(), api.subscriptions()]).toEqual([6, 2, 0, 0]);
  });

  severally('go on in another process when the one that applies them stops in order: no writer is told that they are behind', async () => {
    const [first, second, api] = [await start('projector'), await start('projector'), await start('api')];
    await Promise.all([first, second, api].map(live));
    let [leader, standby] = first.subscriptions() > 0 ? [first, second] : [second, first];
    for (let round = 1; round <= 3; round++) {
      const writes = Promise.all(Array.from({ length: 20 }, () => shown(api)));
      await leader.stop();
      expect(new Set(await writes)).toEqual(new Set([true]));
      expect(standby.subscriptions()).toBeGreaterThan(0);
      expect(await sum()).toBe(20 * round);
      [leader, standby] = [standby, await start('projector')];
      await live(standby);
    }
  });

  severally('go on in another process when the one that applies them cannot commit any more, which then stands by', async () => {
    const first = await start('projector', { timing: SHORT_TIMING });
    await live(first);
    const second = await start('projector', SHORT);
    await live(second);
    first.store.isCut = true;
    expect(await shown(second)).toBe(true);
    first.store.isCut = false;
    const position = await lab.append([counted()]);
    expect(await first.models.applied(NAME, position, LONGEST_MS)).toBe(true);
    expect(await sum()).toBe(2);
    await second.stop();
    expect([await shown(first), await sum()]).toEqual([true, 3]);
  });

  severally('go on in another process when the log cannot be reached from the one that applies them', async () => {
    const first = await start('projector');
    await live(first);
    const second = await start('projector');
    await live(second);
    first.log.cut();
    expect([await shown(second), await sum()]).toEqual([true, 1]);
    await until(() => second.subscriptions() > 0); // the first one may already have had that event
    first.log.mend();
    const position = await lab.append([counted()]);
    await until(() => (first.models.partitionsOf(NAME)?.gate.position ?? 0n) >= position);
    expect(await sum()).toBe(2);
  });

  it('are shown as they are while no process applies them, and writers are told so', async () => {
    const projector = await start('projector');
    await live(projector);
    expect(await shown(projector)).toBe(true);
    await projector.stop();
    const position = await lab.append([counted()]);
    const api = await start('api', SHORT);
    await until(() => api.models.readGate(NAME)?.refusal() === undefined);
    expect([await api.models.applied(NAME, position, 50), await sum()]).toEqual([false, 1]);
    const next = await start('projector');
    await live(next);
    expect([await api.models.applied(NAME, position, LONGEST_MS), await sum(), api.subscriptions()]).toEqual([true, 2, 0]);
    await live(api);
  });

  it('are not shown to a process that applies none before another one has built them', async () => {
    await lab.append([counted()]);
    const api = await start('api');
    await api.models.examined([NAME], 20);
    expect([api.models.readGate(NAME)?.refusal(), await lab.store.served(NAME)]).toEqual([expect.any(ReadStoreUnavailable), null]);
    const examined = api.models.examined([NAME], 60_000);
    const projector = await start('projector');
    await Promise.all([live(projector), examined]);
    expect(api.models.readGate(NAME)?.refusal()).toBeUndefined();
    await live(api);
    expect([api.models.readGate(NAME)?.refusal(), await sum()]).toEqual([undefined, 1]);
  });

  it('are current in a process that stands by as soon as they show all events of theirs, without a search for the newest one', async () => {
    await lab.append([counted()]);
    const projector = await start('projector');
    await live(projector);
    await projector.stop();
    await lab.append([counted()], 'test.others-1'); // no process moves the checkpoint past it
    const api = await start('api');
    await api.models.examined([NAME], 60_000);
    expect(api.models.readGate(NAME)?.refusal()).toBeUndefined();
    await live(api);
    expect([api.log.searches, api.subscriptions(), await sum()]).toEqual([0, 0, 1]);
  });

  severally('are taken over by a process that still searches a long log for what they lack', async () => {
    const first = await start('projector');
    await live(first);
    expect(await shown(first)).toBe(true);
    await lab.append([counted()], 'test.others-1');
    const second = await start('projector');
    second.log.isSearchingForEver = true;
    await first.stop();
    await live(second);
    expect([await shown(second), await sum(), second.subscriptions()]).toEqual([true, 2, 2]);
  });

  severally('are current in a process that still searches a long log for what they lack, once they show its end', async () => {
    const projector = await start('projector');
    await live(projector);
    expect(await shown(projector)).toBe(true);
    await projector.stop();
    await lab.append([counted()], 'test.others-1'); // no process moves the checkpoint past it
    const api = await start('api', { isSearchingForEver: true });
    const next = await start('projector');
    expect(await shown(next)).toBe(true);
    await live(api);
  });

  severally('of a newer version are followed by the process that has it, while one with the older version stands by', async () => {
    const old = await start('projector');
    await live(old);
    expect(await shown(old)).toBe(true);
    const next = await start('projector', { version: 2 });
    await until(async () => (await lab.store.served(NAME))?.version === 2);
    await live(next); // until then writers are not awaited
    expect(await shown(next)).toBe(true);
    const position = await lab.append([counted()]);
    expect(await next.models.applied(NAME, position, LONGEST_MS)).toBe(true);
    expect(await sum()).toBe(3);
  });
});
