import { LOG_CATEGORY } from '#domain/operations/log-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import { isMarkedLog, type LogMark } from '#infra/stores/log-identity/log-mark.js';
import type { Projection } from '#projections/shared/projection.js';
import { FRONT_ROW, type FrontRow, garbageRow, type HistoryFiles, LOG_ROW, projectionRow } from './files.js';
import { isComplete, type KeptBuild, keptOf, neededOf, type ProjectionRow } from './projection-row.js';

const BUILDS_ROW = 'builds';
const GARBAGE = 'garbage/';
const REMOVED_AT_ONCE = 500;

/** Under which documents of projections are recorded: a new number each time they are recorded anew. */
export class Builds {
  /** @param expiring categories whose events leave the log */
  constructor(
    private readonly files: HistoryFiles,
    private readonly expiring: readonly string[],
  ) {}

  /** Whether what is recorded comes from this log. @throws EventStoreUnavailable */
  async isOfThisLog(events: Pick<EventStore, 'readStream' | 'end'>): Promise<boolean> {
    const mark = this.files.row<LogMark>(LOG_ROW);
    return isMarkedLog(events, mark, BigInt(mark?.position ?? 0));
  }

  /** Only inside a transaction: these builds have come to the position. */
  storeFront(position: number, builds: readonly number[]): void {
    this.files.putRow(FRONT_ROW, { position, builds } satisfies FrontRow);
  }

  /** Only inside a transaction. */
  store(projection: string, row: ProjectionRow): void {
    this.files.putRow(projectionRow(projection), row);
  }

  /** Only inside a transaction: remembers which log this is. */
  remember(events: readonly RecordedEvent[]): void {
    const last = events.findLast(({ stream }) => !this.expiring.includes(categoryOf(stream)));
    if (!last) return;
    const { stream, revision, id, position } = last;
    this.files.putRow(LOG_ROW, { stream, revision: `${revision}`, id, position: `${position}` } satisfies LogMark);
  }

  /** Everything recorded is to be removed. */
  async discardAll(): Promise<void> {
    await this.files.write(() => {
      for (const key of this.files.rowsUnder(projectionRow(''))) this.discard(key);
      this.files.removeRow(LOG_ROW);
      this.files.removeRow(FRONT_ROW);
    });
  }

  /**
   * The rows of these projections, new ones where they are not recorded yet, or by another version. Others are discarded.
   * @param head position of the newest event of the log
   */
  async open(projections: readonly Projection[], head: number): Promise<ReadonlyMap<string, ProjectionRow>> {
    return this.files.write(() => {
      const wanted = new Set(projections.map(({ name }) => projectionRow(name)));
      for (const key of this.files.rowsUnder(projectionRow(''))) if (!wanted.has(key)) this.discard(key);
      return new Map(projections.map((projection) => [projection.name, this.openOne(projection, head)]));
    });
  }

  /** Removes some of what is not wanted any more. False: nothing was left. */
  async removeSome(): Promise<boolean> {
    const [garbage] = this.files.rowsUnder(GARBAGE);
    if (garbage === undefined) return false;
    const build = `${Number(garbage.slice(GARBAGE.length)).toString(36)}.`;
    await this.files.write(() => {
      const { documents, spans, versions } = this.files;
      this.files.readAsOf(-1);
      const found = [...documents.getRange({ start: build, end: `${build}\uffff`, limit: REMOVED_AT_ONCE })];
      for (const { key, value } of found) {
        const keys = [...versions.getKeys({ start: [value.number, 0], end: [value.number + 1, 0] })];
        for (const version of keys) versions.removeSync(version);
        documents.removeSync(key);
      }
      if (found.length > 0) return;
      for (const level of ['1', '2', '3'])
        for (const key of [...spans.getKeys({ start: `${level}${build}`, end: `${level}${build}\uffff` })]) spans.removeSync(key);
      this.files.removeRow(garbage);
    });
    return true;
  }

  private openOne(projection: Projection, head: number): ProjectionRow {
    const { name, version, readsFrom = 1, categories } = projection;
    const known = this.files.projection(name);
    if (known?.version === version && isComplete(known)) return this.pruned(name, known);
    const expires = this.expiring.some((category) => passes(parseFilter(categories), category));
    const kept = known && expires ? keptOf(known, readsFrom) : [];
    if (known) this.discard(projectionRow(name), kept);
    const build = (this.files.row<{ last: number }>(BUILDS_ROW)?.last ?? 0) + 1;
    this.files.putRow(BUILDS_ROW, { last: build });
    const row: ProjectionRow = {
      ...{ build, version, position: 0, from: 0, documents: 0, failure: null, setAside: false },
      ...(expires && { oldUntil: head, kept }),
    };
    this.files.putRow(projectionRow(name), row);
    return row;
  }

  /** The row without the builds that it does not need any more. */
  private pruned(name: string, row: ProjectionRow): ProjectionRow {
    const { kept = [] } = row;
    const needed = neededOf(row);
    if (needed.length === kept.length) return row;
    for (const one of kept) if (!needed.includes(one)) this.files.putRow(garbageRow(one.build), {});
    const pruned = { ...row, kept: needed };
    this.files.putRow(projectionRow(name), pruned);
    return pruned;
  }

  /** Everything recorded of a projection is to be removed, but for some builds. */
  private discard(key: string, spared: readonly KeptBuild[] = []): void {
    const row = this.files.row<ProjectionRow>(key);
    for (const { build } of row ? [row, ...(row.kept ?? [])] : [])
      if (!spared.some((one) => one.build === build)) this.files.putRow(garbageRow(build), {});
    this.files.removeRow(key);
  }
}

/** Read with every projection, so that there is soon an event that tells this log from others. */
export const ALWAYS_READ = [LOG_CATEGORY];
