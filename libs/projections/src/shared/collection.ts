import type { Marks } from '#domain/shared/marks.js';
import type { Owner } from './partitions.js';
import type { DocumentChange, DocumentCodec, DocumentKey, Sealing } from './projection.js';
import type { KeyRange, ReadView } from './read-store.js';

declare const held: unique symbol;

/** Where one document lives. The type says what it holds; at run time it is the name of its collection and its key. */
export type DocumentRef<Document> = DocumentKey & { readonly [held]?: Document };

export type CollectionOptions<Key> = Readonly<{
  /** The key in the store, of at most 1,500 bytes of UTF-8. Default: the id itself, for ids that Logbook makes (UUIDs, hashes). */
  key?: (id: Key) => string;
  /** Between a document and its stored text. Default: compact JSON. */
  codec?: DocumentCodec;
  /** Members that are stored sealed. Default: none. */
  sealed?: Sealing;
  /** How auditors are shown members that are not sealed, such as hashes of credentials. Default: as they are. */
  marks?: Marks;
  /** How the partition of a document is found. Needed in read models with partitions, unless another collection leads to it. */
  owner?: Owner;
  /** Whether one key may belong to several partitions, one after the other. Default `false`. */
  contested?: boolean;
}>;

/**
 * An ordered set of documents of one kind in a read model: the only place that knows its name in the store, its keys and the form of its documents.
 * Stays inside the folder of its read model; everybody else asks the queries there.
 */
export class Collection<Document, Key = string> {
  readonly key: (id: Key) => string;
  readonly codec: DocumentCodec | undefined;
  readonly sealed: Sealing | undefined;
  /** Of sealed members too. */
  readonly marks: Marks | undefined;
  readonly owner: Owner | undefined;
  readonly contested: boolean;

  constructor(
    readonly name: string,
    { key = String, codec, sealed, marks, owner, contested = false }: CollectionOptions<Key>,
  ) {
    this.key = key;
    this.codec = codec;
    this.sealed = sealed;
    this.marks = marksOf(sealed, marks);
    this.owner = owner;
    this.contested = contested;
  }

  /** For `reads` of a handler. */
  at(id: Key): DocumentRef<Document> {
    return { collection: this.name, key: this.key(id) };
  }

  put(id: Key, document: Document): DocumentChange {
    return { kind: 'put', collection: this.name, key: this.key(id), value: document };
  }

  /** The same where a reference is at hand: its key is not built again. */
  putAt({ collection: name, key }: DocumentRef<Document>, document: Document): DocumentChange {
    return { kind: 'put', collection: name, key, value: document };
  }

  remove(id: Key): DocumentChange {
    return { kind: 'delete', collection: this.name, key: this.key(id) };
  }

  /** Removes every document whose key in the store starts with this text. */
  removeUnder(prefix: string): DocumentChange {
    return { kind: 'delete-prefix', collection: this.name, prefix };
  }

  /** The document that these stored bytes hold. */
  parse(bytes: Buffer): Document {
    const text = bytes.toString('utf8');
    return (this.codec ? this.codec.decode(text) : JSON.parse(text)) as Document;
  }

  /** The stored text of a document as bytes, `null` where there is none. */
  bytes(view: ReadView, id: Key): Promise<Buffer | null> {
    return view.get(this.name, this.key(id));
  }

  async get(view: ReadView, id: Key): Promise<Document | undefined> {
    const bytes = await this.bytes(view, id);
    return bytes === null ? undefined : this.parse(bytes);
  }

  /** In the order of the ids. One round trip. */
  async getMany(view: ReadView, ids: readonly Key[]): Promise<readonly (Document | undefined)[]> {
    const stored = await view.getMany(this.name, ids.map(this.key));
    return stored.map((bytes) => (bytes === null ? undefined : this.parse(bytes)));
  }

  /** The documents of a range of keys, in its order. For ranges that are known to be short. */
  async range(view: ReadView, range: KeyRange): Promise<readonly Document[]> {
    const stored = await view.range(this.name, range);
    return stored.map(({ value }) => this.parse(value));
  }
}

const marksOf = (sealed: Sealing = [], marks: Marks = {}): Marks | undefined => {
  const all = { ...Object.fromEntries(sealed.flatMap(({ path, mark }) => (mark ? [[path, mark]] : []))), ...marks };
  return Object.keys(all).length > 0 ? all : undefined;
};

/** @param name of the collection in the store: part of what is stored, so it changes only together with the version of the read model */
export const collection = <Document, Key = string>(name: string, options: CollectionOptions<Key> = {}): Collection<Document, Key> =>
  new Collection(name, options);

/** A collection of a read model, whatever it holds. */
export type AnyCollection = Pick<Collection<unknown>, 'name' | 'codec' | 'sealed' | 'marks' | 'owner' | 'contested'>;
