import { isChained } from '#domain/integrity/chained.js';
import type { LogMoment, LogTimeline } from '#domain/operations/moments.js';
import { isOfSameAppend } from '#domain/shared/event-ids.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import type { History } from '#projections/shared/past.js';
import type { Projection } from '#projections/shared/projection.js';
import type { KeyRange, ReadView } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { Replay, textsOf } from './replay.js';

const eventsUpTo = async (events: EventStore, position: Position, categories?: readonly string[]): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = [];
  for (let after = 0n; ; ) {
    const batch = await events.readAll({ after, limit: 500, ...(categories && { categories }) });
    found.push(...batch.events.filter((event) => event.position <= position));
    if (batch.caughtUp || batch.position >= position) return found;
    after = batch.position;
  }
};

/**
 * The past without any store: the log is replayed from its beginning for every position, with the projections that serve reads. Slow, and plainly
 * right: what a history store shows is compared with it. Shows secrets as they are; what has left the log, it does not know.
 */
export const naiveHistory = (events: EventStore, decode: DecodeEvents, projections: readonly Projection[]): History => {
  const known = new Map<string, Promise<ReadView>>();
  const build = async (projection: Projection, position: Position): Promise<ReadView> => {
    const recorded = await eventsUpTo(events, position, projection.categories);
    const replay = new Replay([projection]);
    const whole = { readAll: async () => ({ events: recorded.slice(replay.events.length), position, caughtUp: true }) };
    await replay.follow(
      whole,
      async (event) => (await decode([event]))[0] ?? event,
      () => false,
    );
    return memoryView(textsOf(replay.snapshots.at(-1)?.documents.get(projection.name) ?? new Map()));
  };
  const at = (name: string, position: Position): Promise<ReadView> => {
    const key = `${position} ${name}`;
    let view = known.get(key);
    if (!view) {
      const projection = projections.find((one) => one.name === name);
      if (!projection) throw new Error(`there is no projection ${name}`);
      view = build(projection, position);
      known.set(key, view);
    }
    return view;
  };
  return {
    view: (name, position) => ({
      get: async (collection, key) => (await at(name, position)).get(collection, key),
      getMany: async (collection, keys) => (await at(name, position)).getMany(collection, keys),
      lengths: async (collection, keys) => (await at(name, position)).lengths(collection, keys),
      range: async (collection, range) => (await at(name, position)).range(collection, range),
      ranges: async (collection, ranges: readonly KeyRange[]) => (await at(name, position)).ranges(collection, ranges),
      count: async (collection, range) => (await at(name, position)).count(collection, range),
    }),
    reach: async () => 'reached',
    status: () => ({ state: 'live', from: 0n, position: 0n, documents: 0 }),
  };
};

/** Moments by reading the whole log, anew whenever it has grown. */
export const naiveTimeline = (events: EventStore): LogTimeline => {
  type Known = Readonly<{ head: Position; moments: readonly (LogMoment & Readonly<{ endsAppend: boolean }>)[] }>;
  let known: Known = { head: 0n, moments: [] };
  const moments = async (): Promise<Known['moments']> => {
    const head = await events.head();
    if (head === known.head) return known.moments;
    let time = '';
    const chained = (await eventsUpTo(events, head)).filter(({ stream }) => isChained(stream));
    const found = chained.map((event, index) => {
      if (event.metadata.time > time) time = event.metadata.time;
      const next = chained[index + 1];
      return { index, position: event.position, time, endsAppend: !next || !isOfSameAppend(event, next) };
    });
    known = { head, moments: found };
    return found;
  };
  return {
    atInstant: async (milliseconds) => (await moments()).findLast(({ time }) => Date.parse(time) <= milliseconds) ?? null,
    atPosition: async (position) => (await moments()).findLast((moment) => moment.position <= position && moment.endsAppend) ?? null,
    reached: async (position) => position <= (await events.head()),
  };
};
