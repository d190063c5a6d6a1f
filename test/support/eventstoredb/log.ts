import { randomUUID } from 'node:crypto';
import { parseMetadata, readableFrom, type StreamMetadata } from './metadata.js';
import type { ProposedEvent, StoredEvent } from './stored-event.js';

export type Expectation = bigint | 'no-stream' | 'any';

export type AppendOutcome =
  | Readonly<{ kind: 'written'; revision: bigint; position: bigint }>
  | Readonly<{ kind: 'conflict' /** Absent: the stream has no events. */; actual?: bigint }>;

type Stream = { readonly events: StoredEvent[]; metadata: StreamMetadata };

/** Bytes of a record beside stream name, type, metadata and data; makes positions grow as the real server's. */
const RECORD_OVERHEAD = 90;
const FIRST_POSITION = 548n;
/** How many ids are remembered for appends that expect `any`. */
const REMEMBERED_IDS = 100_000;
const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** The data of the server and the rules for writing them. Everything is synchronous and atomic. */
export class EventLog {
  /** All events in the order of their positions, system events included. Truncated ones stay: there is no scavenge. */
  readonly events: StoredEvent[] = [];
  private readonly streams = new Map<string, Stream>();
  private readonly remembered = new Map<string, StoredEvent>();
  private end = FIRST_POSITION;

  /** `now` gives milliseconds since 1970-01-01 UTC. */
  constructor(private readonly now: () => number) {
    this.append('$$$scavenges', [metadataEvent('{"$maxAge":2592000,"$acl":{"$r":"$ops","$w":[],"$d":[],"$mr":[],"$mw":[]}}')], 'any');
  }

  /** The same data once more, as they are now: a backup of the files of a server at rest. */
  copy(): EventLog {
    const copy = new EventLog(this.now);
    copy.events.splice(0, copy.events.length, ...this.events);
    copy.streams.clear();
    for (const [name, stream] of this.streams) copy.streams.set(name, { ...stream, events: [...stream.events] });
    copy.end = this.end;
    copy.forgetIds();
    return copy;
  }

  append(name: string, proposed: readonly ProposedEvent[], expected: Expectation): AppendOutcome {
    const stream = this.streams.get(name);
    const refusal = this.check(stream, proposed, expected);
    if (refusal !== undefined) return refusal;
    const { revision, position } = this.repeated(stream, proposed, expected) ?? this.write(name, proposed);
    return { kind: 'written', revision, position };
  }

  /** The events of a stream that reads may see: those from revision `first` on. `undefined`: there is no stream. */
  readable(name: string): Readonly<{ events: readonly StoredEvent[]; first: number }> | undefined {
    const stream = this.streams.get(name);
    if (!stream || stream.events.length === 0) return undefined;
    return { events: stream.events, first: readableFrom(stream.events, stream.metadata, this.now()) };
  }

  /** Whether a record starts at `position`, or the log ends before or at it. */
  isBoundary(position: bigint): boolean {
    if (position === 0n || position >= this.end) return true;
    return this.events[this.indexFrom(position)]?.position === position;
  }

  /** Index of the first event at or after `position`; the number of events when there is none. */
  indexFrom(position: bigint): number {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.events[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A restart: data stay, the memory that makes appends with `any` idempotent is gone. */
  forgetIds(): void {
    this.remembered.clear();
  }

  private check(stream: Stream | undefined, proposed: readonly ProposedEvent[], expected: Expectation): AppendOutcome | undefined {
    if (expected === 'any') return undefined;
    const head = stream === undefined ? -1 : stream.events.length - 1;
    const wanted = expected === 'no-stream' ? -1 : Number(expected);
    // An append that repeats an earlier one counts as met.
    if (wanted === head || (wanted < head && this.repeated(stream, proposed, expected) !== undefined)) return undefined;
    return head < 0 ? { kind: 'conflict' } : { kind: 'conflict', actual: BigInt(head) };
  }

  /** The last event of an earlier append that began with the very same ids at the place expected; ids alone are compared. */
  private repeated(stream: Stream | undefined, proposed: readonly ProposedEvent[], expected: Expectation): StoredEvent | undefined {
    const first = proposed[0];
    if (!stream || !first) return undefined;
    const start = this.repeatStart(stream, first, expected);
    if (start === undefined || !proposed.every(({ id }, index) => stream.events[start + index]?.id === id)) return undefined;
    return stream.events[start + proposed.length - 1];
  }

  private repeatStart(stream: Stream, first: ProposedEvent, expected: Expectation): number | undefined {
    if (expected === 'no-stream') return 0;
    if (typeof expected === 'bigint') return Number(expected) + 1;
    const known = this.remembered.get(first.id);
    return known !== undefined && stream.events[Number(known.revision)] === known ? Number(known.revision) : undefined;
  }

  private write(name: string, proposed: readonly ProposedEvent[]): StoredEvent {
    const stream = this.stream(name);
    for (const event of proposed) {
      const stored = this.record(name, event, BigInt(stream.events.length));
      stream.events.push(stored);
      this.remember(stored);
    }
    const last = stream.events.at(-1)!;
    if (name.startsWith('$$')) this.stream(name.slice(2)).metadata = parseMetadata(last.data);
    return last;
  }

  private record(stream: string, event: ProposedEvent, revision: bigint): StoredEvent {
    const stored: StoredEvent = { ...event, stream, revision, position: this.end, created: BigInt(this.now()) * 10_000n };
    const names = Buffer.byteLength(stream) + Buffer.byteLength(event.type);
    this.end += BigInt(RECORD_OVERHEAD + names + event.metadata.length + event.data.length);
    this.events.push(stored);
    return stored;
  }

  private remember(event: StoredEvent): void {
    this.remembered.delete(event.id);
    this.remembered.set(event.id, event);
    if (this.remembered.size <= REMEMBERED_IDS) return;
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined) this.remembered.delete(oldest);
  }

  private stream(name: string): Stream {
    const known = this.streams.get(name);
    if (known) return known;
    // Of the metadata of a stream only the newest stay readable.
    const metadata: StreamMetadata = name.startsWith('$$') ? { maxCount: 1 } : {};
    const created: Stream = { events: [], metadata };
    this.streams.set(name, created);
    return created;
  }
}

const metadataEvent = (json: string): ProposedEvent => ({
  id: randomUUID(),
  type: '$metadata',
  contentType: 'application/json',
  metadata: NOTHING,
  data: encoder.encode(json),
});
