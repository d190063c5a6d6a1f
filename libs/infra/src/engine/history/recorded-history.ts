import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import { PartitionedView } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import type { History, HistoryFailure, HistoryStatus, Reach } from '#projections/shared/past.js';
import type { Projection } from '#projections/shared/projection.js';
import { ReadStoreUnavailable, type ReadView } from '#projections/shared/read-store.js';
import { HistoryFiles } from './files.js';
import { PastView } from './past-view.js';
import { buildAt, firstShown, isComplete, type ProjectionRow } from './projection-row.js';
import { DamagedHistory } from './records.js';

export type RecordedHistoryOptions = Readonly<{
  path: string;
  projections: readonly Projection[];
  sealed: SealedDocuments;
  /**
   * Whether it may be opened now. The first to open an environment in a process decides whether it can be written there: where it is recorded in this
   * process, not before the recorder has opened it. Default: always.
   */
  mayOpen?: () => boolean;
  /** Whether its recording goes on, where this process knows. */
  recording?: () => Pick<HistoryStatus, 'state'> | null;
}>;

/** How often a caller that waits looks whether the history has come further. */
const LOOK_MS = 10;

const NAMESPACE = { projection: '', version: 0, slot: 'a', generation: 0 } as const;

/**
 * Reads the history that a recorder writes, in this process or another one, at the same time or not. Opened when it is first asked: before anything
 * was recorded there is nothing to open.
 */
export class RecordedHistory implements History {
  private opened: HistoryFiles | undefined;
  private closed = false;

  constructor(private readonly options: RecordedHistoryOptions) {}

  view(projection: string, position: Position, shown?: MarkVisibility): ReadView {
    const { sealed } = this.options;
    const open = (view: ReadView): ReadView => (shown ? sealed.marked(view, projection, shown) : sealed.opening(view, projection));
    const files = this.files();
    if (!files) throw new ReadStoreUnavailable('there is no history yet');
    const build = (): number | undefined => {
      const row = files.projection(projection);
      const shown = row && buildAt(row, Number(position));
      if (shown === row && row?.failure && position >= BigInt(row.failure.position))
        throw new ReadStoreUnavailable(`the history of ${projection} has stopped at an event that cannot be applied`);
      return shown?.build;
    };
    const stored = new PastView(files, build, Number(position));
    return this.partitioned(files, projection, position, stored, open(stored));
  }

  async reach(position: Position, timeoutMs = 0, projection?: string): Promise<Reach> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const reached = this.reached(Number(position), projection);
      const left = until - performance.now();
      if (reached !== 'behind' || left <= 0 || this.closed) return reached;
      await sleep(Math.min(LOOK_MS, left));
    }
  }

  status(): HistoryStatus {
    const rows = this.rows();
    const going = rows.filter(({ row }) => !row.failure).map(({ row }) => row.position);
    return {
      state: this.options.recording?.()?.state ?? 'stopped',
      from: BigInt(Math.max(0, ...rows.map(({ row }) => firstShown(row)))),
      position: BigInt(going.length > 0 ? Math.min(...going) : 0),
      documents: rows.reduce((sum, { row }) => sum + row.documents, 0),
      failures: rows.flatMap(({ name, row }) => failureOf(name, row)),
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.opened?.close();
    this.opened = undefined;
  }

  private reached(position: number, projection: string | undefined): Reach {
    const { projections } = this.options;
    const concerned = projections.filter(({ name }) => projection === undefined || name === projection);
    const rows = this.rows(concerned);
    const reaches = concerned.map(({ name, version }) => {
      const row = rows.find((one) => one.name === name)?.row;
      return row?.version === version ? reachOf(row, position) : 'behind';
    });
    return reaches.find((reach) => reach === 'behind') ?? reaches.find((reach) => reach === 'lost') ?? 'reached';
  }

  private rows(projections = this.options.projections): readonly Readonly<{ name: string; row: ProjectionRow }>[] {
    const files = this.files();
    if (!files) return [];
    return files.reading(0, () =>
      projections.flatMap(({ name }) => {
        const row = files.projection(name);
        return row ? [{ name, row }] : [];
      }),
    );
  }

  /** Documents of what was set aside at the position are refused, as they were then. */
  private partitioned(files: HistoryFiles, name: string, position: Position, stored: ReadView, inner: ReadView): ReadView {
    const projection = this.options.projections.find((one) => one.name === name);
    const partitions = projection?.partitions;
    const row = files.reading(0, () => files.projection(name));
    if (!projection || !partitions || !(row && buildAt(row, Number(position))?.setAside)) return inner;
    const store = { served: async () => NAMESPACE, marks: async () => 'some', documents: () => stored };
    return new PartitionedView({ store, inner, projection, partitions, tracker: new SetAsideTracker() });
  }

  /** Undefined: nothing was recorded yet. */
  private files(): HistoryFiles | undefined {
    if (this.closed) throw new ReadStoreUnavailable('the history is closed');
    if (this.opened || this.options.mayOpen?.() === false) return this.opened;
    try {
      this.opened = HistoryFiles.open({ path: this.options.path, readOnly: true });
    } catch (error) {
      if (!(error instanceof EnvironmentError || error instanceof DamagedHistory)) throw error;
    }
    return this.opened;
  }
}

const reachOf = (row: ProjectionRow, position: number): Reach => {
  const shown = buildAt(row, position);
  if (shown) return row.failure || position <= shown.position ? 'reached' : 'behind';
  return isComplete(row) ? 'lost' : 'behind';
};

const failureOf = (projection: string, { failure }: ProjectionRow): readonly HistoryFailure[] =>
  failure
    ? [
        {
          projection,
          partition: null,
          at: BigInt(failure.position),
          eventId: failure.eventId,
          type: failure.type,
          message: failure.message,
        },
      ]
    : [];
