import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { collectionOf, type HistoryFiles, NUMBERS_ROW, nameOf, projectionRow } from './files.js';
import type { ProjectionRow } from './projection-row.js';
import { type DocumentRecord, GONE_VERSION, NO_TEXT, supersededBy } from './records.js';
import { levelOf } from './span.js';
import { type SpanChange, SpanIndex } from './span-index.js';

/** What an event does to a document, or to all whose keys begin alike. Of one event each key is written once at most, after its removals. */
export type HistoryChange = Readonly<{ position: number; collection: string }> &
  Readonly<{ kind: 'put'; key: string; text: Buffer } | { kind: 'delete'; key: string } | { kind: 'delete-prefix'; prefix: string }>;

/** Documents that are removed together are read so many at a time. */
const REMOVED_AT_ONCE = 500;
/** Records held before they are written. */
const MOST_HELD = 2_000;
const MOST_HELD_BYTES = 16 * 2 ** 20;

type Held = { collection: string; key: string; record: DocumentRecord };

/** Writes versions of documents. Everything happens in a transaction of the caller. */
export class VersionWriter {
  private readonly index: SpanIndex;

  constructor(private readonly files: HistoryFiles) {
    this.index = new SpanIndex(files);
  }

  /** Only inside a transaction. `row`: of the projection as it is to be afterwards, without the number of documents. */
  write(projection: string, row: ProjectionRow, changes: readonly HistoryChange[]): ProjectionRow {
    const writing = new Writing(this.files, this.index, row.build);
    for (const change of changes) writing.apply(change);
    writing.flush();
    const after = { ...row, documents: row.documents + writing.added };
    this.files.putRow(projectionRow(projection), after);
    return after;
  }
}

/** One transaction. */
class Writing {
  /** Documents and versions that were added. */
  added = 0;
  private readonly held = new Map<string, Held>();
  private heldBytes = 0;
  private readonly births: SpanChange[] = [];
  private readonly names = new Map<string, string>();
  private next: number;

  constructor(
    private readonly files: HistoryFiles,
    private readonly index: SpanIndex,
    private readonly build: number,
  ) {
    this.next = files.row<{ document: number }>(NUMBERS_ROW)?.document ?? 1;
  }

  apply(change: HistoryChange): void {
    const collection = this.nameOf(change.collection);
    if (change.kind === 'delete-prefix') this.removeUnder(collection, change.prefix, change.position);
    else if (change.kind === 'put') this.put(collection, change.key, change.text, change.position);
    else this.remove(collection, change.key, change.position);
    if (this.held.size > MOST_HELD || this.heldBytes > MOST_HELD_BYTES) this.flush();
  }

  flush(): void {
    this.index.apply(this.births);
    for (const [name, { record }] of this.held) this.files.documents.putSync(name, record);
    this.held.clear();
    this.heldBytes = 0;
    this.births.length = 0;
    this.files.putRow(NUMBERS_ROW, { document: this.next });
  }

  private put(collection: string, key: string, text: Buffer, position: number): void {
    const before = this.find(collection, key);
    if (!before) {
      const level = levelOf(key);
      this.births.push({ collection, key, position, kind: 'first-birth', level });
      const positions = { birth: position, since: position, last: position };
      this.hold(collection, key, { isAlive: true, level, number: this.next++, ...positions, deltas: 0, deltaBytes: 0, text });
      this.added++;
      return;
    }
    if (!before.isAlive) {
      if (before.last < position) this.keep(before, 'gone');
      this.births.push({ collection, key, position, kind: 'birth', level: 0 });
      this.hold(collection, key, { ...before, isAlive: true, since: position, last: position, deltas: 0, deltaBytes: 0, text });
      return;
    }
    if (before.text.equals(text)) return;
    const { deltas, deltaBytes } = before.last === position ? before : this.keep(before, text);
    this.hold(collection, key, { ...before, last: position, deltas, deltaBytes, text });
  }

  private remove(collection: string, key: string, position: number): void {
    const before = this.find(collection, key);
    if (!before?.isAlive) return;
    this.keep(before, 'whole');
    this.births.push({ collection, key, position, kind: 'death', level: 0 });
    this.hold(collection, key, { ...before, isAlive: false, since: position, last: position, deltas: 0, deltaBytes: 0, text: NO_TEXT });
  }

  /** Everything held is written first, so that the store knows all keys. */
  private removeUnder(collection: string, prefix: string, position: number): void {
    if (!this.hasAlive(collection, prefix)) return;
    this.flush();
    // No byte of UTF-8 is 0xff, so this bound lies behind every key with the prefix.
    const end = Buffer.concat([Buffer.from(nameOf(collection, prefix)), Buffer.of(0xff)]) as unknown as string;
    for (let start: string | undefined = nameOf(collection, prefix); start !== undefined; ) {
      const exclusiveStart: boolean = start !== nameOf(collection, prefix);
      this.files.readAsOf(-1);
      const found: readonly Readonly<{ key: string; value: DocumentRecord }>[] = [
        ...this.files.documents.getRange({ start, exclusiveStart, end, limit: REMOVED_AT_ONCE }),
      ];
      for (const { key, value } of found) if (value.isAlive) this.remove(collection, key.slice(collection.length + 1), position);
      this.flush();
      start = found.length < REMOVED_AT_ONCE ? undefined : found.at(-1)?.key;
    }
  }

  private hasAlive(collection: string, prefix: string): boolean {
    const start = nameOf(collection, prefix);
    for (const [name, { record }] of this.held) if (record.isAlive && name.startsWith(start)) return true;
    this.files.readAsOf(-1);
    const end = Buffer.concat([Buffer.from(start), Buffer.of(0xff)]) as unknown as string;
    for (const { value } of this.files.documents.getRange({ start, end })) if (value.isAlive) return true;
    return false;
  }

  /** Stores the state before a change under the position from which it held. Returns what the record says of the stored ones. */
  private keep(before: DocumentRecord, by: Buffer | 'gone' | 'whole'): Readonly<{ deltas: number; deltaBytes: number }> {
    const version =
      by === 'gone' ? GONE_VERSION : by === 'whole' ? ({ kind: 'whole', body: before.text } as const) : supersededBy(before, by);
    this.files.versions.putSync([before.number, before.last], version);
    this.added++;
    return version.kind === 'delta'
      ? { deltas: before.deltas + 1, deltaBytes: before.deltaBytes + version.body.length }
      : { deltas: 0, deltaBytes: 0 };
  }

  private find(collection: string, key: string): DocumentRecord | undefined {
    const name = nameOf(collection, key);
    return this.held.get(name)?.record ?? this.files.record(name, Number.POSITIVE_INFINITY);
  }

  private hold(collection: string, key: string, record: DocumentRecord): void {
    this.held.set(nameOf(collection, key), { collection, key, record });
    this.heldBytes += record.text.length;
  }

  private nameOf(collection: string): string {
    return getOrInsert(this.names, collection, () => collectionOf(this.build, collection));
  }
}
