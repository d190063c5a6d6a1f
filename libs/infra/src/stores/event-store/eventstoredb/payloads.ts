import { createHash } from 'node:crypto';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { categoryOf, type Json, type RecordedEvent } from '#domain/shared/events.js';
import { isJsonObject } from '#domain/shared/marks.js';
import type { ExactAppends } from './exact-appends.js';
import type { ReadRequest } from './log-client.js';
import type { OwnStreams } from './messages/foreign-events.js';
import { PAYLOAD_MEMBER, PAYLOAD_PREFIX, type PayloadPlace, type PayloadReference, parsed, type StoredEvent } from './messages/records.js';
import { bytes, type EncodedEvent } from './messages/requests.js';
import type { Reader } from './reader.js';
import type { StreamMetadata } from './stream-metadata.js';

/** Placeholder for data stored elsewhere. */
const NULL_DATA = bytes('null');
const EMPTY_METADATA = bytes('{}');

/** A UUID (version 8, RFC 9562: its bits are application-defined) that is the same for every attempt. */
export const derivedId = (name: string): string => {
  const hash = createHash('sha256').update(name).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};

const CONCURRENT_PAYLOADS = 32;

/** A message that is read alone costs a read of a part, so parts are smaller than an append. */
const PARTS_PER_APPEND = 10;

/**
 * Parts outlive their event by a day: reads of the whole log still show an expired event until the server is scavenged, and readers of the
 * log (the chain) must find its data.
 */
const PARTS_OUTLIVE_SECONDS = 86_400;

/** Converts items concurrently, a limited number at a time. Results are in the order of `items`. */
const someAtATime = async <Item, Result>(items: readonly Item[], convert: (item: Item) => Promise<Result>): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += CONCURRENT_PAYLOADS) {
    results.push(...(await Promise.all(items.slice(start, start + CONCURRENT_PAYLOADS).map(convert))));
  }
  return results;
};

/** Parts of one stream by revision; lost ones are missing. */
type Parts = ReadonlyMap<number, Buffer>;

/** Reads data that were too large for one append from the streams that hold their parts. */
export class Payloads {
  constructor(readonly reader: Pick<Reader, 'all'>) {}

  /**
   * Returns the events with their data. An event whose parts have expired as intended is left out, as its stream leaves it out. An event
   * whose parts are missing or are no data is unreadable: parts are written before the event, so waiting would not help.
   * @throws EventStoreUnavailable parts cannot be read now
   */
  async restore(stored: readonly StoredEvent[]): Promise<readonly RecordedEvent[]> {
    return (await this.restored(stored)).map(({ event }) => event);
  }

  /** Like `restore`, with the sizes of the data. */
  async restored(stored: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    const wanted = new Map<string, { first: number; end: number }>();
    for (const { payload } of stored) {
      if (!payload) continue;
      const { stream, first, parts } = payload;
      const known = wanted.get(stream) ?? { first, end: 0 };
      wanted.set(stream, { first: Math.min(first, known.first), end: Math.max(first + parts, known.end) });
    }
    if (wanted.size === 0) return stored;
    const parts = new Map(
      await someAtATime([...wanted], async ([stream, { first, end }]) => [stream, await this.parts(stream, first, end - first)]),
    );
    return stored.flatMap((each) => (each.payload ? withData(each, each.payload, parts.get(each.payload.stream)) : each));
  }

  private async parts(stream: string, first: number, count: number): Promise<Parts> {
    const request: ReadRequest = { of: 'stream', stream, from: BigInt(first), direction: 'forwards', count };
    return new Map(await this.reader.all(request, ({ revision, data }) => [Number(revision), Buffer.from(data)]));
  }
}

const withData = (stored: StoredEvent, place: PayloadPlace, parts: Parts | undefined): StoredEvent | readonly [] => {
  const data = parts && dataIn(parts, place);
  if (isJsonObject(data)) return { ...stored, event: { ...stored.event, data } };
  return place.mayExpire || !stored.lost ? [] : { ...stored, event: stored.lost };
};

const dataIn = (parts: Parts, { first, parts: count, offset, bytes: size }: PayloadPlace): Json | undefined => {
  const held: Buffer[] = [];
  for (let at = first; at < first + count; at++) {
    const part = parts.get(at);
    if (!part) return undefined;
    held.push(part);
  }
  // Most data lie in one part, which is not copied for each of them.
  const [only] = held;
  const joined = only && held.length === 1 ? only : Buffer.concat(held);
  return parsed(joined.subarray(offset, offset + size));
};

/** Upper bound of the bytes that replace data stored elsewhere, in data and metadata. */
const REFERENCE_BYTES = 130;

