import { isOfSameAppend } from '#domain/shared/event-ids.js';
import type { Position } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { EventFailed, type EventReference } from '#infra/engine/projection-runner/failure.js';
import type { TimedEvent } from '#infra/engine/projection-runner/progress/pace.js';
import { isKey, MAX_KEY_BYTES } from '#infra/stores/read-store/keys.js';
import type {
  DocumentChange,
  DocumentCodec,
  DocumentKey,
  ProjectedEvent,
  Projection,
  ReadDocument,
} from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';
import { BatchDocument } from './batch-document.js';
import { DocumentVersion } from './document-version.js';
import { checkOf } from './named-documents.js';
import type { RecentDocuments } from './recent-documents.js';

const json: DocumentCodec = { encode: (document) => JSON.stringify(document), decode: (text) => JSON.parse(text) };

/** Known documents of one collection. */
type Collection = {
  codec: DocumentCodec;
  entries: Map<string, BatchDocument>;
  /** Removed prefixes, each with the moment of its last removal. */
  prefixes: Map<string, number>;
  /** The distinct lengths of `prefixes`: checking whether a key was removed costs one look-up per length. */
  prefixLengths: Set<number>;
};

/** Refuses changes here, where the event is known, that the store would refuse for the whole batch. */
const check = (change: DocumentChange): void => {
  if (change.kind === 'delete-prefix') return;
  const { collection, key } = change;
  if (!isKey(key)) throw new Error(`a key of ${collection} must have 1 to ${MAX_KEY_BYTES} bytes, not ${Buffer.byteLength(key)}`);
  if (change.kind === 'append' && typeof change.piece !== 'string') throw new Error(`a piece of ${collection}/${key} is no text`);
  if (change.kind === 'put' && change.value === undefined) throw new Error(`${collection}/${key} is written without a value`);
};

/**
 * The documents of one batch. Every event sees them as the earlier events left them. Documents read by events are decoded at most once, and
 * stay objects until the end.
 */
export class WorkingSet {
  private readonly collections = new Map<string, Collection>();
  /** Entries written since the last `encodeUnread`, where only the newest state is kept. */
  private readonly fresh = new Set<BatchDocument>();
  /** Approximate bytes of the fetched or encoded documents. */
  bytes = 0;
  private now = 0;
  /** The event that has taken longest to apply. */
  slowest: TimedEvent | null = null;
  /** Position of the last event that shows that earlier ones have left the log. */
  lost: Position | null = null;
  /** The changes of each append, in log order. */
  private readonly versions: (DocumentVersion | Change)[] = [];
  /** Number of versions that were encoded in passing. */
  private encodedVersions = 0;
  /** The last applied event, and the number of its append. */
  private last: ProjectedEvent | null = null;
  private append = 0;

  /**
   * @param form `versions`: keep the changes of each append, with its position, for a store that keeps the past
   */
  constructor(
    private readonly projection: Projection,
    private readonly form: 'newest' | 'versions' = 'newest',
    /** Documents as left by the previous batch. */
    private readonly recent: RecentDocuments | null = null,
  ) {}

  /** Number of documents held, including versions. */
  get size(): number {
    let size = this.versions.length;
    for (const { entries } of this.collections.values()) size += entries.size;
    return size;
  }

  /** Keys of documents to fetch from the store before they can be read, by collection, each once. @param form of those asked for */
  missing(keys: Iterable<DocumentKey>, form?: DocumentKey['form']): ReadonlyMap<string, readonly string[]> {
    const missing = new Map<string, Set<string>>();
    for (const { collection, key, form: wanted } of keys)
      if (wanted === form && this.find(collection, key, form) === null) getOrInsert(missing, collection, () => new Set()).add(key);
    return new Map([...missing].map(([collection, names]) => [collection, [...names]]));
  }

  /** Adds fetched documents. `values` are in the order of `keys`, `null` if there is no document. */
  learn(collection: string, keys: readonly string[], values: readonly (Buffer | null)[]): void {
    for (const [index, key] of keys.entries()) {
      const text = values[index] ?? null;
      this.bytes += text?.length ?? 0;
      this.entry(collection, key).learn({ text });
    }
  }

