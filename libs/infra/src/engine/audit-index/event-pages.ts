import { resourceTermsOf } from '#domain/audit/resources/resources-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import type { AuditIndex, EventFilter, IndexedEvent } from './audit-index.js';
import type { EventList, IndexSpan, Order } from './event-list.js';
import { type EventRead, EventReader } from './event-reader.js';
import type { EventViewOptions, EventViews } from './event-views.js';
import { AuditIndexIncomplete } from './index-files.js';

export type EventRequest = EventViewOptions &
  Readonly<{
    /** Id of the caller; callers take turns. */
    owner: string;
    filter: EventFilter;
    /** Log time in milliseconds: from, inclusive, and to, exclusive. */
    from?: number | undefined;
    to?: number | undefined;
    order: Order;
    /** Index of the first event to examine; default: the first or the last. */
    start?: number | undefined;
    /** Number of events in the log as seen by this call. */
    size: number;
    /** Include expired events, as unfiltered lists of the stored form do. */
    listsExpired: boolean;
  }>;

/** JSON of the events, and the index of the first unexamined event; `null` at the end. */
type EventPage = Readonly<{ items: readonly string[]; next: number | null }>;

/** Limit of examined events (operations contract 2). */
const LOOKED_AT = 20_000;
/** Approximate bytes and number of events per portion. */
const [PORTION_BYTES, PORTION_EVENTS] = [512 * 1024, 100];
/** A page ends after this many characters. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;
/** Each event found to have expired costs a read; a page ends after this many. */
const EXPIRED_READ = 2_000;

type FoundEvents = Pick<EventList, 'find'>;

type EventPagesDependencies = Readonly<{
  events: Pick<EventStore, 'readStream'>;
  index: Readonly<{ select(filter: EventFilter): FoundEvents | null }> & Pick<AuditIndex, 'event' | 'countBefore' | 'checkpoint'>;
  views: Pick<EventViews, 'of' | 'gone'>;
  /** Bytes of events in memory, for all callers together. */
  room: Pick<MemoryBudget, 'within'>;
}>;

/** Progress of one list. `slice`: shared by all its portions, each of which may end before it. */
type Progress = { looked: number; reads: number; readonly reader: EventReader; readonly slice: TimeSlice };

/** Pages of events that pass a filter. */
export class EventPages {
  constructor(private readonly dependencies: EventPagesDependencies) {}

  /** Returns at most `limit` events; fewer if many must be examined or they are large. */
  async page(request: EventRequest, limit: number): Promise<EventPage> {
    const items: string[] = [];
    let characters = 0;
    const list = this.listOf(request);
    let span = list && this.spanOf(request);
    const progress = this.begin();
    while (list && span) {
      const next = await this.portion(request, list, span, limit - items.length, LOOKED_AT - progress.looked, progress);
      for (const item of next.items) {
        items.push(item);
        characters += item.length;
      }
      span = next.rest;
      const isFull = items.length >= limit || characters >= PAGE_CHARACTERS;
      if (isFull || progress.looked >= LOOKED_AT || progress.reads >= limit + EXPIRED_READ) break;
    }
    return { items, next: list && span ? await this.nextOf(list, span, isDone(items, limit)) : null };
  }

  /** Yields all events that pass, in portions, each made on demand. */
  async *portions(request: EventRequest, limit = Number.POSITIVE_INFINITY): AsyncGenerator<readonly string[]> {
    const list = this.listOf(request);
    let span = list && this.spanOf(request);
    const progress = this.begin();
    for (let rest = limit; list && span && rest > 0; ) {
      const next = await this.portion(request, list, span, rest, LOOKED_AT, progress);
      if (next.items.length > 0) yield next.items;
      rest -= next.items.length;
      span = next.rest;
    }
  }

  /** One event; `undefined` if no event has this index. */
  async one(index: number, viewing: EventViewOptions): Promise<object> {
    const entry = this.dependencies.index.event(index);
    const [reading] = await this.begin().reader.read([entry]);
    if (typeof reading === 'object') return this.dependencies.views.of(reading, index, viewing);
    return this.dependencies.views.gone(index, reading ?? 'missing');
  }

  /** Index of the event with an id, among the first `size`; `undefined` if it is not in the log. @param owner id of the caller */
  async indexOf(id: string, owner: string, size: number): Promise<number | undefined> {
    const request = {
      owner,
      filter: { event: id },
      order: 'asc',
      size,
      form: 'stored',
      shown: { personal: false },
      listsExpired: false,
    } as const;
    for await (const [item] of this.portions(request)) if (item) return (JSON.parse(item) as { index: number }).index;
    return undefined;
  }

