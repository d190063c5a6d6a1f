import { keyPart } from './key-part.js';

/** An event as stored in the log, with data of any version. Sealed members are not readable. */
export type StoredFact = Readonly<{ stream: string; type: string; data: object }>;

/** Finds the partition of a document. Range reads of a collection stay within one partition only if the first part of the key names it. */
export type Owner =
  /** The partition is `<kind>:<id>`, where the id is the key up to its first slash. */
  | Readonly<{ by: 'first-part'; kind: string }>
  | Readonly<{ by: 'key'; partition: (key: string) => string | undefined }>
  /** `document`: the text of the document, parsed as JSON. */
  | Readonly<{ by: 'document'; partition: (document: unknown) => string | undefined }>
  /** All documents belong to the same partition. */
  | Readonly<{ by: 'collection'; partition: string }>
  /** Documents to which several partitions contribute, so the order of contributions by different partitions must not matter. */
  | Readonly<{ by: 'shared' }>;

/** The partitions that an event names. Without any it belongs to its stream, see {@link orStream}. */
export type PartitionsOf = (event: StoredFact) => readonly string[];

/**
 * Divides the events and documents of a projection into independent parts (docs/decisions/0018). A part that cannot be updated does not block the
 * others. Requirements:
 * - `apply` reads and writes only documents of the event's own partitions and shared documents. It may also write `contested` ones, but never reads
 * them.
 * - `delete-prefix` stays within the event's partitions, except in contested collections.
 */
export type Partitioning = Readonly<{
  /**
   * The partitions that an event touches: at least one. Several partitions of one event are linked: from then on they are set aside and resumed
   * together. Must not throw for any data, and must return the same for all versions of the data.
   */
  ofEvent(event: StoredFact): readonly [string, ...string[]];
  /** By collection. Documents of other collections are found only through these. */
  owners: Readonly<Record<string, Owner>>;
  /** Collections in which one key may belong to several partitions, one after the other: names and credentials, which can be reassigned. */
  contested?: readonly string[];
}>;

/** The name of a partition, of limited length and without slashes. `undefined` if `id` is not an id. */
export const partitionOf = (kind: string, id: unknown): string | undefined =>
  typeof id === 'string' && id !== '' ? `${kind}:${keyPart(id)}` : undefined;

/** A member of a value of unknown shape. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** The partition of the first of these kinds for which the data has an id in the given member. */
export const byMember = ({ data }: StoredFact, kinds: Readonly<Record<string, string>>): readonly string[] => {
  for (const [name, kind] of Object.entries(kinds)) {
    const partition = partitionOf(kind, memberOf(data, name));
    if (partition !== undefined) return [partition];
  }
  return [];
};

const STREAM = 'stream';

/** If an event names no partition, all such events of its stream form one, which owns no documents. */
export const orStream =
  (partitionsOf: PartitionsOf): Partitioning['ofEvent'] =>
  (event) => {
    const [first = `${STREAM}:${keyPart(event.stream)}`, ...others] = partitionsOf(event);
    return [first, ...others];
  };

export const firstPart = (kind: string): Owner => ({ by: 'first-part', kind });

/** For documents that contain the id of their owner. */
export const inMember = (kind: string, name: string): Owner => ({
  by: 'document',
  partition: (document) => partitionOf(kind, memberOf(document, name)),
});

export const SHARED: Owner = { by: 'shared' };
