import { ANCHORS_STREAM, type Anchor, LEAVES_STREAM, leavesOf } from '#domain/integrity/integrity-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import { firstRevision } from '#infra/stores/event-store/first-revision.js';
import type { EventPlace, TreeAddition } from './tree-store.js';

type Log = Pick<EventStore, 'readStream'>;

/** Events of leaves are large: one with 4,096 leaves takes 175 KiB, and as much again for the places of their events. */
const PAGE_EVENTS = 16;

/**
 * The events of leaves and anchors between two positions, in log order and in batches. They are read from their two streams, so that the
 * cost depends on the chain and not on the length of the log.
 * @param after exclusive
 * @param end inclusive
 * @throws EventStoreUnavailable
 */
export async function* chainEvents(events: Log, after: Position, end: Position): AsyncGenerator<readonly RecordedEvent[], void, void> {
  const streams = [new StreamEvents(events, LEAVES_STREAM, after, end), new StreamEvents(events, ANCHORS_STREAM, after, end)];
  for (;;) {
    for (const stream of streams) await stream.fill();
    // After the last event of a full page, its stream may have more events that precede those of the other stream.
    const [complete = end] = streams.map(({ readTo }) => readTo).sort((one, other) => (one < other ? -1 : 1));
    const batch = streams.flatMap((stream) => stream.take(complete)).sort((one, other) => (one.position < other.position ? -1 : 1));
    if (batch.length > 0) yield batch;
    if (complete >= end) return;
  }
}

/** One stream of the chain between two positions, page by page. */
class StreamEvents {
  private page: readonly RecordedEvent[] = [];
  private next: Revision | undefined;
  /** Up to this position all events of the stream have been read. */
  readTo: Position;

  constructor(
    private readonly events: Log,
    private readonly stream: string,
    after: Position,
    private readonly end: Position,
  ) {
    this.readTo = after;
  }

  /** Reads the next page if nothing is left of the last one. */
  async fill(): Promise<void> {
    if (this.page.length > 0 || this.readTo >= this.end) return;
    this.next ??= await this.firstAfter(this.readTo);
    const found = await this.events.readStream(this.stream, { from: this.next, limit: PAGE_EVENTS });
    this.page = found.filter(({ position }) => position <= this.end);
    const [newest] = found.slice(-1);
    if (newest && found.length === PAGE_EVENTS) [this.next, this.readTo] = [newest.revision + 1n, newest.position];
    else this.readTo = this.end;
  }

  /** Returns the events read up to this position. */
  take(position: Position): readonly RecordedEvent[] {
    const taken = this.page.filter((event) => event.position <= position);
    this.page = this.page.slice(taken.length);
    return taken;
  }

  /** Revision of the first event after this position; without one, the revision of the next event. */
  private async firstAfter(position: Position): Promise<Revision> {
    if (position === 0n) return 0n;
    const [newest] = await this.events.readStream(this.stream, { direction: 'backwards', limit: 1 });
    if (!newest || newest.position <= position) return newest ? newest.revision + 1n : 0n;
    return firstRevision(this.events, this.stream, newest.revision, (event) => event.position > position);
  }
}

/** Converts an event of leaves or an anchor to an addition to the tree. */
export const additionOf = ({ stream, revision, id, position, data, metadata }: RecordedEvent): TreeAddition => {
  const at: EventPlace = { stream, revision: Number(revision), id, position: `${position}` };
  if (stream === LEAVES_STREAM) {
    const { leaves, count, time, frontier } = leavesOf({ data });
    return { at, leaves: { hashes: Buffer.from(leaves, 'base64'), count, time, frontier } };
  }
  return { at, anchor: { anchor: data as Anchor, signedAt: metadata.time } };
};
