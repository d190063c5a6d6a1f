import { keyPart } from './key-part.js';

/** What an event tells as it stands in the log, whatever the version of its data; sealed members tell nothing. */
export type StoredFact = Readonly<{ stream: string; type: string; data: object }>;

/** How the partition of a document is found. Range reads of a collection stay in one partition only where the first part of the key names it. */
export type Owner =
  /** The key, up to its first slash, is the id: the partition is `<kind>:<id>`. */
  | Readonly<{ by: 'first-part'; kind: string }>
  | Readonly<{ by: 'key'; partition: (key: string) => string | undefined }>
  /** `document` is what the text of the document says as JSON. */
  | Readonly<{ by: 'document'; partition: (document: unknown) => string | undefined }>
  /** All documents belong to the same partition. */
  | Readonly<{ by: 'collection'; partition: string }>
  /** Documents that several partitions contribute to, so that the order of contributions of different partitions makes no difference. */
  | Readonly<{ by: 'shared' }>;

/**
 * How the events and documents of a projection fall into parts that have nothing to do with each other (docs/decisions/0018), so that one that cannot be
 * kept up to date does not hold up the rest. What must hold:
 * - `apply` reads and writes documents of the event's own partitions only, except shared ones, and `contested` ones, which it may write but never reads;
 * - `delete-prefix` stays within the event's partitions, except in contested collections.
 */
export type Partitioning = Readonly<{
  /**
   * The partitions that an event touches. Of an event that several partitions touch the fates of these are one from then on.
   * Must not throw, whatever the data, and give the same for every version of them.
   */
  ofEvent(event: StoredFact): readonly string[];
  /** By collection. Documents of other collections are found by way of these only. */
  owners: Readonly<Record<string, Owner>>;
  /** Collections in which one key may belong to several partitions, one after the other: names and credentials that pass from hand to hand. */
  contested?: readonly string[];
}>;

/** The name of a partition: bounded, and without slashes. Nothing for what is no id. */
export const partitionOf = (kind: string, id: unknown): string | undefined =>
  typeof id === 'string' && id !== '' ? `${kind}:${keyPart(id)}` : undefined;

/** A member of a value of unknown shape. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** The partition of the first of these kinds for which the data have an id under the name given for it. */
export const byMember = ({ data }: StoredFact, kinds: Readonly<Record<string, string>>): readonly string[] => {
  for (const [name, kind] of Object.entries(kinds)) {
    const partition = partitionOf(kind, memberOf(data, name));
    if (partition !== undefined) return [partition];
  }
  return [];
};

const STREAM = 'stream';

/** Of an event that does not tell its partition, what stands in the same stream and does not tell either is one: it owns no documents. */
export const orStream =
  (ofEvent: Partitioning['ofEvent']): Partitioning['ofEvent'] =>
  (event) => {
    const partitions = ofEvent(event);
    return partitions.length > 0 ? partitions : [`${STREAM}:${keyPart(event.stream)}`];
  };

export const firstPart = (kind: string): Owner => ({ by: 'first-part', kind });

/** For documents that name their owner in a member. */
export const inMember = (kind: string, name: string): Owner => ({
  by: 'document',
  partition: (document) => partitionOf(kind, memberOf(document, name)),
});

export const SHARED: Owner = { by: 'shared' };
