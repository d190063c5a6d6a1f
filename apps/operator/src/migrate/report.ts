import { once } from 'node:events';
import { closeSync, constants, createWriteStream, fchmodSync, fstatSync, ftruncateSync, openSync, type WriteStream } from 'node:fs';
import { printable } from '#infra/platform/logging/printable.js';
import { CommandFailed } from '#operator/command-failed.js';
import { aligned, oneLine } from '#operator/tables.js';

/** Counts of the documents of a collection. */
type Counts = {
  read: number;
  /** Taken over in this run; in a dry run: would be taken. */
  taken: number;
  /** Taken over by an earlier run. */
  present: number;
  /** Left out according to the rules of the migration; {@link MigrationReport.note} gives the reason. */
  left: number;
  refused: number;
  /** Taken over or present with a value that differs from the document. */
  changed: number;
};

/** Number of documents by collection and reason. */
type Reasons = Map<string, Map<string, number>>;

type Verified = Readonly<{ compared: number; different: number; missing: number }>;

const OWN = 0o600;

/** Opens the file for this account only, even if the file of an earlier run was readable by others. @throws CommandFailed */
const opened = (path: string): number => {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_WRONLY | constants.O_CREAT, OWN);
    if (fstatSync(file).isFile()) {
      fchmodSync(file, OWN); // before the old content is removed: it may belong to another account
      ftruncateSync(file);
    }
    return file;
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw unwritable(path, error as NodeJS.ErrnoException);
  }
};

const unwritable = (path: string, { code, message }: NodeJS.ErrnoException): CommandFailed => {
  const reason = code === 'ENOENT' ? 'there is no such folder' : message;
  return new CommandFailed(`the report cannot be written to ${path}: ${reason} (see --report)`);
};

/** Item of a report about one document. Contains no secrets or personal data: values are named only if they are neither. */
type ReportItem =
  | Readonly<{
      what: 'refused' | 'changed' | 'left' | 'remark' | 'different' | 'missing';
      collection: string;
      id: string;
      place: string;
      reason: string;
    }>
  /** About the whole migration. */
  | Readonly<{ what: 'note'; reason: string }>;

/** Document of an item in the report. */
export type DocumentPlace = Readonly<{ collection: string; id: string; place: string }>;

/** Escaped JSON: ids and names of clients cannot control the terminal or editor that shows the file. */
const jsonOf = (value: object): string => printable(JSON.stringify(value));

const keyOf = ({ collection, id, place }: DocumentPlace): string => `${collection} ${id} ${place}`;

/** Items shown on the terminal, per kind. */
const MOST_SHOWN = 10;
/** Reasons counted separately, per collection. */
const MOST_REASONS = 100;
const OTHER_REASONS = 'other reasons';

const countIn = (counted: Reasons, { collection }: DocumentPlace, given: string, documents: number): void => {
  const reasons = counted.get(collection) ?? new Map<string, number>();
  const reason = reasons.has(given) || reasons.size < MOST_REASONS ? given : OTHER_REASONS;
  counted.set(collection, reasons.set(reason, (reasons.get(reason) ?? 0) + documents));
};

const byReason = (counted: Reasons): object =>
  Object.fromEntries([...counted].map(([collection, reasons]) => [collection, Object.fromEntries(reasons)]));

const linesOf = (what: string, counted: Reasons): readonly string[] =>
  [...counted].flatMap(([collection, reasons]) => [
    `${what} of ${collection}, by reason:`,
    ...[...reasons].map(([reason, count]) => `  ${count}: ${oneLine(reason)}`),
  ]);

/**
 * The report of a migration: counts by collection, and an item for every document that was not taken over unchanged. Items are written to
 * the file at once, so there may be any number of them. Documents left out of a collection of repeats have none.
 */
export class MigrationReport {
  readonly counts = new Map<string, Counts>();
  readonly verified = new Map<string, Verified & { counted?: Readonly<{ expected: number; found: number }> }>();
  readonly notes: string[] = [];
  /** Number of refused documents, or parts of documents. */
  private readonly refusals: Reasons = new Map();
  /** Number of documents left out without an item of their own. */
  private readonly skips: Reasons = new Map();
  /** Collections that are not compared: no document of theirs is kept in memory, as there may be more than a set can hold. */
  private readonly uncompared = new Set<string>();
  private readonly repeating = new Set<string>();
  private readonly shown = new Map<string, { count: number; first: string[] }>();
  private readonly file: WriteStream | undefined;
  private items = 0;
  /** Documents that were not taken over. */
  private readonly leftOut = new Set<string>();
  private readonly withChanges = new Set<string>();
  private failure: Error | undefined;

  /** @throws CommandFailed no file can be written at the path */
  constructor(
    private readonly about: Readonly<{ service: string; directory: string; dryRun: boolean }>,
    readonly path: string | undefined,
  ) {
    if (path === undefined) return;
    this.file = createWriteStream(path, { fd: opened(path) });
    this.file.on('error', (error) => {
      this.failure = unwritable(path, error);
    });
    this.file.write(`${jsonOf({ ...about, begun: new Date().toISOString() }).slice(0, -1)},"items":[`);
  }

  of(collection: string): Counts {
    const known = this.counts.get(collection);
    if (known) return known;
    const counts: Counts = { read: 0, taken: 0, present: 0, left: 0, refused: 0, changed: 0 };
    this.counts.set(collection, counts);
    return counts;
  }

  /** `documents`: number of documents refused together; `place` is that of the first. `kind`: the reason for counting. */
  refused(
    place: DocumentPlace,
    reason: string,
    { documents = 1, kind = reason }: Readonly<{ documents?: number; kind?: string }> = {},
  ): void {
    this.of(place.collection).refused += documents;
    this.remember(this.leftOut, place);
    countIn(this.refusals, place, kind, documents);
    this.add({ what: 'refused', ...place, reason });
  }

