import { isChained } from '#domain/integrity/chained.js';
import type { LogMoment, LogTimeline } from '#domain/operations/moments.js';
import { isOfSameAppend } from '#domain/shared/event-ids.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';

const eventsUpTo = async (events: EventStore, position: Position): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = [];
  for (let after = 0n; ; ) {
    const batch = await events.readAll({ after, limit: 500 });
    found.push(...batch.events.filter((event) => event.position <= position));
    if (batch.caughtUp || batch.position >= position) return found;
    after = batch.position;
  }
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
