import type { CategoryFilter, EventBatch, ReadAllOptions, ReadStreamOptions } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import { parseFilter } from '#infra/stores/event-store/category-filter.js';
import { isReserved, isWanted, serverFilter } from './categories.js';
import { ReadRefused } from './errors.js';
import type { ReadRequest } from './log-client.js';
import type { ForeignEvents } from './messages/foreign-events.js';
import type { EventPlace, StreamPlaces } from './messages/places.js';
import { decode, type StoredEvent, type WireEvent } from './messages/records.js';
import type { ExactExpectation } from './messages/requests.js';
import type { Payloads } from './payloads.js';
import type { Collector, Reader } from './reader.js';

type PageRequest = Readonly<{ after: Position; categories: CategoryFilter | undefined; limit: number; maxBytes?: number }>;

/** An {@link EventBatch} whose large payloads are not restored. */
type StoredBatch = Omit<EventBatch, 'events'> & Readonly<{ events: readonly StoredEvent[] }>;

/** `complete`: the read reached the end of the log. `reached`: everything up to here was searched. */
type Page = Readonly<{ events: readonly StoredEvent[]; reached: Position; complete: boolean }>;

/** Events of a stream that are read at once behind some that were left out. */
const PASSED_AT_ONCE = 100;

/** The read side of the store: pages of a stream and of the whole log, with large payloads restored. */
export class LogReads implements StreamPlaces {
  /** Heads by filter, and the position up to which the log was searched for them. */
  private heads = new Map<string, Readonly<{ head: Position; searched: Position }>>();
  /** Highest position of the log seen so far. */
  private seen: Position = 0n;