  private begin(): Progress {
    const slice = new TimeSlice();
    return { looked: 0, reads: 0, reader: new EventReader(this.dependencies.events, slice), slice };
  }

  /** @throws AuditIndexIncomplete the index has been lost since the call began */
  private listOf({ filter, size }: EventRequest): FoundEvents | null {
    const { index } = this.dependencies;
    const list = index.select(filter);
    if (index.checkpoint().size < size) throw new AuditIndexIncomplete('the audit index is being rebuilt');
    return list;
  }

  private spanOf({ order, start, size, from, to }: EventRequest): IndexSpan | null {
    const { index } = this.dependencies;
    const first = from === undefined ? 0 : index.countBefore(from);
    const last = Math.min(size, to === undefined ? size : index.countBefore(to)) - 1;
    const span: IndexSpan =
      order === 'asc'
        ? { order, start: Math.max(first, start ?? first), end: last }
        : { order, start: Math.min(last, start ?? last), end: first };
    return isEmpty(span) ? null : span;
  }

  private async portion(
    request: EventRequest,
    list: FoundEvents,
    span: IndexSpan,
    limit: number,
    steps: number,
    progress: Progress,
  ): Promise<Readonly<{ items: readonly string[]; rest: IndexSpan | null }>> {
    if (progress.slice.isOver) await progress.slice.next();
    const found = await list.find(span, Math.min(limit, PORTION_EVENTS), steps);
    progress.looked += found.looked;
    const entries: IndexedEvent[] = [];
    let bytes = 0;
    for (const index of found.indexes) {
      const entry = this.dependencies.index.event(index);
      if (bytes > 0 && bytes + entry.size > PORTION_BYTES) break;
      bytes += entry.size;
      entries.push(entry);
    }
    const unread = found.indexes[entries.length];
    const wanted = request.listsExpired ? entries : entries.filter(({ gone }) => !gone);
    progress.reads += wanted.length;
    const items = await this.dependencies.room.within(request.owner, bytes, async () => this.show(request, wanted, progress));
    return { items, rest: restOf(span, unread ?? found.next) };
  }

  private async show(request: EventRequest, entries: readonly IndexedEvent[], { reader, slice }: Progress): Promise<readonly string[]> {
    const readings = await reader.read(entries);
    const items: string[] = [];
    for (const [place, { index }] of entries.entries()) {
      if (slice.isOver) await slice.next();
      const item = await this.view(request, index, readings[place] ?? 'missing');
      if (item) items.push(JSON.stringify(item));
    }
    return items;
  }

  private async view(request: EventRequest, index: number, reading: EventRead): Promise<object | undefined> {
    const { views } = this.dependencies;
    if (typeof reading === 'object') return hasIds(request.filter, reading) ? views.of(reading, index, request) : undefined;
    return request.listsExpired ? views.gone(index, reading) : undefined;
  }

  /** A full page is the last one if nothing after it passes. */
  private async nextOf(list: FoundEvents, span: IndexSpan, isFull: boolean): Promise<number | null> {
    if (!isFull) return span.start;
    const { indexes, next } = await list.find(span, 1, LOOKED_AT);
    return indexes.length > 0 || next !== null ? span.start : null;
  }
}

const isDone = (items: readonly string[], limit: number): boolean => items.length >= limit;

const isEmpty = ({ order, start, end }: IndexSpan): boolean => (order === 'asc' ? start > end : start < end);

const restOf = (span: IndexSpan, next: number | null): IndexSpan | null => {
  if (next === null) return null;
  const rest = { ...span, start: next };
  return isEmpty(rest) ? null : rest;
};

/** Records and ids of events, requests, conversations and causes are indexed by a part of their hash, so they are compared here. */
export const hasIds = (
  {
    event: id,
    request,
    correlation,
    causation,
    resource,
  }: Pick<EventFilter, 'event' | 'request' | 'correlation' | 'causation' | 'resource'>,
  event: RecordedEvent,
): boolean => {
  const { metadata } = event;
  return (
    (id === undefined || event.id === id) &&
    (request === undefined || metadata.requestId === request) &&
    (correlation === undefined || metadata.correlationId === correlation) &&
    (causation === undefined || metadata.causationId === causation) &&
    (resource === undefined || resourceTermsOf(event).includes(resource))
  );
};
