import { createHash } from 'node:crypto';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { isJsonObject } from '#domain/shared/marks.js';
import { PAYLOAD_PREFIX } from './categories.js';
import type { ExactAppends } from './exact-appends.js';
import type { ReadRequest } from './log-client.js';
import type { OwnStreams } from './messages/foreign-events.js';
import { PAYLOAD_MEMBER, type PayloadReference, parsed, type StoredEvent } from './messages/records.js';
import { bytes, type EncodedEvent } from './messages/requests.js';
import type { Reader } from './reader.js';
import type { StreamMetadata } from './stream-metadata.js';

/** Placeholder for data stored elsewhere. */
const NULL_DATA = bytes('null');
const EMPTY_METADATA = bytes('{}');

const payloadStream = (eventId: string, { digest }: PayloadReference): string => `${PAYLOAD_PREFIX}${eventId}.${digest}`;

/** A UUID (version 8, RFC 9562: its bits are application-defined) that is the same for every attempt. */
export const derivedId = (name: string): string => {
  const hash = createHash('sha256').update(name).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};

const CONCURRENT_PAYLOADS = 32;

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

/** Reads data that were too large for one append from the stream that holds their parts. */
export class Payloads {
  constructor(readonly reader: Reader) {}

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
    if (!stored.some(({ payload }) => payload)) return stored;
    const restored = await someAtATime(stored, async (each) => (each.payload ? this.withData(each, each.payload) : each));
    return restored.filter((event) => event !== undefined);
  }

  private async withData(stored: StoredEvent, payload: PayloadReference): Promise<StoredEvent | undefined> {
    const { event, lost } = stored;
    const stream = payloadStream(event.id, payload);
    const request: ReadRequest = { of: 'stream', stream, from: 0n, direction: 'forwards', count: payload.parts };
    const parts = await this.reader.all(request, ({ data }) => Buffer.from(data));
    const data = parts.length === payload.parts ? parsed(Buffer.concat(parts)) : undefined;
    if (isJsonObject(data)) return { ...stored, event: { ...event, data } };
    return payload.expires || !lost ? undefined : { ...stored, event: lost };
  }
}

/** Upper bound of the bytes that replace data stored elsewhere, in data and metadata. */
const REFERENCE_BYTES = 100;

/** Bytes of an event as servers count them. @param all as since 24.10.4: metadata and type, too */
const sizeOf = ({ type, data, metadata }: EncodedEvent, all: boolean): number =>
  data.byteLength + (all ? metadata.byteLength + 2 * type.length : 0);

/** Writes the largest data of an append to streams of their own, until the rest fits into one append. */
export class PayloadWriter {
  constructor(
    readonly appends: Pick<ExactAppends, 'append'>,
    readonly metadata: Pick<StreamMetadata, 'change'>,
    readonly appendBytes: number,
    readonly longestAges: NonNullable<OwnStreams['longestAges']> = {},
  ) {}

  /**
   * Returns the events in a form that can be appended to `stream`; unchanged if they fit, and if all data in streams of their own would not help.
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
    const maxAge = this.longestAges[categoryOf(stream)];
    return someAtATime(events, async (event) => (tooMuch.has(event) ? this.moveOut(event, maxAge) : event));
  }

  private async moveOut(event: EncodedEvent, maxAge: number | undefined): Promise<EncodedEvent> {
    const size = event.data.byteLength;
    const payload: PayloadReference = {
      parts: Math.ceil(size / this.appendBytes),
      bytes: size,
      digest: createHash('sha256').update(event.data).digest('hex').slice(0, 16),
      expires: maxAge !== undefined,
    };
    const stream = payloadStream(event.id, payload);
    try {
      if (maxAge !== undefined) await this.metadata.change(stream, (known) => ({ ...known, $maxAge: maxAge + PARTS_OUTLIVE_SECONDS }));
      for (let part = 0; part < payload.parts; part++) await this.writePart(stream, event.data, part);
    } catch (error) {
      throw new EventStoreUnavailable(`a large payload for stream ${stream} cannot be written`, { cause: error });
    }
    const metadata = JSON.parse(event.metadata.toString('utf8'));
    return { ...event, data: NULL_DATA, metadata: bytes(JSON.stringify({ ...metadata, [PAYLOAD_MEMBER]: payload })) };
  }

  private async writePart(stream: string, data: Buffer, part: number): Promise<void> {
    const event: EncodedEvent = {
      id: derivedId(`${stream}/${part}`),
      type: 'PayloadPart',
      data: data.subarray(part * this.appendBytes, (part + 1) * this.appendBytes),
      metadata: EMPTY_METADATA,
      contentType: 'application/octet-stream',
    };
    await this.appends.append(stream, [event], part === 0 ? 'no-stream' : BigInt(part - 1));
  }
}