  /** Adds fetched lengths, likewise. */
  learnLengths(collection: string, keys: readonly string[], lengths: readonly (number | null)[]): void {
    for (const [index, key] of keys.entries()) this.entry(collection, key).measure(lengths[index] ?? null);
  }

  /** The documents named by `reads`, and those that the projection finds with them. @throws EventFailed */
  furtherNamed(event: ProjectedEvent, named: readonly DocumentKey[]): readonly DocumentKey[] {
    const { projection } = this;
    if (!projection.readsNext) return named;
    const isNamed = checkOf(named);
    try {
      const further = projection.readsNext(event, (...asked) => this.read(asked, isNamed));
      return further.length > 0 ? [...named, ...further] : named;
    } catch (error) {
      throw new EventFailed(event, error);
    }
  }

  /**
   * Applies one event, completely or not at all. `named`: result of the projection's `reads` for it.
   * @returns the text that must be fetched before the event can be applied; `null`: it is applied
   * @throws EventFailed `apply` threw, read a document not in `named`, or returned a key that cannot be stored
   */
  apply(event: ProjectedEvent, named: readonly DocumentKey[]): DocumentKey | null {
    const begun = performance.now();
    try {
      const isNamed = checkOf(named);
      const read: ReadDocument = (...asked) => this.read(asked, isNamed);
      const changes = this.projection.apply(event, read);
      for (const change of changes) check(change);
      if (this.projection.hasLost?.(event, read)) this.lost = event.position;
      const writer = { id: event.id, type: event.type, position: event.position };
      this.begin(event);
      for (const change of changes) this.record(change, writer);
      const milliseconds = performance.now() - begun;
      if (milliseconds > (this.slowest?.milliseconds ?? 0)) this.slowest = { ...writer, milliseconds };
      return null;
    } catch (error) {
      if (error instanceof TextMissing) return error.key;
      throw new EventFailed(event, error);
    }
  }

  /**
   * Encodes documents that no event has read. In a long batch, text needs less memory than objects and their events, and is cheaper to
   * collect. For batches that outlive their events.
   * @throws EventFailed a document cannot be encoded; the failure names the event that wrote it
   */
  encodeUnread(): void {
    for (let next = this.versions[this.encodedVersions]; next; next = this.versions[++this.encodedVersions])
      if (next instanceof DocumentVersion) this.bytes += next.encode();
    for (const entry of this.fresh) this.bytes += entry.encode();
    this.fresh.clear();
  }

  /**
   * Changes of the batch: the removed prefixes first, then the last state of each document written after them; or those of each append, in log order.
   * @throws EventFailed a document cannot be encoded; the failure names the event that wrote it
   */
  changes(): readonly Change[] {
    if (this.form === 'versions') return this.versions.map((one) => (one instanceof DocumentVersion ? one.encoded() : one));
    const removals: Change[] = [];
    const writes: Change[] = [];
    for (const [collection, { entries, prefixes, prefixLengths }] of this.collections) {
      for (const prefix of prefixes.keys()) removals.push({ kind: 'delete-prefix', collection, prefix });
      for (const [key, entry] of entries) {
        if (entry.writer === null || (prefixLengths.size > 0 && this.removed(collection, key) > entry.at)) continue;
        const change = entry.change(collection, key);
        if (change) writes.push(change);
      }
    }
    return [...removals, ...writes];
  }

  private collection(name: string): Collection {
    const codec = this.projection.codecs?.[name] ?? json;
    return getOrInsert(this.collections, name, () => ({ codec, entries: new Map(), prefixes: new Map(), prefixLengths: new Set() }));
  }

  private read([collection, key, form]: Parameters<ReadDocument>, isNamed: (name: DocumentKey) => boolean): unknown {
    const name = { collection, key, ...(form && { form }) };
    const found = isNamed(name) ? this.find(collection, key, form) : null;
    if (found === 'none') return undefined;
    if (found === null) {
      if (form === 'lazy' && isNamed(name)) throw new TextMissing({ collection, key });
      throw new Error(`the projection reads ${collection}/${key}, which its reads() did not name`);
    }
    if (form === 'length') return found.readLength();
    found.isRead ||= form === undefined;
    return found.read();
  }

