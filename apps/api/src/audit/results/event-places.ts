import { resourceTerm } from '#domain/audit/resources/resources-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type AnyDated, streamOfDated } from '#domain/status/dated-records/dated-records.js';
import type { AuditIndex, EventFilter, IndexedEvent } from '#infra/engine/audit-index/audit-index.js';
import { EventReader } from '#infra/engine/audit-index/event-reader.js';

/** Place of an event; `time`: log time, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
type EventPlace = Readonly<{ index: number; position: string; stream: string; revision: number; time: string }>;

const STEPS = 1_000_000;
/** Snapshots of a profile that are searched together, the maximum size of their data, and the maximum number in all. */
const [PORTION, PORTION_BYTES, MOST_READ] = [50, 4 * 1024 * 1024, 2_000];

const placeOf = ({ index, position, streamName: stream, revision, logTime }: IndexedEvent): EventPlace => ({
  index,
  position: `${position}`,
  stream,
  revision,
  time: new Date(logTime).toISOString(),
});

/** Finds the events behind results. One instance per call. */
export class EventPlaces {
  private readonly reader: EventReader;
  private readonly known = new Map<string, EventPlace | null>();
  private readonly slice = new TimeSlice();

  /** @param size number of events of the log that the call sees */
  constructor(
    private readonly index: AuditIndex,
    events: Pick<EventStore, 'readStream'>,
    private readonly size: number,
  ) {
    this.reader = new EventReader(events);
  }

  /** The event at a position; `null` if the index has none there. */
  async at(position: Position): Promise<EventPlace | null> {
    const key = `${position}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.slice.isOver) await this.slice.next();
    const index = this.index.indexAt(position);
    const place = index === null ? null : placeOf(this.index.event(index));
    this.known.set(key, place);
    return place;
  }

  /** The newest matching events, newest first. */
  async newest(filter: EventFilter, limit = 1): Promise<readonly EventPlace[]> {
    return (await this.back(filter, this.size - 1, limit)).indexes.map((index) => placeOf(this.index.event(index)));
  }

  /** The newest event with a profile's snapshot of a day; `null` if it is not among the newest thousands of the profile. */
  async snapshot(resource: AnyDated, kind: string, { tenantId, id, date }: Readonly<{ tenantId: string; id: string; date: Day }>) {
    const filter = { stream: streamOfDated(resource, tenantId), resource: resourceTerm({ service: 'status', kind, id }) };
    let start: number | null = this.size - 1;
    for (let read = 0; start !== null && read < MOST_READ; ) {
      const { indexes, next } = await this.back(filter, start, PORTION);
      const some = this.portionOf(indexes);
      for (const [place, event] of (await this.reader.read(some)).entries()) {
        if (typeof event !== 'object' || event.type !== resource.events.dated) continue;
        if (event.data.id === id && event.data.date === date) return placeOf(some[place] as IndexedEvent);
      }
      read += some.length;
      const left = indexes[some.length];
      start = left === undefined ? next : left;
    }
    return null;
  }

  /** At least one event, and no more than fit into memory together. */
  private portionOf(indexes: readonly number[]): readonly IndexedEvent[] {
    const portion: IndexedEvent[] = [];
    let bytes = 0;
    for (const index of indexes) {
      const event = this.index.event(index);
      bytes += event.size;
      if (portion.length > 0 && bytes > PORTION_BYTES) break;
      portion.push(event);
    }
    return portion;
  }

  private async back(filter: EventFilter, start: number, limit: number) {
    const list = this.index.select(filter);
    if (!list || start < 0) return { indexes: [], next: null };
    return list.find({ order: 'desc', start, end: 0 }, limit, STEPS);
  }
}
