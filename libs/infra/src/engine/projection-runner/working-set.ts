import type { Position } from '#domain/shared/events.js';
import { isKey, MAX_KEY_BYTES } from '#infra/stores/read-store/keys.js';
import type { DocumentChange, DocumentCodec, DocumentKey, ProjectedEvent, Projection } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';
import { EventFailed, type EventReference } from './failure.js';
import type { TimedEvent } from './progress/pace.js';
import type { RecentDocuments } from './recent-documents.js';

/**
 * Maximum length of a document's text, in UTF-16 units: at most 384 MiB of UTF-8, which every read store accepts. Far more than any
 * document that commands can create.
 */
const MAX_DOCUMENT_LENGTH = 128 * 2 ** 20;

const json: DocumentCodec = { encode: (document) => JSON.stringify(document), decode: (text) => JSON.parse(text) };

/** A document of the batch. */
type Entry = {
  readonly codec: DocumentCodec;
  /** The decoded document. `undefined`: there is none, or it is still `text`. */
  value: unknown;
  /** The document as the store has it or will have it. The first read turns it into `value`. */
  text: Buffer | string | null;
  /** Set if an event has read it, so that further reads are likely. */
  read: boolean;
  /** Length of its text, when last known. */
  length: number;
  /** Moment of the batch at which it was fetched or written, to compare with the removal of a prefix. */
  at: number;
  /** The event that wrote it last; `null` if it is unchanged. */
  writer: EventReference | null;
};

type Removal = Readonly<{ at: number; writer: EventReference }>;

/** The last write of the batch to a key, or to all keys with a prefix, and the position of its event. */
export type ContestedWrite = Readonly<{ collection: string; position: Position } & ({ key: string } | { prefix: string })>;

/** Known documents of one collection. */
type Collection = {
  codec: DocumentCodec;
  entries: Map<string, Entry>;
  /** Removed prefixes, each with the moment of its last removal and the event that removed it. */
  prefixes: Map<string, Removal>;
  /** The distinct lengths of `prefixes`: checking whether a key was removed costs one look-up per length. */
  prefixLengths: Set<number>;
};

/** Refuses changes here, where the event is known, that the store would refuse for the whole batch. */
const check = (change: DocumentChange): void => {
  if (change.kind === 'delete-prefix') return;
  const { collection, key } = change;
  if (!isKey(key)) throw new Error(`a key of ${collection} must have 1 to ${MAX_KEY_BYTES} bytes, not ${Buffer.byteLength(key)}`);
  if (change.kind === 'put' && change.value === undefined) throw new Error(`${collection}/${key} is written without a value`);
};

/**
 * The documents of one batch. Every event sees them as the earlier events left them. Documents read by events are decoded at most once, and
 * stay objects until the end.
 */
export class WorkingSet {
  private readonly collections = new Map<string, Collection>();
  /** Entries written since the last `encodeUnread`. */
  private readonly fresh = new Set<Entry>();
  private byteCount = 0;
  private now = 0;
  /** The event that has taken longest to apply. */
  slowest: TimedEvent | null = null;
  private readonly versions: Change[] = [];
  /** The previous batch, while the store may not have it yet. */
  private before: WorkingSet | null = null;

  /**
   * @param form `versions`: keep the changes of each event, with its position, for a store that keeps the past. `eager`: encode documents
   * as soon as an event writes them, so that a failure belongs to that event, without which the batch continues; `versions` implies it
   */
  constructor(
    private readonly projection: Projection,
    private readonly form: 'newest' | 'eager' | 'versions' = 'newest',
    /** Documents as left by the previous batch. */
    private readonly recent: RecentDocuments | null = null,
  ) {}

  /**
   * The set for the next batch, whose events see the documents of this one although the store has them only once `written` is fulfilled.
   */
  next(written: Promise<void>): WorkingSet {
    const next = new WorkingSet(this.projection, this.form === 'versions' ? 'versions' : 'newest');
    next.before = this;
    this.before = null;
    written.then(
      () => {
        next.before = null;
      },
      () => undefined, // handled by the code that awaits it
    );
    return next;
  }

  /** Number of documents held, including versions. */
  get size(): number {
    let size = this.versions.length;
    for (const { entries } of this.collections.values()) size += entries.size;
    return size;
  }

  /** Approximate bytes of the fetched or encoded documents. */
  get bytes(): number {
    return this.byteCount;
  }

