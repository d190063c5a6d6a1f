import type { JsonObject, RecordedEvent, ServiceName } from '#domain/shared/events.js';
import type { Mark, Marks } from '#domain/shared/marks.js';
import type { Partitioning } from './partitions.js';

/**
 * A document that a handler reads. `length`: only the length of its text, as a number of bytes. `lazy`: it is fetched only if the handler reads
 * it; the event is then applied again.
 */
export type DocumentKey = Readonly<{ collection: string; key: string; form?: 'length' | 'lazy' }>;

/** A change of the read model by an event. Values are plain JSON and are encoded by the collection's codec when the batch is committed. */
export type DocumentChange =
  | Readonly<{ kind: 'put'; collection: string; key: string; value: unknown }>
  /** The piece is stored text already. */
  | Readonly<{ kind: 'append'; collection: string; key: string; piece: string }>
  | Readonly<{ kind: 'delete'; collection: string; key: string }>
  | Readonly<{ kind: 'delete-prefix'; collection: string; prefix: string }>;

/** Converts documents to stored text and back. Default: JSON. */
export type DocumentCodec = Readonly<{ encode(document: unknown): string | Buffer; decode(text: string): unknown }>;

/** Of documents that are texts. */
export const textCodec: DocumentCodec = { encode: String, decode: (text) => text };

/** Of documents that are bytes, stored as they are. Readers take the bytes without decoding them. */
export const BYTES: DocumentCodec = {
  encode: (document) => {
    if (document instanceof Buffer) return document;
    throw new TypeError('a document of bytes is something else');
  },
  decode: (text) => text,
};

const NOTHING = Buffer.alloc(0);

/** Of lists, which have keys alone. */
export const LISTED: DocumentCodec = { encode: () => NOTHING, decode: () => true };

/** The document with these stored bytes. */
export const decoded = (codec: DocumentCodec, stored: Buffer | string): unknown =>
  codec === BYTES ? (typeof stored === 'string' ? Buffer.from(stored) : stored) : codec.decode(String(stored));

/** The recorded event, with its data upcast and its secrets readable (`null`, or what `shared/erased.ts` defines, if their key was destroyed). */
export type ProjectedEvent<Data = JsonObject> = Omit<RecordedEvent, 'data'> & Readonly<{ data: Data }>;

/** Position of a sealed value: the key of its document, the document, and the object that has the value as a member. */
type SealedPlace = Readonly<{ key: string; document: JsonObject; holder: JsonObject }>;

/** A secret or personal member of a document. */
export type SealedMember = Readonly<{
  /** `email`, `info.email` or `users[].email`: members of objects, and of items in lists. */
  path: string;
  /** The encryption subject. */
  subject: (place: SealedPlace) => string;
  /** The JSON that readers see after the key is destroyed. Default: an empty text. */
  erased?: string;
  /** Mark with which auditors see it. Default: the value itself. */
  mark?: Mark;
  /** The JSON that auditors see after the key is destroyed. Default: the text `[erased]`. */
  erasedMark?: string;
}>;

/**
 * Members of a collection's documents that the store must not contain in plain text. Empty values are not sealed. The text of a document must be
 * JSON, or the items of a list without the enclosing brackets. In the second case paths start at an item, and `document` is the item.
 */
export type Sealing = readonly SealedMember[];

/**
 * Reads a document as left by earlier events of the log, `undefined` if there is none. Only documents declared by `reads` can be read. Callers must
 * not change the result, but put a new value.
 */
export type ReadDocument = (collection: string, key: string, form?: DocumentKey['form']) => unknown;

/**
 * All streams of a projection, so that its events are found without a search of the log. `fixed`: those with fixed names. `namedBy`: the stream that
 * an event of them names, if any.
 */
export type NeededStreams = Readonly<{ fixed: readonly string[]; namedBy?: (event: RecordedEvent) => string | undefined }>;

/** Folds events into documents. It is pure: it uses no clock and only the documents it declared, so a replay next year gives the same documents. */
export type Projection = Readonly<{
  /** Must not change, because it names the checkpoint and the documents, for example `status.profiles`. */
  name: string;
  /** Raised by hand when `apply` or the documents change. The new version is built beside the old one and then replaces it. */
  version: number;
  /**
   * The oldest version whose documents the current queries can read. While this version is built, older documents are not shown, but newer ones are,
   * so that readers are not interrupted. Nodes of an earlier release must not run at the same time, because they would misread the new documents.
   * Default: 1.
   */
  readsFrom?: number;
  /**
   * `in-documents`: the documents say themselves at which position each part of them was added, and nothing of them is ever lost by an update. No
   * earlier versions are kept: reads as of the past get the newest documents, with `ReadView.asOf`. Default: the store keeps versions.
   */
  past?: 'in-documents';
  service: ServiceName;
  /**
   * A node is ready only while it is current, and it is filled before the others, from these streams: with those that are needed callers are admitted, and
   * what they name is found, so that most calls that write work. They are small. Default: it is not needed.
   */
  needed?: NeededStreams;
  /** Stream categories that it reads. */
  categories: readonly string[];
  /** Event types that it handles. Other types of these categories are known and ignored. */
  handles: ReadonlySet<string>;
  /** Codecs of collections that are not stored as compact JSON. */
  codecs?: Readonly<Record<string, DocumentCodec>>;
  /** Sealed members by collection. The projection and readers see them decrypted. */
  sealed?: Readonly<Record<string, Sealing>>;
  /** Marks with which auditors see members, sealed or not, by collection and path (operations contract 4). */
  marks?: Readonly<Record<string, Marks>>;
  /** Collections of which a build may lack documents, because their events have left the log. They are not verified. Default: none. */
  expiring?: readonly string[];
  partitions: Partitioning;
  /** Declares the documents that `apply` reads for this event. */
  reads(event: ProjectedEvent): readonly DocumentKey[];
  /** Declares further documents, whose keys it finds with those of `reads`. Default: none. */
  readsNext?(event: ProjectedEvent, read: ReadDocument): readonly DocumentKey[];
  apply(event: ProjectedEvent, read: ReadDocument): readonly DocumentChange[];
  /** Returns whether the event shows that earlier ones have left the log, so that the documents before it are incomplete. Default: no event does. */
  hasLost?(event: ProjectedEvent, read: ReadDocument): boolean;
}>;
