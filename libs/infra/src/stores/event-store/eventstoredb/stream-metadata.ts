import { randomUUID } from 'node:crypto';
import { EventStoreUnavailable, type Retention, WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { Revision } from '#domain/shared/events.js';
import { isJsonObject } from '#domain/shared/marks.js';
import type { ExactAppends } from './appends/exact-appends.js';
import type { ReadRequest } from './log-client.js';
import { parsed, payloadStream } from './messages/records.js';
import { bytes, type ExactExpectation } from './messages/requests.js';
import type { Reader } from './reader.js';

type Metadata = Readonly<Record<string, unknown>>;

/** Maximum repeats of a change after a concurrent one. */
const MAX_ATTEMPTS = 10;

/**
 * Parts of payloads outlive their event by a day: reads of the whole log still show an expired event until the server is scavenged, and
 * readers of the log (the chain) must find its data.
 */
const PARTS_OUTLIVE_SECONDS = 86_400;

/** The server's metadata of a stream: `$maxAge` (seconds), `$maxCount`, `$tb` (first readable revision), and members of other programs. */
export class StreamMetadata {
  constructor(
    readonly reader: Reader,
    readonly appends: ExactAppends,
  ) {}

  /**
   * Replaces the metadata with the result of `edit`. Concurrent changes of other writers are kept. The stream need not exist.
   * @throws EventStoreUnavailable it is unknown whether the change was made; repeating it is safe
   */
  async change(stream: string, edit: (known: Metadata) => Metadata): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { value, revision } = await metadataOf(this.reader, stream);
      const before = JSON.stringify(value);
      const after = JSON.stringify(edit(value));
      if (after === before) return;
      try {
        await this.appends.append(`$$${stream}`, [metadataEvent(after)], revision);
        return;
      } catch (error) {
        if (error instanceof WrongExpectedRevision && attempt < MAX_ATTEMPTS) continue;
        throw error instanceof EventStoreUnavailable ? error : new EventStoreUnavailable('stream metadata unchanged', { cause: error });
      }
    }
  }

  async truncate(stream: string, before: Revision): Promise<void> {
    const first = Number(before);
    await this.change(stream, (known) => (typeof known.$tb === 'number' && known.$tb >= first ? known : { ...known, $tb: first }));
  }

  /** The age of the stream's payloads follows: it is raised before that of the stream, and lowered after it. */
  async setRetention(stream: string, { maxAgeSeconds, maxCount }: Retention): Promise<void> {
    const payloads = payloadStream(stream);
    const ofParts = typeof maxAgeSeconds === 'number' ? maxAgeSeconds + PARTS_OUTLIVE_SECONDS : maxAgeSeconds;
    const followed = (known: Metadata) => withLimit(known, '$maxAge', ofParts);
    if (ofParts !== undefined)
      await this.change(payloads, (known) => (Number(known.$maxAge) < (ofParts ?? Number.POSITIVE_INFINITY) ? followed(known) : known));
    await this.change(stream, (known) => withLimit(withLimit(known, '$maxAge', maxAgeSeconds), '$maxCount', maxCount));
    if (ofParts !== undefined) await this.change(payloads, followed);
  }
}

type StoredMetadata = Readonly<{ value: Metadata; revision: ExactExpectation }>;

/** Reads the metadata stream like any other stream, because the client reports a position instead of this revision. */
export const metadataOf = async (reader: Pick<Reader, 'all'>, stream: string): Promise<StoredMetadata> => {
  const request: ReadRequest = { of: 'stream', stream: `$$${stream}`, from: undefined, direction: 'backwards', count: 1 };
  const [newest] = await reader.all(request, ({ data, revision }) => ({ value: objectIn(data), revision }));
  return newest ?? { value: {}, revision: 'no-stream' };
};

/** Returns no members for metadata that are not a JSON object: the server ignores them, too. */
export const objectIn = (bytes: Buffer): Metadata => {
  const value = parsed(bytes);
  return isJsonObject(value) ? value : {};
};

/** `undefined` leaves the limit unchanged, `null` removes it. */
const withLimit = (known: Metadata, name: string, limit: number | null | undefined): Metadata => {
  if (limit === undefined) return known;
  const { [name]: _, ...others } = known;
  return limit === null ? others : { ...others, [name]: limit };
};

const metadataEvent = (json: string) => ({
  id: randomUUID(),
  type: '$metadata',
  data: bytes(json),
  metadata: bytes('{}'),
  contentType: 'application/json' as const,
});