  /** Keys to fetch from the store before they can be read, by collection, each once. */
  missing(keys: Iterable<DocumentKey>): ReadonlyMap<string, readonly string[]> {
    const missing = new Map<string, Set<string>>();
    for (const { collection, key } of keys) {
      if (this.find(collection, key) === null) {
        const known = missing.get(collection);
        if (known) known.add(key);
        else missing.set(collection, new Set([key]));
      }
    }
    return new Map([...missing].map(([collection, names]) => [collection, [...names]]));
  }

  /** Adds fetched documents. `values` are in the order of `keys`, `null` if there is no document. */
  learn(collection: string, keys: readonly string[], values: readonly (Buffer | null)[]): void {
    const { codec, entries } = this.collection(collection);
    for (const [index, key] of keys.entries()) {
      const text = values[index] ?? null;
      this.byteCount += text?.length ?? 0;
      entries.set(key, { codec, value: undefined, text, read: false, length: text?.length ?? 0, at: this.now, writer: null });
    }
  }

  /**
   * Applies one event, completely or not at all. `named`: result of the projection's `reads` for it.
   * @throws EventFailed `apply` threw, read a document not in `named`, or returned a key that cannot be stored
   */
  apply(event: ProjectedEvent, named: readonly DocumentKey[]): void {
    const begun = performance.now();
    try {
      const changes = this.projection.apply(event, (collection, key) => this.read(collection, key, named));
      for (const change of changes) check(change);
      const writer = { id: event.id, type: event.type, position: event.position };
      const texts = this.form === 'newest' ? [] : changes.map((change) => this.textOf(change));
      for (const [index, change] of changes.entries()) {
        const text = texts[index] ?? null;
        if (this.form === 'versions') this.keep(change, text, event.position);
        this.record(change, writer, text);
      }
      const milliseconds = performance.now() - begun;
      if (milliseconds > (this.slowest?.milliseconds ?? 0)) this.slowest = { ...writer, milliseconds };
    } catch (error) {
      throw new EventFailed(event, error);
    }
  }

  /**
   * Encodes documents that no event has read. In a long batch, text needs less memory than objects and their events, and is cheaper to
   * collect. For batches that outlive their events.
   * @throws EventFailed a document cannot be encoded; the failure names the event that wrote it
   */
  encodeUnread(): void {
    if (this.form === 'versions') return;
    for (const entry of this.fresh) {
      if (entry.read || entry.value === undefined || entry.writer === null) continue;
      entry.text = encode(entry.codec, entry.value, entry.writer);
      entry.value = undefined;
      this.byteCount += entry.text.length;
    }
    this.fresh.clear();
  }

  /**
   * Changes of the batch: the removed prefixes first, then the last state of each document written after them; or those of each event, in log order.
   * @throws EventFailed a document cannot be encoded; the failure names the event that wrote it
   */
  changes(): readonly Change[] {
    if (this.form === 'versions') return this.versions;
    const removals: Change[] = [];
    const writes: Change[] = [];
    for (const [collection, { entries, prefixes, prefixLengths }] of this.collections) {
      for (const prefix of prefixes.keys()) removals.push({ kind: 'delete-prefix', collection, prefix });
      for (const [key, entry] of entries) {
        if (entry.writer === null || (prefixLengths.size > 0 && this.removed(collection, key) > entry.at)) continue;
        writes.push(writeOf(collection, key, entry, entry.writer));
      }
    }
    return [...removals, ...writes];
  }

  /** Last writes of the batch in these collections, in no particular order. */
  contestedWrites(collections: readonly string[]): readonly ContestedWrite[] {
    return collections.flatMap((collection) => {
      const { entries, prefixes } = this.collections.get(collection) ?? { entries: NO_ENTRIES, prefixes: NO_PREFIXES };
      return [
        ...Array.from(prefixes, ([prefix, { writer }]) => ({ collection, prefix, position: writer.position })),
        ...Array.from(entries).flatMap(([key, { writer }]) => (writer === null ? [] : [{ collection, key, position: writer.position }])),
      ];
    });
  }

  /** @throws the error of the codec; the document is too long */
  private textOf(change: DocumentChange): string | null {
    return change.kind === 'put' ? encoded(this.collection(change.collection).codec, change.value) : null;
  }

  private collection(name: string): Collection {
    let collection = this.collections.get(name);
    if (!collection) {
      collection = { codec: this.projection.codecs?.[name] ?? json, entries: new Map(), prefixes: new Map(), prefixLengths: new Set() };
      this.collections.set(name, collection);
    }
    return collection;
  }

  private read(collection: string, key: string, named: readonly DocumentKey[]): unknown {
    const found = this.find(collection, key);
    if (found === null || !named.some((name) => name.key === key && name.collection === collection)) {
      throw new Error(`the projection reads ${collection}/${key}, which its reads() did not name`);
    }
    if (found === 'none') return undefined;
    found.read = true;
    if (found.text !== null) {
      found.value = found.codec.decode(String(found.text));
      found.text = null;
    }
    return found.value;
  }

