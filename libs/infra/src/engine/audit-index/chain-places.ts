import { LEAVES_STREAM, type LeafPlace, type LeavesChained } from '#domain/integrity/integrity-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { firstRevision } from '#infra/stores/event-store/first-revision.js';

/** Events of leaves that are read at once: some 200 KB each. */
const PAGE_EVENTS = 4;

export const leavesOf = (event: RecordedEvent): LeavesChained => event.data as unknown as LeavesChained;

/** A place, and the log time that is known there: of the last leaf of an event, else 0. */
export type KnownPlace = LeafPlace & Readonly<{ logTime: number }>;

type Events = Pick<EventStore, 'readStream'>;

/**
 * The places of the chain's leaves from an index on, up to the end that the chain had at the start. What the chain has numbered may have left
 * the log; what it has not is still there.
 */
export async function* placesFrom(events: Events, index: number): AsyncGenerator<KnownPlace> {
  const [newest] = await events.readStream(LEAVES_STREAM, { direction: 'backwards', limit: 1 });
  if (!newest || endOf(newest) <= index) return;
  let revision = await firstRevision(events, LEAVES_STREAM, newest.revision, (event) => endOf(event) > index);
  while (revision <= newest.revision) {
    const page = await events.readStream(LEAVES_STREAM, { from: revision, limit: PAGE_EVENTS });
    if (page.length === 0) return;
    for (const event of page) {
      yield* placesIn(leavesOf(event), index);
      revision = event.revision + 1n;
      if (revision > newest.revision) return;
    }
  }
}

const endOf = (event: RecordedEvent): number => leavesOf(event).from + leavesOf(event).count;

function* placesIn({ from, count, streams, runs, time }: LeavesChained, index: number): Generator<KnownPlace> {
  let at = from;
  for (let run = 0; run + 2 < runs.length; run += 3) {
    const [name, first, events] = [runs[run], runs[run + 1], runs[run + 2]] as [number, number, number];
    for (let offset = Math.max(0, index - at); offset < events; offset++) {
      const isLast = at + offset === from + count - 1;
      yield { stream: streams[name] ?? '', revision: first + offset, logTime: isLast ? Date.parse(time) || 0 : 0 };
    }
    at += events;
  }
}
