import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';
import { EnvironmentError, newerFormat } from '#infra/platform/lmdb/environment-error.js';
import { NotFlushed, replaceFileDurably } from '#infra/platform/lmdb/write-file-durably.js';
import type { Layout } from '../files/build-file.js';
import { Damaged } from '../texts/record.js';

export type FileSlot = 'a' | 'b';
export const otherSlot = (slot: FileSlot): FileSlot => (slot === 'a' ? 'b' : 'a');

/** A build and its file number. `past`: earlier versions of its documents are kept. `layout`: its files, once there is more than one. */
export type BuildRow = Readonly<{ file: number; version: number; generation: number; past: boolean; layout?: Layout }>;

/** The builds of a projection. `kept`: replaced builds whose past can still be read, oldest first. */
export type ProjectionRow = Readonly<{
  generation: number;
  served: FileSlot | null;
  slots: Readonly<Partial<Record<FileSlot, BuildRow>>>;
  kept: readonly BuildRow[];
}>;

const NO_BUILDS: ProjectionRow = { generation: 0, served: null, slots: {}, kept: [] };

/** All builds. `next`: number of the next file; numbers are never reused. */
type CatalogueRows = Readonly<{ format: number; next: number; projections: Readonly<Record<string, ProjectionRow>> }>;

/** To be raised with every change of the list, of batches, or of records. Lists of a newer format are refused: what they name may be irreplaceable. */
const FORMAT = 3;
const NAME = 'builds';

const ADVICE =
  'Start that version, or move the directory away: it is built again from the log, without counters of messages that have left the log';

const EMPTY: CatalogueRows = { format: FORMAT, next: 1, projections: {} };

/** The file that lists the builds. It is replaced atomically: after a power loss it holds the previous or the new content. */
export class Catalogue {
  private known = EMPTY;
  private stamp = '';
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly file: string) {}

  get rows(): CatalogueRows {
    return this.known;
  }

  row(projection: string): ProjectionRow {
    return this.known.projections[projection] ?? NO_BUILDS;
  }

  /** Reads the file if it was replaced since the last read, and returns whether it was. @throws Damaged; EnvironmentError for a newer format */
  look(): boolean {
    const stat = statSync(this.file, { bigint: true, throwIfNoEntry: false });
    const stamp = stat ? `${stat.ino}/${stat.mtimeNs}/${stat.size}` : '';
    if (stamp === this.stamp) return false;
    this.known = stat ? parse(this.file) : EMPTY;
    this.stamp = stamp;
    return true;
  }

  /** Replaces the row of a projection with the result of `change`, as {@link update} does. */
  replace(projection: string, change: (row: ProjectionRow) => ProjectionRow): Promise<void> {
    return this.update((rows) => ({ ...rows, projections: { ...rows.projections, [projection]: change(this.row(projection)) } }));
  }

  /**
   * Replaces the rows with the result of `change`. Calls run one after the other. If a call throws, nothing has changed. After a power loss
   * the previous content can return only if the directory could not be flushed.
   * @param change called when its turn has come
   */
  update(change: (rows: CatalogueRows) => CatalogueRows): Promise<void> {
    const turn = this.last.then(async () => {
      const changed = change(this.known);
      const next = Math.max(changed.next, ...Object.values(changed.projections).flatMap((row) => filesOf(row).map((file) => file + 1)));
      const rows = { ...changed, format: FORMAT, next };
      const text = withChecksum(NAME, JSON.stringify(rows));
      await replaceFileDurably(this.file, text).catch((error) => {
        if (!(error instanceof NotFlushed)) throw error; // otherwise readers already see the new content
      });
      this.known = rows;
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

const parse = (file: string): CatalogueRows => {
  const text = checkedText(NAME, readFileSync(file, 'utf8'));
  if (text === undefined) throw new Damaged('the list of builds');
  const rows: CatalogueRows = JSON.parse(text);
  if (rows.format > FORMAT) throw new EnvironmentError(dirname(file), `${newerFormat(rows.format, FORMAT)}. ${ADVICE}`);
  return rows;
};

/** Numbers of the files that a row names. */
export const filesOf = ({ slots, kept }: ProjectionRow): readonly number[] =>
  [slots.a, slots.b, ...kept].flatMap((row) => {
    const { merged, appended = [] } = row?.layout ?? {};
    return row ? [row, ...(merged ? [merged] : []), ...appended].map(({ file }) => file) : [];
  });

/** Copy of a row with other files of one of its builds. */
export const withLayout = ({ slots, kept, ...row }: ProjectionRow, build: number, layout: Layout): ProjectionRow => {
  const changed = (one: BuildRow): BuildRow => (one.file === build ? { ...one, layout } : one);
  const changedSlots = Object.fromEntries(Object.entries(slots).map(([slot, one]) => [slot, changed(one)]));
  return { ...row, slots: changedSlots, kept: kept.map(changed) };
};

/** Copy of the rows with only the kept builds. */
export const withoutBuilds = (rows: CatalogueRows, isKept: (row: BuildRow) => boolean): CatalogueRows => {
  const rowOf = (row: ProjectionRow): ProjectionRow => {
    const slots = Object.fromEntries(Object.entries(row.slots).filter(([, build]) => isKept(build)));
    return { ...row, slots, served: row.served && slots[row.served] ? row.served : null, kept: row.kept.filter(isKept) };
  };
  return { ...rows, projections: Object.fromEntries(Object.entries(rows.projections).map(([name, row]) => [name, rowOf(row)])) };
};