  /** The document in the batch; `null` if it must be fetched. */
  private find(collection: string, key: string): Entry | 'none' | null {
    const entry = this.collections.get(collection)?.entries.get(key);
    const removed = this.removed(collection, key);
    if (entry && entry.at >= removed) return entry;
    return removed > 0 ? 'none' : (this.inherit(collection, key) ?? this.recall(collection, key));
  }

  private recall(collection: string, key: string): Entry | null {
    const known = this.recent?.get(collection, key);
    if (!known) return null;
    const { codec, entries } = this.collection(collection);
    const entry = { codec, ...known, text: null, read: true, at: this.now, writer: null };
    entries.set(key, entry);
    return entry;
  }

  /** Takes the document from the previous batch, which the store may not have yet. */
  private inherit(collection: string, key: string): Entry | null {
    const found = this.before === null ? null : this.before.find(collection, key);
    if (found === null) return null;
    const { codec, entries } = this.collection(collection);
    const { value, text } = found === 'none' ? { value: undefined, text: null } : found;
    const entry = { codec, value, text, read: false, length: text?.length ?? 0, at: this.now, writer: null };
    this.byteCount += text?.length ?? 0;
    entries.set(key, entry);
    return entry;
  }

  /** Moment at which the key was last removed with a prefix; 0 if never. */
  private removed(collection: string, key: string): number {
    const known = this.collections.get(collection);
    let last = 0;
    if (known) for (const length of known.prefixLengths) last = Math.max(last, known.prefixes.get(key.slice(0, length))?.at ?? 0);
    return last;
  }

  private keep(change: DocumentChange, text: string | null, position: Position): void {
    if (change.kind !== 'put') this.versions.push({ ...change, position });
    else this.versions.push({ kind: 'put', collection: change.collection, key: change.key, value: text ?? '', position });
    this.byteCount += text?.length ?? 0;
  }

  /** @param text the value, if it is already encoded */
  private record(change: DocumentChange, writer: EventReference, text: string | null): void {
    const { codec, entries, prefixes, prefixLengths } = this.collection(change.collection);
    this.now += 1;
    if (change.kind === 'delete-prefix') {
      prefixes.set(change.prefix, { at: this.now, writer });
      prefixLengths.add(change.prefix.length);
      return;
    }
    const kept = this.form === 'eager' ? text : null;
    const value = change.kind === 'put' && kept === null ? change.value : undefined;
    const length = text?.length ?? 0;
    this.byteCount += kept?.length ?? 0;
    const known = entries.get(change.key);
    const entry = known ?? { codec, value, text: kept, read: false, length, at: this.now, writer };
    if (known) {
      known.value = value;
      known.text = kept;
      known.length = length;
      known.at = this.now;
      known.writer = writer;
    } else entries.set(change.key, entry);
    this.fresh.add(entry);
  }

  /** Makes the documents read by events of this batch available to the next one, in their current state. Must be called after `changes`. */
  remember(): void {
    const { recent } = this;
    if (!recent) return;
    for (const [collection, { entries, prefixes }] of this.collections) {
      for (const prefix of prefixes.keys()) recent.removeUnder(collection, prefix);
      for (const [key, { value, length, read, writer, at }] of entries) {
        if (value !== undefined && read && at >= this.removed(collection, key)) recent.put(collection, key, { value, length });
        else if (writer !== null) recent.remove(collection, key);
      }
    }
  }
}

const NO_ENTRIES: ReadonlyMap<string, Entry> = new Map();
const NO_PREFIXES: ReadonlyMap<string, Removal> = new Map();

const writeOf = (collection: string, key: string, entry: Entry, writer: EventReference): Change => {
  const { codec, value, text } = entry;
  if (value === undefined && text === null) return { kind: 'delete', collection, key };
  const encoded = text === null ? encode(codec, value, writer) : String(text);
  entry.length = encoded.length;
  return { kind: 'put', collection, key, value: encoded };
};

const encoded = (codec: DocumentCodec, value: unknown): string => {
  const text = codec.encode(value);
  if (text.length > MAX_DOCUMENT_LENGTH)
    throw new Error(`a document of ${text.length} characters is too long, ${MAX_DOCUMENT_LENGTH} are possible`);
  return text;
};

const encode = (codec: DocumentCodec, value: unknown, writer: EventReference): string => {
  try {
    return encoded(codec, value);
  } catch (error) {
    throw new EventFailed(writer, error);
  }
};
