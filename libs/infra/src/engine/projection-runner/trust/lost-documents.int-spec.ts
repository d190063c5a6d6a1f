import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventBatch, type EventStore, EventStoreUnavailable, type SubscribeOptions } from '#domain/shared/event-store.js';
import { PROJECTOR_SEATS, type RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { Seats } from '#infra/platform/coordination/seats/seats.js';
import { GatedReadStore } from '#infra/stores/log-identity/gated-read-store.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { ReadModelsUnavailable, type ReadStore, type ReadView } from '#projections/shared/read-store.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { openRunnerLab, overEvents, overStore, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';

const NAME = 'test.tally';
const many = (count: number, name = 'a'): TallyEvent[] => Array.from({ length: count }, () => ({ type: 'Counted', data: { name, by: 1 } }));

/** One process: its runners, and the documents as its requests see them. */
type Node = Readonly<{ models: ReadModels; view: ReadView; sum: () => Promise<number | null> }>;

let lab: RunnerLab;
let running: ReadModels[];
let seated: Seats[];

const start = (dependencies: Partial<RunnerDependencies> = {}): Node => {
  const all = { ...lab.dependencies, ...dependencies };
  const models = new ReadModels(all, [tallyProjection()]);
  running.push(models);
  models.start();
  const view = new GatedReadStore(all.store, (name) => models.readGate(name)).view(NAME);
  const sum = async (): Promise<number | null> => {
    const document = await view.get('totals', 'a');
    return document && (JSON.parse(document.toString()) as { sum: number }).sum;
  };
  return { models, view, sum };
};

/** One of several processes that apply the log in turns, by seats. */
const startSeated = async (events: EventStore): Promise<Node> => {
  const store = await lab.openStore();
  const { log, now } = lab.dependencies;
  const timing = { beatMs: 30, silenceMs: LONGEST_MS, retryMs: 20 };
  const seats = new Seats({ store, name: PROJECTOR_SEATS, node: 'projector', log, now, timing });
  seated.push(seats);
  return start({ events, store, seats });
};

/** Results of readers until the condition holds: sums, `null` if there is none, or `refused`. */
const seenUntil = async (
  { sum }: Node,
  condition: (seen: number | null | 'refused') => boolean,
): Promise<Set<number | null | 'refused'>> => {
  const all = new Set<number | null | 'refused'>();
  await until(async () => {
    const seen = await sum().catch((error: unknown) => {
      if (error instanceof ReadModelsUnavailable) return 'refused' as const;
      throw error;
    });
    all.add(seen);
    return condition(seen);
  });
  return all;
};

const expectWhole = (seen: ReadonlySet<number | null | 'refused'>, sum: number): void =>
  expect([...seen].filter((one) => one !== 'refused')).toEqual([sum]);

/** The log, whose subscriptions stop before the events with these numbers; `letGo` releases one stop after the other. */
const heldAt = (events: EventStore, ...stops: readonly number[]): Readonly<{ events: EventStore; letGo: () => void }> => {
  const releases: (() => void)[] = [];
  const released = stops.map(() => new Promise<void>((resolve) => void releases.push(resolve)));
  const held = overEvents(events, {
    async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch> {
      let passed = 0;
      for await (const batch of events.subscribeAll({ ...options, maxBatch: 10 })) {
        passed += batch.events.length;
        for (const [at, stop] of stops.entries()) if (passed >= stop) await Promise.race([released[at], aborted(options.signal)]);
        yield batch;
      }
    },
  });
  return { events: held, letGo: () => releases.shift()?.() };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const stopAll = async (): Promise<void> => {
  await Promise.all(running.map((models) => models.stop()));
  await Promise.all(seated.map((seats) => seats.close()));
  running = [];
  seated = [];
};

const openLab = (kind: 'embedded' | 'redis'): void => {
  beforeEach(async () => {
    running = [];
    seated = [];
    lab = await openRunnerLab(kind);
    await new LogIdentity(lab.events).open();
  });
  afterEach(async () => {
    await stopAll();
    await lab.dispose();
  });
};

describe.each(['embedded', 'redis'] as const)('documents on %s that do not show the whole log', (kind) => {
  openLab(kind);

  it('are refused where there are none, and while they are built from nothing', async () => {
    await lab.append(many(200));
    const held = heldAt(lab.events, 100);
    const node = start({ events: held.events });
    await until(async () => ((await lab.totals()).a?.sum ?? 0) >= 80);
    await expect(node.sum()).rejects.toBeInstanceOf(ReadModelsUnavailable);
    expect(node.models.state(NAME)).toBe('catching-up');
    held.letGo();
    expectWhole(await seenUntil(node, (seen) => seen === 200), 200);
    expect(node.models.state(NAME)).toBe('live');
  });

  it('are refused after a restart in the middle, too', async () => {
    await lab.append(many(200));
    start({ events: heldAt(lab.events, 100).events });
    await until(async () => ((await lab.totals()).a?.sum ?? 0) >= 80);
    await stopAll();
    const held = heldAt(lab.events, 50);
    const node = start({ events: held.events });
    await until(async () => ((await lab.totals()).a?.sum ?? 0) >= 120);
    await expect(node.sum()).rejects.toBeInstanceOf(ReadModelsUnavailable);
    held.letGo();
    expectWhole(await seenUntil(node, (seen) => seen === 200), 200);
  });
});

describe('documents that Redis loses while it is in use', () => {
  openLab('redis');

  it('are refused from the first read on, and shown again once they are whole, although nothing is written', async () => {
    await lab.append(many(200));
    const nodes = [await startSeated(lab.events), await startSeated(lab.events)];
    for (const node of nodes) await seenUntil(node, (seen) => seen === 200);
    await lab.loseEverything();
    for (const node of nodes) expectWhole(await seenUntil(node, (seen) => seen === 200), 200);
    for (const node of nodes) await until(() => node.models.state(NAME) === 'live');
  });

  it('are noticed at once when somebody asks, and their builder is awaited by another process, whoever builds', async () => {
    await lab.append(many(200));
    const held = heldAt(lab.events, 100);
    const node = start();
    await seenUntil(node, (seen) => seen === 200);
    await node.models.stop();
    running = [];
    const [builder, other] = [await startSeated(held.events), await startSeated(held.events)];
    for (const each of [builder, other]) await seenUntil(each, (seen) => seen === 200);
    await lab.loseEverything();
    await builder.models.look();
    expect(builder.models.state(NAME)).toBe('catching-up');
    await until(async () => ((await lab.totals()).a?.sum ?? 0) >= 80);
    for (const each of [builder, other]) await expect(each.sum()).rejects.toBeInstanceOf(ReadModelsUnavailable);
    held.letGo();
    for (const each of [builder, other]) expectWhole(await seenUntil(each, (seen) => seen === 200), 200);
  });

  it('stay refused to a process that finds them half built after an outage of its log, while these grow', async () => {
    await lab.append(many(200));
    const node = start();
    await seenUntil(node, (seen) => seen === 200);
    await node.models.stop();
    const held = heldAt(lab.events, 100, 150);
    const builder = start({ events: held.events });
    let isAway = false;
    const interruptions: (() => void)[] = [];
    const log = overEvents(lab.events, {
      end: async () => {
        if (isAway) throw new EventStoreUnavailable('away');
        return lab.events.end();
      },
      onInterruption: (listener) => {
        interruptions.push(listener);
        return () => undefined;
      },
    });
    const store = await lab.openStore();
    let checkpoint: ReadStore['checkpoint'] = (namespace) => store.checkpoint(namespace);
    const reader = start({ seats: null, events: log, store: overStore(store, { checkpoint: (namespace) => checkpoint(namespace) }) });
    for (const each of [builder, reader]) await seenUntil(each, (seen) => seen === 200);
    isAway = true;
    for (const interrupted of interruptions) interrupted();
    await lab.loseEverything();
    await builder.models.look();
    await until(async () => ((await lab.totals()).a?.sum ?? 0) >= 80);
    let goOn = (): void => undefined;
    let isFollowing = false;
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    checkpoint = async (namespace) => {
      isFollowing = true;
      await released;
      return store.checkpoint(namespace);
    };
    isAway = false;
    await until(() => isFollowing);
    held.letGo();
    await until(async () => ((await lab.totals()).a?.sum ?? 0) >= 130);
    const early = await reader.sum().catch((error: unknown) => error);
    goOn();
    held.letGo();
    expect(early).toBeInstanceOf(ReadModelsUnavailable);
    expectWhole(await seenUntil(reader, (seen) => seen === 200), 200);
  });

  it('do not keep writers waiting; what these were promised meanwhile is there as soon as anything is', async () => {
    await lab.append(many(200));
    const node = start();
    expect(node.models.isOpening('test.tally')).toBe(true);
    await seenUntil(node, (seen) => seen === 200);
    await lab.loseEverything();
    await node.models.look();
    expect(node.models.isOpening('test.tally')).toBe(false);
    const position = await lab.append(many(1));
    const isShown = await node.models.applied('test.tally', position);
    const seen = await seenUntil(node, (sum) => sum === 201);
    expectWhole(seen, 201);
    expect(isShown || seen.has('refused')).toBe(true);
    expect(node.models.isOwing()).toBe(false);
  });

  it('owe nothing to readers while they are filled, and show what was promised as soon as they are shown', async () => {
    await lab.append(many(200));
    const held = heldAt(lab.events, 100);
    const first = start();
    await seenUntil(first, (seen) => seen === 200);
    await stopAll();
    const node = start({ events: held.events });
    await seenUntil(node, (seen) => seen === 200);
    await lab.loseEverything();
    await node.models.look();
    await until(async () => ((await lab.totals()).a?.sum ?? 0) >= 80);
    node.models.owe('test.tally', await lab.append(many(1)));
    expect([node.models.isOwing(), await node.models.settled('ops')]).toEqual([false, true]);
    await expect(node.sum()).rejects.toBeInstanceOf(ReadModelsUnavailable);
    held.letGo();
    expectWhole(await seenUntil(node, (seen) => seen === 201), 201);
  });

  it('are refused when they are those of an earlier time, until they are level again', async () => {
    const early = await lab.append(many(20));
    const node = start();
    await seenUntil(node, (seen) => seen === 20);
    await lab.append(many(5));
    await seenUntil(node, (seen) => seen === 25);
    await stopAll();
    const reader = start();
    await seenUntil(reader, (seen) => seen === 25);
    const served = await lab.store.standing(NAME);
    if (!served) throw new Error('nothing is served');
    const total = { kind: 'put', collection: 'totals', key: 'a', value: JSON.stringify({ sum: 20, events: 20 }) } as const;
    await lab.store.commit(served.namespace, [total], served.checkpoint, early);
    const seen = await seenUntil(reader, (sum) => sum === 25);
    expectWhole(seen, 25);
    expect(seen.has('refused')).toBe(true);
  });
});
