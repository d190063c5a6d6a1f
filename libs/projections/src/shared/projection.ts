import type { JsonObject, RecordedEvent, ServiceName } from '#domain/shared/events.js';
import type { Mark, Marks } from '#domain/shared/marks.js';
import type { Partitioning } from './partitions.js';

/** Where a document lives. */
export type DocumentKey = Readonly<{ collection: string; key: string }>;

/** What an event does to the read model; values are plain JSON, turned into bytes by the collection's codec when the batch is committed. */
export type DocumentChange =
  | Readonly<{ kind: 'put'; collection: string; key: string; value: unknown }>
  | Readonly<{ kind: 'delete'; collection: string; key: string }>
  | Readonly<{ kind: 'delete-prefix'; collection: string; prefix: string }>;

/** Between a document and its stored text. Default for every collection: JSON. */
export type DocumentCodec = Readonly<{ encode(document: unknown): string; decode(text: string): unknown }>;

/** The recorded event with its data in the current shape, secrets readable (or `null` where their key was destroyed). */
export type ProjectedEvent<Data = JsonObject> = Omit<RecordedEvent, 'data'> & Readonly<{ data: Data }>;

/** Where a sealed value stands: the key of its document, the document, and the object in it that has the value as a member. */
type SealedPlace = Readonly<{ key: string; document: JsonObject; holder: JsonObject }>;

/** A member of a document that is a secret or personal. */
export type SealedMember = Readonly<{
  /** `email`, `info.email` or `users[].email`: members of objects, and of the items of lists. */
  path: string;
  /** Whose key seals it. */
  subject: (place: SealedPlace) => string;
  /** The JSON that readers find once that key is gone. Default: an empty text. */
  erased?: string;
  /** How auditors are shown it. Default: as it is. */
  mark?: Mark;
  /** The JSON that auditors find once the key is gone. Default: the text `[erased]`. */
  erasedMark?: string;
}>;

/**
 * What of the documents of a collection the store must not hold in the open; empty values are left as they are. The text of a document must be
 * JSON, or the items of a list as they stand between its brackets: then paths are those in an item, and `document` is the item.
 */
export type Sealing = readonly SealedMember[];

/**
 * Reads a document as earlier events of the log left it, `undefined` where there is none; only those that `reads` named.
 * Never change what it returns: put a new value.
 */
export type ReadDocument = (collection: string, key: string) => unknown;

/**
 * Folds events into documents. Pure: no clock, no lookup but the documents it named; a replay next year gives the same documents.
 */
export type Projection = Readonly<{
  /** Stable: names the checkpoint and the documents, for example `status.profiles`. */
  name: string;
  /** Raised by hand when `apply` or the documents change: the new version builds beside the old one, then takes over. */
  version: number;
  /**
   * The oldest version whose documents today's queries can read. Documents of older ones are not shown while this version is built; newer ones are, so
   * that readers notice nothing. Nodes of an earlier release must not run beside: they would misread the new documents. Default 1.
   */
  readsFrom?: number;
  service: ServiceName;
  /** Stream categories it reads. */
  categories: readonly string[];
  /** Event types it handles; other types of these categories are known and left alone. */
  handles: ReadonlySet<string>;
  /** Collections whose documents are stored in another form than compact JSON. */
  codecs?: Readonly<Record<string, DocumentCodec>>;
  /** What is stored sealed, by collection. Neither the projection nor readers notice: what they see is opened. */
  sealed?: Readonly<Record<string, Sealing>>;
  /** How auditors are shown members, sealed or not, by collection and path (operations contract 4). */
  marks?: Readonly<Record<string, Marks>>;
  /** Without: an event that fails stops the projection as a whole. */
  partitions?: Partitioning;
  /** The documents that `apply` will read for this event. */
  reads(event: ProjectedEvent): readonly DocumentKey[];
  apply(event: ProjectedEvent, read: ReadDocument): readonly DocumentChange[];
}>;