/** Bytes of an event as servers count them. @param all as since 24.10.4: metadata and type, too */
const sizeOf = ({ type, data, metadata }: EncodedEvent, all: boolean): number =>
  data.byteLength + (all ? metadata.byteLength + 2 * type.length : 0);

const referring = (event: EncodedEvent, payload: PayloadReference): EncodedEvent => {
  const metadata = JSON.parse(event.metadata.toString('utf8'));
  return { ...event, data: NULL_DATA, metadata: bytes(JSON.stringify({ ...metadata, [PAYLOAD_MEMBER]: payload })) };
};

/** Writes the largest data of an append to a stream of their own, until the rest fits into one append. */
export class PayloadWriter {
  private readonly partBytes: number;

  constructor(
    readonly appends: Pick<ExactAppends, 'append'>,
    readonly metadata: Pick<StreamMetadata, 'change'>,
    readonly appendBytes: number,
    readonly longestAges: NonNullable<OwnStreams['longestAges']> = {},
  ) {
    this.partBytes = Math.floor(appendBytes / PARTS_PER_APPEND);
  }

  /**
   * Returns the events in a form that can be appended to `stream`; unchanged if they fit, and if all data in a stream of their own would not help.
   * Parts are written before the event that refers to them, and remain if the append is refused. They get the longest age of their category
   * plus a day, because the age of the stream may be raised later. Writing them again changes nothing.
   * @param all the server counts metadata and types, too
   * @throws EventStoreUnavailable the parts cannot be written, so nothing of the append was
   */
  async fit(stream: string, events: readonly EncodedEvent[], all = false): Promise<readonly EncodedEvent[]> {
    let size = events.reduce((sum, event) => sum + sizeOf(event, all), 0);
    const tooMuch = new Set<EncodedEvent>();
    for (const event of [...events].sort((one, other) => other.data.byteLength - one.data.byteLength)) {
      if (size <= this.appendBytes || event.data.byteLength <= REFERENCE_BYTES) break;
      tooMuch.add(event);
      size -= event.data.byteLength - (all ? REFERENCE_BYTES : NULL_DATA.byteLength);
    }
    if (tooMuch.size === 0 || size > this.appendBytes) return events;
    const moved = await this.moveOut(
      stream,
      events.filter((event) => tooMuch.has(event)),
    );
    return events.map((event) => moved.get(event) ?? event);
  }

  /** Writes the data of the events, one after the other. Returns for each event one that refers to them. */
  private async moveOut(of: string, events: readonly EncodedEvent[]): Promise<ReadonlyMap<EncodedEvent, EncodedEvent>> {
    const hash = createHash('sha256').update(of);
    for (const { id, data } of events) hash.update(id).update(data);
    const digest = hash.digest('hex').slice(0, 24);
    const maxAge = this.longestAges[categoryOf(of)];
    await this.writeParts(`${PAYLOAD_PREFIX}${digest}`, Buffer.concat(events.map(({ data }) => data)), maxAge);
    let start = 0;
    return new Map(
      events.map((event) => {
        const size = event.data.byteLength;
        const first = Math.floor(start / this.partBytes);
        const parts = Math.ceil((start + size) / this.partBytes) - first;
        const payload = { digest, first, offset: start % this.partBytes, parts, bytes: size, mayExpire: maxAge !== undefined };
        start += size;
        return [event, referring(event, payload)];
      }),
    );
  }

  private async writeParts(stream: string, data: Buffer, maxAge: number | undefined): Promise<void> {
    try {
      if (maxAge !== undefined) await this.metadata.change(stream, (known) => ({ ...known, $maxAge: maxAge + PARTS_OUTLIVE_SECONDS }));
      for (let first = 0; first * this.partBytes < data.byteLength; first += PARTS_PER_APPEND) {
        const parts = Array.from({ length: PARTS_PER_APPEND }, (_, index) => this.part(stream, data, first + index));
        await this.appends.append(
          stream,
          parts.filter(({ data }) => data.byteLength > 0),
          first === 0 ? 'no-stream' : BigInt(first - 1),
        );
      }
    } catch (error) {
      throw new EventStoreUnavailable(`a large payload for stream ${stream} cannot be written`, { cause: error });
    }
  }

  private part(stream: string, data: Buffer, part: number): EncodedEvent {
    return {
      id: derivedId(`${stream}/${part}`),
      type: 'PayloadPart',
      data: data.subarray(part * this.partBytes, (part + 1) * this.partBytes),
      metadata: EMPTY_METADATA,
      contentType: 'application/octet-stream',
    };
  }
}
