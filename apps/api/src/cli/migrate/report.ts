import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

/** What became of the documents of a collection. */
export type Counts = {
  read: number;
  /** Taken in this run; in a dry run: would be taken. */
  taken: number;
  /** Taken by an earlier run. */
  present: number;
  /** Left out as the rules of the migration say; {@link Report.note} says why. */
  left: number;
  refused: number;
  /** Of those taken or present: with a value other than in the document. */
  changed: number;
};

export type Verified = Readonly<{ compared: number; different: number; missing: number }>;

/** What a report says of one document. Never with secrets or personal data: values are named only where they are neither. */
export type Item =
  | Readonly<{
      what: 'refused' | 'changed' | 'left' | 'remark' | 'different' | 'missing';
      collection: string;
      id: string;
      place: string;
      reason: string;
    }>
  /** About the whole. */
  | Readonly<{ what: 'note'; reason: string }>;

/** Of an item that stands in the report: which document. */
export type Place = Readonly<{ collection: string; id: string; place: string }>;

const keyOf = ({ collection, id, place }: Place): string => `${collection} ${id} ${place}`;

/** Items that are shown on the terminal, of each kind. */
const MOST_SHOWN = 10;

/**
 * The report of a migration: counts by collection, and an item for everything that did not go over as it was. Items go to the file as they come, so
 * that there may be any number of them.
 */
export class Report {
  readonly counts = new Map<string, Counts>();
  readonly verified = new Map<string, Verified & { counted?: Readonly<{ expected: number; found: number }> }>();
  readonly notes: string[] = [];
  private readonly shown = new Map<string, { count: number; first: string[] }>();
  private readonly file: WriteStream | undefined;
  private items = 0;
  /** Of documents that were not taken. */
  private readonly leftOut = new Set<string>();
  private readonly withChanges = new Set<string>();
  private failure: Error | undefined;

  constructor(
    private readonly about: Readonly<{ service: string; directory: string; dryRun: boolean }>,
    readonly path: string | undefined,
  ) {
    if (path === undefined) return;
    this.file = createWriteStream(path, { mode: 0o600 });
    this.file.on('error', (error) => {
      this.failure = error;
    });
    this.file.write(`${JSON.stringify({ ...about, begun: new Date().toISOString() }).slice(0, -1)},"items":[`);
  }

  of(collection: string): Counts {
    const known = this.counts.get(collection);
    if (known) return known;
    const counts: Counts = { read: 0, taken: 0, present: 0, left: 0, refused: 0, changed: 0 };
    this.counts.set(collection, counts);
    return counts;
  }

  refused(place: Place, reason: string): void {
    this.of(place.collection).refused += 1;
    this.leftOut.add(keyOf(place));
    this.add({ what: 'refused', ...place, reason });
  }

  /** The document is taken, but not as it is. */
  changed(place: Place, reason: string): void {
    this.of(place.collection).changed += 1;
    this.withChanges.add(keyOf(place));
    this.add({ what: 'changed', ...place, reason });
  }

  /** Something that the operator has to know of a document that is taken as it is. */
  remark(place: Place, reason: string): void {
    this.add({ what: 'remark', ...place, reason });
  }

  left(place: Place, reason: string): void {
    this.of(place.collection).left += 1;
    this.leftOut.add(keyOf(place));
    this.add({ what: 'left', ...place, reason });
  }

  /** Whether the document was taken, but not as it is. */
  isChanged(place: Place): boolean {
    return this.withChanges.has(keyOf(place));
  }

  /** Whether the document was refused or left out. */
  isLeft(place: Place): boolean {
    return this.leftOut.has(keyOf(place));
  }

  note(reason: string): void {
    this.notes.push(reason);
    this.add({ what: 'note', reason });
  }

  add(item: Item): void {
    if (this.failure) throw this.failure;
    if (item.what !== 'note') {
      const kind = `${item.what} ${item.collection}`;
      const shown = this.shown.get(kind) ?? { count: 0, first: [] };
      this.shown.set(kind, shown);
      shown.count += 1;
      if (shown.first.length < MOST_SHOWN) shown.first.push(`${item.id} (${item.place}): ${item.reason}`);
    }
    this.file?.write(`${this.items++ === 0 ? '' : ','}\n${JSON.stringify(item)}`);
  }

  /** Whether everything that was compared is as it was. */
  get sound(): boolean {
    return [...this.verified.values()].every(
      ({ different, missing, counted }) => different === 0 && missing === 0 && (!counted || counted.expected === counted.found),
    );
  }

  summary(): object {
    return {
      ...this.about,
      collections: Object.fromEntries(this.counts),
      ...(this.verified.size > 0 && { verified: Object.fromEntries(this.verified) }),
      notes: this.notes,
    };
  }

  /** Writes the rest. @throws the error of the file system */
  async end(): Promise<void> {
    if (!this.file) return;
    const { collections, verified } = this.summary() as { collections: object; verified?: object };
    this.file.end(`\n],${JSON.stringify({ collections, ...(verified && { verified }), ended: new Date().toISOString() }).slice(1)}\n`);
    if (!this.failure) await Promise.race([once(this.file, 'finish'), once(this.file, 'error')]);
    if (this.failure) throw this.failure;
  }

  /** For people. */
  text(): string {
    const heads = ['collection', 'read', this.about.dryRun ? 'would take' : 'taken', 'there already', 'left out', 'refused', 'changed'];
    const rows = [...this.counts].map(([name, { read, taken, present, left, refused, changed }]) => [
      name,
      read,
      taken,
      present,
      left,
      refused,
      changed,
    ]);
    const widths = heads.map((head, column) => Math.max(...[head, ...rows.map((row) => row[column])].map((cell) => String(cell).length)));
    const line = (cells: readonly unknown[]) =>
      cells
        .map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0] ?? 0) : String(cell).padStart(widths[column] ?? 0)))
        .join('  ');
    return [
      line(heads),
      ...rows.map(line),
      ...this.itemLines(),
      ...this.notes.map((note) => `note: ${note}`),
      ...this.verifiedLines(),
    ].join('\n');
  }

  private itemLines(): readonly string[] {
    return [...this.shown].flatMap(([kind, { count, first }]) => [
      `${kind}: ${count}`,
      ...first.map((text) => `  ${text}`),
      ...(count > first.length ? [`  and ${count - first.length} more${this.path === undefined ? '' : `, in ${this.path}`}`] : []),
    ]);
  }

  private verifiedLines(): readonly string[] {
    return [...this.verified].map(([name, { compared, different, missing, counted }]) => {
      const count = counted ? `, ${counted.found} there of ${counted.expected}` : '';
      return `verified ${name}: ${compared} compared, ${different} different, ${missing} missing${count}`;
    });
  }
}
