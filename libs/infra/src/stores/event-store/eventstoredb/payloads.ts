import { createHash, randomUUID } from 'node:crypto';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { isJsonObject } from '#domain/shared/marks.js';
import type { ExactAppends } from './appends/exact-appends.js';
import type { ReadRequest } from './log-client.js';
import { PAYLOAD_MEMBER, type PayloadPlace, type PayloadReference, parsed, payloadStream, type StoredEvent } from './messages/records.js';
import { bytes, type EncodedEvent } from './messages/requests.js';
import type { Reader } from './reader.js';
import { metadataOf } from './stream-metadata.js';

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

/** Converts items concurrently, a limited number at a time. Results are in the order of `items`. */
const someAtATime = async <Item, Result>(items: readonly Item[], convert: (item: Item) => Promise<Result>): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += CONCURRENT_PAYLOADS) {
    results.push(...(await Promise.all(items.slice(start, start + CONCURRENT_PAYLOADS).map(convert))));
  }
  return results;
};

/** Consecutive parts of one stream. */
type Range = { readonly stream: string; readonly first: number; count: number };

const nameOf = (stream: string, revision: number): string => `${revision}@${stream}`;

/** Reads data that were too large for one append from the streams that hold their parts. */
export class Payloads {
  constructor(readonly reader: Pick<Reader, 'all'>) {}

  /**
   * Returns the events with their data. An event whose parts have expired is left out, as its stream leaves it out. An event whose parts
   * are missing otherwise or are no data is unreadable: parts are written before the event, so waiting would not help.
   * @throws EventStoreUnavailable parts cannot be read now
   */
  async restore(stored: readonly StoredEvent[]): Promise<readonly RecordedEvent[]> {
    return (await this.restored(stored)).map(({ event }) => event);
  }

  /** Like `restore`, with the sizes of the data. */
  async restored(stored: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    const places = stored.flatMap(({ payload }) => payload ?? []);
    if (places.length === 0) return stored;
    const parts = new Map((await someAtATime(rangesOf(places), (range) => this.parts(range))).flat());
    const found = stored.map((each) => (each.payload ? withData(each, each.payload, parts) : each));
    const incomplete = new Set(stored.flatMap(({ payload }, index) => (payload && !found[index] ? payload.stream : [])));
    const ages = new Map(
      await someAtATime([...incomplete], async (stream) => [stream, (await metadataOf(this.reader, stream)).value.$maxAge]),
    );
    return stored.flatMap((each, index) => {
      if (found[index] || !each.payload || !each.lost) return found[index] ?? each;
      return ages.get(each.payload.stream) === undefined ? { ...each, event: each.lost } : [];
    });
  }

  /** Backwards, because the server would go on behind parts that have expired. */
  private parts({ stream, first, count }: Range): Promise<readonly (readonly [string, Buffer])[]> {
    const request: ReadRequest = { of: 'stream', stream, from: BigInt(first + count - 1), direction: 'backwards', count };
    return this.reader.all(request, ({ revision, data }) => [nameOf(stream, Number(revision)), Buffer.from(data)]);
  }
}

/** The ranges of all parts, each part once. */
const rangesOf = (places: readonly PayloadPlace[]): readonly Range[] => {
  const wanted = places.flatMap(({ stream, revisions }) => revisions.map((revision) => ({ stream, revision })));
  wanted.sort((one, other) => (one.stream === other.stream ? one.revision - other.revision : one.stream < other.stream ? -1 : 1));
  const ranges: Range[] = [];
  for (const { stream, revision } of wanted) {
    const last = ranges.at(-1);
    if (last?.stream === stream && revision <= last.first + last.count) last.count = revision - last.first + 1;
    else ranges.push({ stream, first: revision, count: 1 });
  }
  return ranges;
};

type Parts = ReadonlyMap<string, Buffer>;

const withData = (stored: StoredEvent, { stream, revisions, offset, bytes: size }: PayloadPlace, parts: Parts): StoredEvent | undefined => {
  const held = revisions.flatMap((revision) => parts.get(nameOf(stream, revision)) ?? []);
  if (held.length < revisions.length) return undefined;
  // Most data lie in one part, which is not copied for each of them.
  const [only] = held;
  const joined = only && held.length === 1 ? only : Buffer.concat(held);
  const data = parsed(joined.subarray(offset, offset + size));
  return isJsonObject(data) ? { ...stored, event: { ...stored.event, data } } : undefined;
};

/** Bytes that replace data stored elsewhere, in data and metadata; some more for data of many parts. */
const REFERENCE_BYTES = 110;

/** Bytes of an event as servers count them. @param all as since 24.10.4: metadata and type, too */
const sizeOf = ({ type, data, metadata }: EncodedEvent, all: boolean): number =>
  data.byteLength + (all ? metadata.byteLength + 2 * type.length : 0);

const referring = (event: EncodedEvent, payload: PayloadReference): EncodedEvent => {
  const metadata = JSON.parse(event.metadata.toString('utf8'));
  return { ...event, data: NULL_DATA, metadata: bytes(JSON.stringify({ ...metadata, [PAYLOAD_MEMBER]: payload })) };
};

/** Writes the largest data of an append to the payload stream beside its stream, until the rest fits into one append. */
export class PayloadWriter {
  private readonly partBytes: number;

  constructor(
    readonly appends: Pick<ExactAppends, 'append'>,
    readonly appendBytes: number,
  ) {
    this.partBytes = Math.floor(appendBytes / PARTS_PER_APPEND);
  }

  /**
   * Returns the events in a form that can be appended to `stream`; unchanged if they fit, and if all data elsewhere would not help. Parts are
   * written before the event that refers to them. If the append is refused or repeated, they remain until they expire.
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
    const large = events.filter((event) => tooMuch.has(event));
    const moved = await this.moveOut(stream, large);
    return events.map((event) => moved.get(event) ?? event);
  }

  /** Writes the data of the events, one after the other. Returns for each event one that refers to them. */
  private async moveOut(of: string, events: readonly EncodedEvent[]): Promise<ReadonlyMap<EncodedEvent, EncodedEvent>> {
    const all = await this.write(payloadStream(of), Buffer.concat(events.map(({ data }) => data)));
    let start = 0;
    return new Map(
      events.map((event) => {
        const size = event.data.byteLength;
        const revisions = all.slice(Math.floor(start / this.partBytes), Math.ceil((start + size) / this.partBytes));
        const payload = { revisions, offset: start % this.partBytes, parts: revisions.length, bytes: size };
        start += size;
        return [event, referring(event, payload)];
      }),
    );
  }

  /** Returns the revisions of the parts; parts of other appends may lie between them. */
  private async write(stream: string, data: Buffer): Promise<readonly number[]> {
    const count = Math.ceil(data.byteLength / this.partBytes);
    const parts = Array.from({ length: count }, (_, n) => partOf(data.subarray(n * this.partBytes, (n + 1) * this.partBytes)));
    const revisions: number[] = [];
    try {
      while (revisions.length < count) {
        const sent = parts.slice(revisions.length, revisions.length + PARTS_PER_APPEND);
        const { revision } = await this.appends.append(stream, sent, 'any');
        revisions.push(...sent.map((_, index) => Number(revision) - sent.length + 1 + index));
      }
    } catch (error) {
      throw new EventStoreUnavailable(`a large payload for stream ${stream} cannot be written`, { cause: error });
    }
    return revisions;
  }
}

const partOf = (data: Buffer): EncodedEvent => ({
  id: randomUUID(),
  type: 'PayloadPart',
  data,
  metadata: EMPTY_METADATA,
  contentType: 'application/octet-stream',
});