  /** The document in the batch; `null` if it must be fetched. */
  private find(collection: string, key: string, form: DocumentKey['form']): BatchDocument | 'none' | null {
    const known = this.known(collection, key);
    return known === null || known === 'none' || known.shows(form) ? known : null;
  }

  /** The known content of the document. `none`: it was removed with a prefix. */
  private known(collection: string, key: string): BatchDocument | 'none' | null {
    const entry = this.collections.get(collection)?.entries.get(key);
    const removed = this.removed(collection, key);
    if (entry && entry.at >= removed) return entry;
    return removed > 0 ? 'none' : this.recall(collection, key);
  }

  /** Like `known`, or a document of which nothing is known. */
  private entry(collection: string, key: string): BatchDocument {
    const known = this.known(collection, key);
    return known instanceof BatchDocument ? known : this.newEntry(collection, key);
  }

  private newEntry(collection: string, key: string): BatchDocument {
    const { codec, entries } = this.collection(collection);
    const entry = new BatchDocument(codec, this.now);
    entries.set(key, entry);
    return entry;
  }

  private recall(collection: string, key: string): BatchDocument | null {
    const known = this.recent?.get(collection, key);
    if (!known) return null;
    const entry = this.newEntry(collection, key);
    if (known.value !== undefined) {
      entry.learn(known);
      entry.isRead = true;
    } else if (known.bytes !== undefined) entry.measure(known.bytes);
    entry.isMeasured = known.bytes !== undefined;
    return entry;
  }

  /** Moment at which the key was last removed with a prefix; 0 if never. */
  private removed(collection: string, key: string): number {
    const known = this.collections.get(collection);
    let last = 0;
    if (known) for (const length of known.prefixLengths) last = Math.max(last, known.prefixes.get(key.slice(0, length)) ?? 0);
    return last;
  }

  /** Recognizes the first event of an append. */
  private begin(event: ProjectedEvent): void {
    if (this.form !== 'versions') return;
    if (!this.last || !isOfSameAppend(this.last, event)) this.append += 1;
    this.last = event;
  }

  /** Makes the change part of the document's version of this append. */
  private keep(entry: BatchDocument, change: Exclude<DocumentChange, { kind: 'delete-prefix' }>, writer: EventReference): void {
    if (entry.version?.append === this.append && entry.version.take(change, writer)) return;
    entry.version = new DocumentVersion(this.append, entry.codec);
    entry.version.take(change, writer);
    this.versions.push(entry.version);
  }

  private record(change: DocumentChange, writer: EventReference): void {
    const { kind, collection } = change;
    if (kind === 'delete-prefix') {
      const { prefixes, prefixLengths } = this.collection(collection);
      prefixes.set(change.prefix, ++this.now);
      prefixLengths.add(change.prefix.length);
      if (this.form === 'versions') this.versions.push({ ...change, position: writer.position });
      this.append += 1; // versions made before it must not take what comes after it
      return;
    }
    const { key } = change;
    const isGone = kind === 'append' && this.known(collection, key) === 'none';
    const entry = this.entry(collection, key);
    this.now += 1;
    if (this.form === 'versions') this.keep(entry, change, writer);
    else this.fresh.add(entry);
    if (kind === 'append') {
      const piece = change.piece.toWellFormed();
      if (isGone) entry.write(writer, this.now, undefined, '');
      entry.append(writer, this.now, piece);
      this.bytes += piece.length;
      return;
    }
    entry.write(writer, this.now, kind === 'put' ? change.value : undefined);
  }

  /** Makes the documents read by events of this batch available to the next one, in their current state. Must be called after `changes`. */
  remember(): void {
    const { recent } = this;
    if (!recent) return;
    for (const [collection, { entries, prefixes }] of this.collections) {
      for (const prefix of prefixes.keys()) recent.removeUnder(collection, prefix);
      for (const [key, { remembered, writer, at }] of entries) {
        if (remembered && at >= this.removed(collection, key)) recent.put(collection, key, remembered);
        else if (writer !== null) recent.remove(collection, key);
      }
    }
  }
}

/** A document that is read only if its event needs it was not fetched. */
class TextMissing extends Error {
  override readonly name = 'TextMissing';
  constructor(readonly key: DocumentKey) {
    super(`${key.collection}/${key.key} is not fetched`);
  }
}
