import { LEAVES_STREAM, type LeavesChained, leavesOf } from '#domain/integrity/integrity-events.js';
import type { EventStore, ExpectedRevision } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { ChainEnd } from './leaf-batch.js';

/** End of the chain, where hashing continues. */
export type ResumePoint = Readonly<{
  end: ChainEnd;
  /** Revision of the newest event of leaves. */
  expected: ExpectedRevision;
  /** Everything up to here is chained. */
  after: Position;
  /** After `after`, events of a stream up to this revision are chained as well: they have expired, but the log may still show them. */
  covered: ReadonlyMap<string, number>;
}>;

const NOTHING: ChainEnd = { size: 0, frontier: '', time: null };

/**
 * Finds the end of the chain in this log, by one read of the newest leaves and one of the last leaf's event, unless that has expired.
 * @throws EventStoreUnavailable
 */
export const findResumePoint = async (events: Pick<EventStore, 'readStream'>): Promise<ResumePoint> => {
  const newest = await leavesBefore(events);
  if (!newest) return { end: NOTHING, expected: 'no-stream', after: 0n, covered: new Map() };
  const { from, count, frontier, time } = leavesOf(newest);
  const found = { end: { size: from + count, frontier, time }, expected: newest.revision };
  const covered = new Map<string, number>();
  for (let event: RecordedEvent | undefined = newest; event; event = await leavesBefore(events, event.revision)) {
    const after = await lastPosition(events, leavesOf(event), covered);
    if (after !== undefined) return { ...found, after, covered };
  }
  return { ...found, after: 0n, covered };
};

const leavesBefore = async (events: Pick<EventStore, 'readStream'>, revision?: bigint): Promise<RecordedEvent | undefined> => {
  if (revision === 0n) return undefined;
  const from = revision === undefined ? {} : { from: revision - 1n };
  return (await events.readStream(LEAVES_STREAM, { ...from, direction: 'backwards', limit: 1 }))[0];
};

/** Position of the newest readable one of these events; later ones are recorded in `covered`. */
const lastPosition = async (
  events: Pick<EventStore, 'readStream'>,
  { streams, runs }: LeavesChained,
  covered: Map<string, number>,
): Promise<Position | undefined> => {
  for (let at = runs.length - 3; at >= 0; at -= 3) {
    const [name, first, count] = [runs[at], runs[at + 1], runs[at + 2]] as [number, number, number];
    const stream = streams[name] ?? '';
    const revision = first + count - 1;
    // A stream loses events only from its start.
    if ((covered.get(stream) ?? -1) < revision) {
      const [event] = await events.readStream(stream, { from: BigInt(revision), limit: 1 });
      if (event && Number(event.revision) === revision) return event.position;
      covered.set(stream, revision);
    }
  }
  return undefined;
};
