import type { Marks } from '#domain/shared/marks.js';
import type { Slice } from './pages.js';
import type { Owner } from './partitions.js';
import { BYTES, type DocumentChange, type DocumentCodec, type DocumentKey, decoded, LISTED, type Sealing } from './projection.js';
import type { KeyRange, ReadView } from './read-store.js';

declare const held: unique symbol;

/** Reference to a document. The type contains that of the document; at run time it has the name of the collection and the key. */
export type DocumentRef<Document> = DocumentKey & { readonly [held]?: Document };

/** Reference to a document that is fetched only if the handler reads it. */
export type LazyRef<Document> = DocumentRef<Document> & Readonly<{ form: 'lazy' }>;

export type CollectionOptions<Key> = Readonly<{
  /** Key in the store, at most 1,500 bytes of UTF-8. Default: the id itself, for ids that Logbook generates (UUIDs, hashes). */
  key?: (id: Key) => string;
  /** Converts documents to stored text and back. Default: compact JSON. */
  codec?: DocumentCodec;
  /** Documents are Buffers, stored as they are. They cannot have sealed or marked members. Default: they are text. */
  bytes?: true;
  /** Members that are stored sealed. Default: none. */
  sealed?: Sealing;
  /** Marks with which auditors see unsealed members, such as hashes of credentials. Default: the members themselves. */
  marks?: Marks;
  /** Finds the partition of a document. Required in read models with partitions, unless another collection leads to it. */
  owner?: Owner;
  /** Whether one key may belong to several partitions, one after the other. Default: `false`. */
  contested?: boolean;
  /** Documents follow from events that leave the log, so that a build may lack them. Default: `false`. */
  expiring?: boolean;
}>;

/**
 * An ordered set of documents of one kind in a read model. Its name in the store, its keys and the format of its documents are defined only here. It
 * is used only within the folder of its read model. All others use the queries there.
 */
export class Collection<Document, Key = string> {
  readonly key: (id: Key) => string;
  readonly codec: DocumentCodec | undefined;
  readonly sealed: Sealing | undefined;
  /** Includes those of sealed members. */
  readonly marks: Marks | undefined;
  readonly owner: Owner | undefined;
  readonly contested: boolean;
  readonly expiring: boolean;

  constructor(
    readonly name: string,
    { key = String, codec, bytes, sealed, marks, owner, contested = false, expiring = false }: CollectionOptions<Key>,
  ) {
    if (bytes && (codec || sealed || marks)) throw new Error(`documents of ${name} are bytes, without a codec, sealed or marked members`);
    this.key = key;
    this.codec = bytes ? BYTES : codec;
    this.sealed = sealed;
    this.marks = marksOf(sealed, marks);
    this.owner = owner;
    this.contested = contested;
    this.expiring = expiring;
  }

  /** A reference for `reads` of a handler. */
  at(id: Key): DocumentRef<Document> {
    return { collection: this.name, key: this.key(id) };
  }

  /** Like `at`, for the length of the stored text in bytes. */
  lengthAt(id: Key): DocumentRef<number> {
    return { collection: this.name, key: this.key(id), form: 'length' };
  }

  /** Like `at`, for a document that the handler may not need: it gets a function. */
  lazyAt(id: Key): LazyRef<Document> {
    return { collection: this.name, key: this.key(id), form: 'lazy' };
  }

  put(id: Key, document: Document): DocumentChange {
    return { kind: 'put', collection: this.name, key: this.key(id), value: document };
  }

  /** Like `put`, with an existing reference, so that the key is not built again. */
  putAt({ collection: name, key }: DocumentRef<Document>, document: Document): DocumentChange {
    return { kind: 'put', collection: name, key, value: document };
  }

  /** Adds a piece to the stored text, which is empty if there is no document. Pieces have no members that could be sealed or marked. */
  append(id: Key, piece: string): DocumentChange {
    return this.appendAt(this.at(id), piece);
  }

  /** Like `append`, with an existing reference. */
  appendAt({ key }: DocumentRef<Document>, piece: string): DocumentChange {
    if (this.sealed || this.marks) throw new Error(`texts of ${this.name} have sealed or marked members, so nothing can be added to them`);
    return { kind: 'append', collection: this.name, key, piece };
  }

  remove(id: Key): DocumentChange {
    return { kind: 'delete', collection: this.name, key: this.key(id) };
  }

  /** Removes all documents whose stored key starts with this text. */
  removeUnder(prefix: string): DocumentChange {
    return { kind: 'delete-prefix', collection: this.name, prefix };
  }

  parse(bytes: Buffer): Document {
    return (this.codec ? decoded(this.codec, bytes) : JSON.parse(bytes.toString('utf8'))) as Document;
  }

  /** The stored text of a document as bytes, `null` if there is none. */
  bytes(view: ReadView, id: Key): Promise<Buffer | null> {
    return view.get(this.name, this.key(id));
  }

  async get(view: ReadView, id: Key): Promise<Document | undefined> {
    const bytes = await this.bytes(view, id);
    return bytes === null ? undefined : this.parse(bytes);
  }

  /** In the order of the ids, in one round trip. With a slice, large documents are parsed in turns. */
  async getMany(view: ReadView, ids: readonly Key[], slice?: Slice): Promise<readonly (Document | undefined)[]> {
    const stored = await view.getMany(this.name, ids.map(this.key));
    const found: (Document | undefined)[] = [];
    for (const bytes of stored) {
      if (slice?.isOver) await slice.next();
      found.push(bytes === null ? undefined : this.parse(bytes));
    }
    return found;
  }

  /** The documents of a range of keys, in its order. Only for short ranges. */
  async range(view: ReadView, range: KeyRange): Promise<readonly Document[]> {
    const stored = await view.range(this.name, range);
    return stored.map(({ value }) => this.parse(value));
  }
}

const marksOf = (sealed: Sealing = [], marks: Marks = {}): Marks | undefined => {
  const all = { ...Object.fromEntries(sealed.flatMap(({ path, mark }) => (mark ? [[path, mark]] : []))), ...marks };
  return Object.keys(all).length > 0 ? all : undefined;
};

/** @param name of the collection in the store. A new name requires a new version of the read model */
export const collection = <Document, Key = string>(name: string, options: CollectionOptions<Key> = {}): Collection<Document, Key> =>
  new Collection(name, options);

/** A list: keys alone, for which stores need less room than for documents. `true` puts a key into it. */
export const list = <Key>(name: string, options: Pick<CollectionOptions<Key>, 'key' | 'owner'>): Collection<true, Key> =>
  new Collection(name, { ...options, codec: LISTED });

/** A collection with any type of documents. */
export type AnyCollection = Pick<Collection<unknown>, 'name' | 'codec' | 'sealed' | 'marks' | 'owner' | 'contested' | 'expiring'>;