  constructor(
    readonly reader: Reader,
    readonly payloads: Payloads,
    readonly foreign: ForeignEvents,
  ) {
    reader.interruptions.listen(() => {
      this.heads = new Map();
      this.seen = 0n;
    });
  }

  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    if (isReserved(stream)) return [];
    const { from, direction = 'forwards', limit, maxBytes = Number.POSITIVE_INFINITY } = options;
    const { stored, next } = await this.reader.read({ of: 'stream', stream, from, direction, count: limit }, () => {
      const events: StoredEvent[] = [];
      let [bytes, seen, last] = [0, 0, 0n];
      return {
        take: (wire) => {
          seen += 1;
          last = wire.revision;
          if (this.foreign.has(wire)) return true;
          const event = decode(wire);
          events.push(event);
          bytes += event.bytes;
          return bytes < maxBytes;
        },
        result: () => {
          const isCut = seen === limit || bytes >= maxBytes;
          return { stored: events, next: isCut ? last + (direction === 'forwards' ? 1n : -1n) : -1n };
        },
      };
    });
    const restored = await this.payloads.restored(stored);
    const events = restored.map(({ event }) => event);
    // Events left out do not shorten the page: an empty one is the end of the stream.
    const left = { limit: limit - events.length, maxBytes: restored.reduce((bytes, event) => bytes - event.bytes, maxBytes) };
    if (next < 0n || left.limit === 0 || left.maxBytes <= 0) return events;
    const rest = await this.readStream(stream, { ...options, ...left, limit: Math.max(left.limit, PASSED_AT_ONCE), from: next });
    return [...events, ...rest.slice(0, left.limit)];
  }

  async readAll({ after = 0n, categories, limit, signal }: ReadAllOptions): Promise<EventBatch> {
    const { events, ...read } = await this.storedPage({ after, categories, limit }, signal);
    return { events: await this.payloads.restore(events), ...read };
  }

  /** Like `readAll`, without restoring large payloads. */
  async storedPage(request: PageRequest, signal?: AbortSignal): Promise<StoredBatch> {
    let found: readonly StoredEvent[] = [];
    let { after } = request;
    const { seen } = this;
    if (after < seen) {
      // Usual for pages of a long read: a page with more events than the limit needs no head.
      const { events, reached, complete } = await this.page(request, signal);
      if (!complete) return { events, position: reached, caughtUp: false };
      if (this.seen < seen) return await this.storedPage(request, signal); // another server has answered meanwhile, perhaps with an older log
      found = events;
      after = seen;
      if (reached > after) after = reached;
    }
    // The head is read first: events that the page finds after it were appended later, so a page that finds no more has passed the head.
    const head = await this.newest(undefined, signal);
    this.seen = head;
    const { events, reached, complete } = await this.page({ ...request, after, limit: request.limit - found.length }, signal);
    return {
      events: [...found, ...events],
      position: complete && head > reached ? head : reached,
      caughtUp: complete || reached >= head,
    };
  }

  /**
   * Position of the newest event that passes the filter. The server searches backwards, so a rare event costs a scan of the log, but only
   * once: later calls search only newer events.
   */
  async head(categories?: CategoryFilter, signal?: AbortSignal): Promise<Position> {
    const filter = serverFilter(categories);
    if (!categories) return this.newest(filter, signal);
    const { heads } = this; // heads of a log that is replaced meanwhile are not kept
    const known = heads.get(filter);
    const searched = await this.newest(undefined);
    const since = known && (await this.page({ after: known.searched, categories, limit: 1 }, signal));
    const isSame = since?.complete === true && since.events.length === 0;
    const head = known && isSame ? known.head : await this.newest(filter, signal);
    heads.set(filter, { head, searched });
    return head;
  }

  /** Position of the newest record, including the server's own. */
  end(): Promise<Position> {
    return this.newest(undefined);
  }

  /** Places of events of any stream, including system streams. Nothing is decoded or restored. */
  places(
    stream: string,
    from: Revision | undefined,
    direction: 'forwards' | 'backwards',
    count: number,
    withinMs?: number,
  ): Promise<readonly EventPlace[]> {
    const place = ({ id, revision, position }: WireEvent): EventPlace => ({ id, revision, position });
    return this.reader.all({ of: 'stream', stream, from, direction, count }, place, { withinMs });
  }

  last(stream: string): Promise<ExactExpectation | undefined> {
    return this.reader.read({ of: 'last', stream }, () => {
      let last: ExactExpectation | undefined;
      return {
        take: ({ revision }) => {
          last = revision;
          return true;
        },
        last: (revision) => {
          last = revision;
        },
        result: () => last,
      };
    });
  }

  private async newest(streamNames: string | undefined, signal?: AbortSignal): Promise<Position> {
    const [position] = await this.reader.all({ of: 'head', streamNames }, (wire) => wire.position, {
      signal,
      searching: streamNames !== undefined,
    });
    return position ?? 0n;
  }

  /**
   * The server starts reads only where a record starts. A position where none starts may lie just before one, for example if a caller
   * subtracts one; otherwise the log is read from its first event.
   */
  private async page(wanted: PageRequest, signal: AbortSignal | undefined): Promise<Page> {
    // The server repeats the event at `after`, and one event beyond the page shows whether the page is the last.
    const count = wanted.limit + 2;
    for (const from of [wanted.after, wanted.after + 1n]) {
      try {
        return await this.pageFrom(from, count, wanted, signal);
      } catch (error) {
        if (!(error instanceof ReadRefused)) throw error;
      }
    }
    return this.pageFrom(0n, Number.MAX_SAFE_INTEGER, wanted, signal);
  }

  private pageFrom(from: Position, count: number, wanted: PageRequest, signal: AbortSignal | undefined): Promise<Page> {
    const request: ReadRequest = { of: 'all', from, streamNames: serverFilter(wanted.categories), count };
    return this.reader.read(request, () => this.pageCollector(wanted, count), { signal, searching: true });
  }

  private pageCollector(
    { after, categories, limit, maxBytes = this.reader.limits.pageBytes }: PageRequest,
    count: number,
  ): Collector<Page> {
    const events: StoredEvent[] = [];
    const filter = parseFilter(categories);
    let [bytes, seen, reached, full] = [0, 0, after, false];
    return {
      take: (wire) => {
        seen += 1;
        const { position } = wire;
        if (position <= after) return true;
        if (isWanted(wire, filter, this.foreign)) {
          full = events.length === limit || bytes >= maxBytes;
          if (full) return false;
          const event = decode(wire);
          events.push(event);
          bytes += event.bytes;
        }
        reached = position;
        return true;
      },
      result: () => ({ events, reached, complete: !full && seen < count }),
    };
  }
}
