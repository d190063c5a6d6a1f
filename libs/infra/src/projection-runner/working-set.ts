import type { DocumentChange, DocumentCodec, DocumentKey, ProjectedEvent, Projection } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';
import { EventFailed, type EventReference } from './failure.js';

/** The most bytes of UTF-8 that a read store takes for a key. */
const LONGEST_KEY = 1500;

const json: DocumentCodec = { encode: (document) => JSON.stringify(document), decode: (text) => JSON.parse(text) };

/** A document as the batch knows it. */
type Entry = {
  /** Undefined: there is none. */
  value: unknown;
  /** What the store has, until it is read for the first time: then it becomes `value`. */
  stored: Buffer | null;
  /** The moment of the batch it was read or written at, to compare with that of a removed prefix. */
  at: number;
  /** The event that wrote it last; `null` while it is as the store has it. */
  writer: EventReference | null;
};

/** What is known of one collection. */
type Collection = {
  codec: DocumentCodec;
  entries: Map<string, Entry>;
  /** Removed prefixes, each with the moment of its last removal. */
  prefixes: Map<string, number>;
  /** The distinct lengths of `prefixes`: whether a key was removed costs one look-up for each. */
  prefixLengths: Set<number>;
};

/** Refuses here, where the event is known, what the store would refuse for the whole batch. */
const check = (change: DocumentChange): void => {
  if (change.kind === 'delete-prefix') return;
  const { collection, key } = change;
  // A UTF-16 unit is at most 3 bytes: most keys need no count.
  if (key === '' || (key.length > LONGEST_KEY / 3 && Buffer.byteLength(key) > LONGEST_KEY)) {
    throw new Error(`a key of ${collection} must have 1 to ${LONGEST_KEY} bytes: "${key.slice(0, 100)}"`);
  }
  if (change.kind === 'put' && change.value === undefined) throw new Error(`${collection}/${key} is put without a value`);
};

/**
 * The documents of one batch, as objects: each is decoded at most once, seen by every later event as the earlier ones left it,
 * and encoded once at the end.
 */
export class WorkingSet {
  readonly #collections = new Map<string, Collection>();
  #now = 0;

  constructor(private readonly projection: Projection) {}

  /** How many documents are held. */
  get size(): number {
    let size = 0;
    for (const { entries } of this.#collections.values()) size += entries.size;
    return size;
  }

  /** Those of the keys that have to be fetched from the store before they can be read, by collection, each once. */
  missing(keys: Iterable<DocumentKey>): ReadonlyMap<string, readonly string[]> {
    const missing = new Map<string, Set<string>>();
    for (const { collection, key } of keys) {
      if (this.#find(collection, key) === null) {
        const known = missing.get(collection);
        if (known) known.add(key);
        else missing.set(collection, new Set([key]));
      }
    }
    return new Map([...missing].map(([collection, names]) => [collection, [...names]]));
  }

  /** Takes over what the store has; `values` in the order of `keys`, `null` where there is no document. */
  learn(collection: string, keys: readonly string[], values: readonly (Buffer | null)[]): void {
    const { entries } = this.#collection(collection);
    for (const [index, key] of keys.entries()) {
      entries.set(key, { value: undefined, stored: values[index] ?? null, at: this.#now, writer: null });
    }
  }

  /**
   * Applies one event, whole or not at all. `named` is what the projection's `reads` answered for it.
   * @throws EventFailed `apply` threw, read a document it had not named, or gave a key that cannot be stored
   */
  apply(event: ProjectedEvent, named: readonly DocumentKey[]): void {
    try {
      const changes = this.projection.apply(event, (collection, key) => this.#read(collection, key, named));
      for (const change of changes) check(change);
      for (const change of changes) this.#record(change, event);
    } catch (error) {
      throw new EventFailed(event, error);
    }
  }

  /**
   * What the batch changes: the removed prefixes first, then the last state of each document written after them.
   * @throws EventFailed a document cannot be encoded; of the event that wrote it
   */
  changes(): readonly Change[] {
    const removals: Change[] = [];
    const writes: Change[] = [];
    for (const [collection, { codec, entries, prefixes, prefixLengths }] of this.#collections) {
      for (const prefix of prefixes.keys()) removals.push({ kind: 'delete-prefix', collection, prefix });
      for (const [key, { value, at, writer }] of entries) {
        if (writer === null || (prefixLengths.size > 0 && this.#removed(collection, key) > at)) continue;
        writes.push(
          value === undefined ? { kind: 'delete', collection, key } : { kind: 'put', collection, key, value: encode(codec, value, writer) },
        );
      }
    }
    return [...removals, ...writes];
  }

  #collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = { codec: this.projection.codecs?.[name] ?? json, entries: new Map(), prefixes: new Map(), prefixLengths: new Set() };
      this.#collections.set(name, collection);
    }
    return collection;
  }

  #read(collection: string, key: string, named: readonly DocumentKey[]): unknown {
    const found = this.#find(collection, key);
    if (found === null || !named.some((name) => name.key === key && name.collection === collection)) {
      throw new Error(`the projection reads ${collection}/${key}, which its reads() did not name`);
    }
    if (found === 'none') return undefined;
    if (found.stored !== null) {
      found.value = this.#collection(collection).codec.decode(found.stored.toString());
      found.stored = null;
    }
    return found.value;
  }

  /** The document as the batch knows it; `null`: the store has to be asked. */
  #find(collection: string, key: string): Entry | 'none' | null {
    const entry = this.#collections.get(collection)?.entries.get(key);
    const removed = this.#removed(collection, key);
    if (entry && entry.at >= removed) return entry;
    return removed > 0 ? 'none' : null;
  }

  /** The moment the key was last removed with a prefix; 0 = never. */
  #removed(collection: string, key: string): number {
    const known = this.#collections.get(collection);
    let last = 0;
    if (known) for (const length of known.prefixLengths) last = Math.max(last, known.prefixes.get(key.slice(0, length)) ?? 0);
    return last;
  }

  #record(change: DocumentChange, { id, type, position }: EventReference): void {
    const { entries, prefixes, prefixLengths } = this.#collection(change.collection);
    this.#now += 1;
    if (change.kind === 'delete-prefix') {
      prefixes.set(change.prefix, this.#now);
      prefixLengths.add(change.prefix.length);
    } else {
      const value = change.kind === 'put' ? change.value : undefined;
      entries.set(change.key, { value, stored: null, at: this.#now, writer: { id, type, position } });
    }
  }
}

const encode = (codec: DocumentCodec, value: unknown, writer: EventReference): string => {
  try {
    return codec.encode(value);
  } catch (error) {
    throw new EventFailed(writer, error);
  }
};
