import { type KeyUse, REMEMBERED_MS } from '#infra/engine/stream-processor/used-keys.js';
import type { Change, ReadStore } from '#projections/shared/read-store.js';
import { countOf, fingerprintOf, isWhole, type KeyedUse, type KeySegment, placeOf, segmentOf, useOf } from './key-segments.js';
import { documentId, rangeOf, SNAPSHOTS, type SnapshotPlace } from './snapshot-documents.js';

/** Id → head, then the sorted keys of each segment. */
const KEYS = 'keys';
/** Id → uses of the keys, in the same segments. */
const USES = 'uses';
const FORMAT = 1;
/** Number of keys up to which a segment accepts more. */
const FULL = 8_192;

/** `newest`: time of its newest use, in milliseconds since 1970-01-01 UTC. */
type HeldSegment = Readonly<{ number: number; count: number; newest: number }>;
type Head = Readonly<{ format: number; stream: string; revision: string; position: string; id: string; segments: readonly HeldSegment[] }>;

/** The keys of a stream up to a place, oldest segment first. */
export type StoredKeys = Readonly<{ place: SnapshotPlace; segments: readonly (HeldSegment & Readonly<{ keys: Buffer }>)[] }>;

const idOf = (stream: string): string => documentId(stream, 'idempotency keys');
const nameOf = (id: string, number: number): string => `${id}/${String(number).padStart(10, '0')}`;

/** Packed idempotency keys of long streams. Keys and bodies are hashes under a key of the installation, see `CredentialHashes`. */
export class KeyDocuments {
  constructor(private readonly store: ReadStore) {}

  /** `undefined` if none are stored, or they are incomplete. @throws ReadStoreUnavailable */
  async find(stream: string): Promise<StoredKeys | undefined> {
    const id = idOf(stream);
    const [first, ...found] = await this.store.view(SNAPSHOTS).range(KEYS, rangeOf(id));
    if (!first) return undefined;
    const head = headIn(first.value);
    if (head?.format !== FORMAT || head.stream !== stream) return undefined;
    const byName = new Map(found.map(({ key, value }) => [key, Buffer.from(value.toString('latin1'), 'base64url')]));
    const segments = head.segments.flatMap((segment) => {
      const keys = byName.get(nameOf(id, segment.number));
      return keys && countOf(keys) === segment.count ? [{ ...segment, keys }] : [];
    });
    if (segments.length < head.segments.length) return undefined;
    return { place: { revision: BigInt(head.revision), position: BigInt(head.position), id: head.id }, segments };
  }

  /** Known use of a key; `undefined` if its segment has been replaced. @throws ReadStoreUnavailable */
  async use(stream: string, number: number, key: string): Promise<KeyUse | undefined> {
    const segment = await this.segment(idOf(stream), number);
    const place = segment ? placeOf(segment.keys, fingerprintOf(key)) : -1;
    return segment && place >= 0 ? useOf(segment, place) : undefined;
  }

  /**
   * Changes that add uses to the stored ones, and remove expired segments. The uses must include all after `stored`.
   * @returns also the state stored then
   */
  async changes(
    stream: string,
    stored: StoredKeys | undefined,
    place: SnapshotPlace,
    uses: readonly KeyedUse[],
    now: number,
  ): Promise<Readonly<{ changes: readonly Change[]; after: StoredKeys }>> {
    const id = idOf(stream);
    const all = stored?.segments ?? [];
    const kept = all.filter(({ newest }) => now - newest <= REMEMBERED_MS);
    const over = all.filter((segment) => !kept.includes(segment)).flatMap(({ number }) => removal(nameOf(id, number)));
    const cleared = stored ? over : clearing(id);
    const added = uses.length > 0 ? await this.added(id, all, kept.at(-1), uses) : undefined;
    const segments = added ? [...kept.filter(({ number }) => number !== added.segment.number), added.segment] : kept;
    const listed = segments.map(({ number, count, newest }) => ({ number, count, newest }));
    const head: Head = {
      format: FORMAT,
      stream,
      revision: `${place.revision}`,
      position: `${place.position}`,
      id: place.id,
      segments: listed,
    };
    return { changes: [...cleared, ...(added?.changes ?? []), put(KEYS, `${id}/`, JSON.stringify(head))], after: { place, segments } };
  }

  /** Changes that remove the keys of a stream. @throws ReadStoreUnavailable */
  async removal(stream: string): Promise<readonly Change[]> {
    const id = idOf(stream);
    return (await this.store.view(SNAPSHOTS).get(KEYS, `${id}/`)) ? clearing(id) : [];
  }

  /** Yields for each stream the changes that remove its keys if none was used in the last 48 hours. @throws ReadStoreUnavailable */
  async *expired(now: number): AsyncGenerator<readonly Change[]> {
    for (let rest: Readonly<{ gte?: string }> = {}; ; ) {
      const [first] = await this.store.view(SNAPSHOTS).range(KEYS, { ...rest, limit: 1 });
      if (!first) return;
      const [id = ''] = first.key.split('/');
      const segments = headIn(first.value)?.segments ?? [];
      yield segments.length > 0 && segments.every(({ newest }) => now - newest > REMEMBERED_MS) ? clearing(id) : [];
      rest = { gte: rangeOf(id).lt };
    }
  }

  /** The last segment with more uses, or a new one. */
  private async added(id: string, all: StoredKeys['segments'], last: HeldSegment | undefined, uses: readonly KeyedUse[]) {
    const growing = last && last.count < FULL ? await this.segment(id, last.number) : undefined;
    const before = growing && last;
    const { keys, uses: packed } = await segmentOf(uses, growing);
    const number = before?.number ?? (all.at(-1)?.number ?? -1) + 1;
    const newest = uses.reduce((latest, [, { time }]) => Math.max(latest, time), before?.newest ?? 0);
    const name = nameOf(id, number);
    return {
      segment: { number, count: countOf(keys), newest, keys },
      changes: [put(KEYS, name, keys.toString('base64url')), put(USES, name, packed.toString('base64url'))],
    };
  }

  private async segment(id: string, number: number): Promise<KeySegment | undefined> {
    const view = this.store.view(SNAPSHOTS);
    const [keys, uses] = await Promise.all([view.get(KEYS, nameOf(id, number)), view.get(USES, nameOf(id, number))]);
    const bytes = (value: Buffer): Buffer => Buffer.from(value.toString('latin1'), 'base64url');
    const segment = keys && uses && { keys: bytes(keys), uses: bytes(uses) };
    return segment && isWhole(segment) ? segment : undefined; // another process may write it between the two reads
  }
}

const put = (collection: string, key: string, value: string): Change => ({ kind: 'put', collection, key, value });

const clearing = (id: string): readonly Change[] =>
  [KEYS, USES].map((collection): Change => ({ kind: 'delete-prefix', collection, prefix: `${id}/` }));

const removal = (name: string): readonly Change[] => [
  { kind: 'delete', collection: KEYS, key: name },
  { kind: 'delete', collection: USES, key: name },
];

const headIn = (value: Buffer): Head | undefined => {
  try {
    return JSON.parse(value.toString()) as Head;
  } catch {
    return undefined;
  }
};