  /** Records that a part of a document is refused and the rest taken over. `kind`: the reason for counting. */
  partRefused(place: DocumentPlace, reason: string, kind = reason): void {
    countIn(this.refusals, place, kind, 1);
    this.changed(place, reason);
  }

  /** Records that the document is taken over with changes. */
  changed(place: DocumentPlace, reason: string): void {
    this.of(place.collection).changed += 1;
    this.remember(this.withChanges, place);
    this.add({ what: 'changed', ...place, reason });
  }

  /** Remarks on a document that is taken over unchanged. */
  remark(place: DocumentPlace, reason: string): void {
    this.add({ what: 'remark', ...place, reason });
  }

  /** Records that the document is left out: in a collection of repeats by its reason only, else as an item. */
  left(place: DocumentPlace, reason: string): void {
    this.of(place.collection).left += 1;
    if (this.repeating.has(place.collection)) {
      countIn(this.skips, place, reason, 1);
      return;
    }
    this.remember(this.leftOut, place);
    this.add({ what: 'left', ...place, reason });
  }

  /** Records that the verification does not compare the documents of a collection, and whether most repeat others. Precedes them. */
  notCompared(collection: string, repeats = false): void {
    this.uncompared.add(collection);
    if (repeats) this.repeating.add(collection);
  }

  /** Returns whether the document was taken over with changes. */
  isChanged(place: DocumentPlace): boolean {
    return this.withChanges.has(keyOf(place));
  }

  /** Returns whether the document was refused or left out. */
  isLeft(place: DocumentPlace): boolean {
    return this.leftOut.has(keyOf(place));
  }

  note(reason: string): void {
    this.notes.push(reason);
    this.add({ what: 'note', reason });
  }

  add(item: ReportItem): void {
    if (this.failure) throw this.failure;
    if (item.what !== 'note') {
      const kind = `${item.what} ${item.collection}`;
      const shown = this.shown.get(kind) ?? { count: 0, first: [] };
      this.shown.set(kind, shown);
      shown.count += 1;
      if (shown.first.length < MOST_SHOWN) shown.first.push(oneLine(`${item.id} (${item.place}): ${item.reason}`));
    }
    this.file?.write(`${this.items++ === 0 ? '' : ','}\n${jsonOf(item)}`);
  }

  /** Problem that an operator must examine; `undefined` if nothing was refused and all comparisons succeeded. */
  get problem(): string | undefined {
    const isSound = [...this.verified.values()].every(
      ({ different, missing, counted }) => different === 0 && missing === 0 && (!counted || counted.expected === counted.found),
    );
    const refused = [...this.refusals.values()].flatMap((reasons) => [...reasons.values()]).reduce((sum, count) => sum + count, 0);
    const problems = [
      ...(refused > 0 ? [`documents refused, whole or in part: ${refused}`] : []),
      ...(isSound ? [] : ['what Logbook shows differs from the files']),
    ];
    return problems.length === 0 ? undefined : problems.join(', and ');
  }

  summary(): object {
    return {
      ...this.about,
      collections: Object.fromEntries(this.counts),
      refused: byReason(this.refusals),
      ...(this.skips.size > 0 && { left: byReason(this.skips) }),
      ...(this.verified.size > 0 && { verified: Object.fromEntries(this.verified) }),
      notes: this.notes,
    };
  }

  /** Writes the rest. @throws CommandFailed */
  async end(): Promise<void> {
    if (!this.file) return;
    const { collections, refused, left, verified } = this.summary() as Record<'collections' | 'refused', object> & {
      left?: object;
      verified?: object;
    };
    const totals = { collections, refused, ...(left && { left }), ...(verified && { verified }), ended: new Date().toISOString() };
    this.file.end(`\n],${jsonOf(totals).slice(1)}\n`);
    if (!this.failure) await Promise.race([once(this.file, 'finish'), once(this.file, 'error')]);
    if (this.failure) throw this.failure;
  }

  /** Text for people. */
  text(): string {
    const heads = ['collection', 'read', this.about.dryRun ? 'would take' : 'taken', 'there already', 'left out', 'refused', 'changed'];
    const rows = [...this.counts].map(([name, { read, taken, present, left, refused, changed }]) =>
      [name, read, taken, present, left, refused, changed].map(String),
    );
    return [
      aligned([heads, ...rows], 1),
      ...this.itemLines(),
      ...this.notes.map((note) => `note: ${oneLine(note)}`),
      ...this.verifiedLines(),
    ].join('\n');
  }

  private remember(documents: Set<string>, place: DocumentPlace): void {
    if (!this.uncompared.has(place.collection)) documents.add(keyOf(place));
  }

  private itemLines(): readonly string[] {
    const reasonLines = [...linesOf('refused', this.refusals), ...linesOf('left out', this.skips)];
    const items = [...this.shown].flatMap(([kind, { count, first }]) => [
      `${kind}: ${count}`,
      ...first.map((text) => `  ${text}`),
      ...(count > first.length ? [`  and ${count - first.length} more${this.path === undefined ? '' : `, in ${this.path}`}`] : []),
    ]);
    return [...reasonLines, ...items];
  }

  private verifiedLines(): readonly string[] {
    return [...this.verified].map(([name, { compared, different, missing, counted }]) => {
      const count = counted ? `, ${counted.found} there of ${counted.expected}` : '';
      return `verified ${name}: ${compared} compared, ${different} different, ${missing} missing${count}`;
    });
  }
}
