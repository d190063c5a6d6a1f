import type { RecordedEvent } from '#domain/shared/events.js';
import { categoryOf } from '#domain/shared/events.js';
import type { DecodeEvents } from '#infra/engine/projection-runner/apply-batch.js';
import { foldEvents } from '#infra/engine/projection-runner/apply-batch.js';
import type { EventFailed } from '#infra/engine/projection-runner/failure.js';
import { SetAside, SetAsideBatch } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { readSetAside, setAsideChanges } from '#infra/engine/projection-runner/set-aside/set-aside-documents.js';
import { WorkingSet } from '#infra/engine/projection-runner/working-set.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change, ReadView } from '#projections/shared/read-store.js';
import { type ChangeAt, EventChanges } from './event-changes.js';
import type { HistoryFiles } from './files.js';
import { NEWEST, PastView } from './past-view.js';
import { isComplete, type ProjectionRow } from './projection-row.js';
import type { HistoryChange, VersionWriter } from './version-writer.js';

export type RecordingDependencies = Readonly<{
  files: HistoryFiles;
  writer: VersionWriter;
  sealed: SealedDocuments;
  expiring: readonly string[];
  now: () => number;
  /** Told of every event that cannot be applied. `partition`: what is left out from there on; null: the whole projection. */
  failed: (projection: string, partition: string | null, failure: EventFailed) => void;
}>;

/** What some events do to the history of a projection. */
export type RecordingStep = Readonly<{
  recording: ProjectionRecording;
  /** Only inside a transaction. Returns the row of the projection afterwards. */
  store(): ProjectionRow;
  /** To be called when the transaction is committed. */
  stored(row: ProjectionRow): void;
  /** Events that are left for a next step, which begins from what this one has stored. */
  rest: readonly RecordedEvent[];
  /** Length of the documents. */
  characters: number;
}>;

const NO_NAMESPACE = { projection: '', version: 0, slot: 'a', generation: 0 } as const;

/** The history of one projection, while it is recorded. */
export class ProjectionRecording {
  /** Streams of expiring categories that were seen while earlier events were read from the log. */
  private readonly seen = new Set<string>();

  private constructor(
    private readonly dependencies: RecordingDependencies,
    readonly projection: Projection,
    private current: ProjectionRow,
    private setAside: SetAside,
    /** Ids of events that operators have skipped. */
    private readonly skipped: ReadonlySet<string>,
  ) {}

  static async open(
    dependencies: RecordingDependencies,
    projection: Projection,
    row: ProjectionRow,
    skipped: ReadonlySet<string>,
  ): Promise<ProjectionRecording> {
    const view = new PastView(dependencies.files, () => row.build, NEWEST);
    const { setAside } = row.setAside
      ? await readSetAside({ marks: async () => 'some', documents: () => view }, NO_NAMESPACE)
      : { setAside: SetAside.NONE };
    return new ProjectionRecording(dependencies, projection, row, setAside, skipped);
  }

  get row(): ProjectionRow {
    return this.current;
  }

  get position(): number {
    return this.current.position;
  }

  get failures(): SetAside {
    return this.setAside;
  }

  /** The row as it is stored. */
  stand(row: ProjectionRow): void {
    this.current = row;
  }

  /** Those of the events, of any categories and in log order, that are to be recorded. */
  unrecorded(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    if (this.current.failure) return [];
    const filter = parseFilter(this.projection.categories);
    return events.filter(({ stream, position }) => Number(position) > this.position && passes(filter, categoryOf(stream)));
  }

  /** Applies unrecorded events to the newest documents, as many as one step takes. Stores nothing. @throws EventStoreUnavailable */
  async step(events: readonly RecordedEvent[], decode: DecodeEvents): Promise<RecordingStep> {
    const { setAside, skipped, position, dependencies } = this;
    const { partitions: partitioning } = this.projection;
    const draft = new SetAsideBatch(setAside, { partitioning, skipped, after: BigInt(position), now: dependencies.now() });
    const changes = new EventChanges(this.projection);
    const set = new WorkingSet(changes.projection);
    const failure = await foldEvents(changes.projection, decode, this.newest, set, events, changes.policyOver(draft));
    const end = failure ? events.findIndex(({ id }) => id === failure.event.id) : events.length;
    for (const { partition, failure: failed } of draft.failures) dependencies.failed(this.projection.name, partition, failed);
    const stopped = failure && !changes.isFull(failure) ? failure : null;
    if (stopped) dependencies.failed(this.projection.name, null, stopped);
    const seen = new Set<string>();
    const row = this.rowAfter(events.slice(0, end), draft.state, stopped, seen);
    const recorded = await this.historyChanges(changes.all, row.position, draft.state);
    return {
      recording: this,
      store: () =>
        recorded.length > 0 || tellsMore(row, this.current) ? dependencies.writer.write(this.projection.name, row, recorded) : row,
      stored: (after) => {
        this.current = after;
        this.setAside = draft.state;
        for (const stream of seen) this.seen.add(stream);
      },
      rest: stopped ? [] : events.slice(end),
      characters: changes.characters,
    };
  }

  private async historyChanges(noted: readonly ChangeAt[], end: number, setAside: SetAside): Promise<readonly HistoryChange[]> {
    const texts = await this.sealed(noted.map(({ change }) => change));
    const changes = noted.map(({ position }, index) => historyChange(position, texts[index] as Change));
    const aside = setAsideChanges(this.setAside, setAside);
    return aside.marked ? [...changes, ...aside.changes.map((change) => historyChange(end, change))] : changes;
  }

  private rowAfter(events: readonly RecordedEvent[], setAside: SetAside, stopped: EventFailed | null, seen: Set<string>): ProjectionRow {
    const { current } = this;
    return {
      ...current,
      position: Number(events.at(-1)?.position ?? current.position),
      from: Math.max(current.from, this.lostBefore(events, seen)),
      setAside: current.setAside || !setAside.isEmpty,
      ...(stopped && {
        failure: {
          position: `${stopped.event.position}`,
          eventId: stopped.event.id,
          type: stopped.event.type,
          message: stopped.message.slice(0, 500),
        },
      }),
    };
  }

  /** The newest documents, opened. */
  private get newest(): ReadView {
    const { files, sealed } = this.dependencies;
    return sealed.opening(new PastView(files, () => this.current.build, NEWEST), this.projection.name);
  }

  private sealed(changes: readonly Change[]): Promise<readonly Change[]> {
    const { sealed } = this.dependencies;
    const { name } = this.projection;
    const concealed = changes.map((change) =>
      change.kind === 'put' ? { ...change, value: sealed.concealSecrets(name, change.collection, change.value) } : change,
    );
    return sealed.sealed(name, concealed);
  }

  /** Counters of messages are complete only from where all that is counted in them is still in the log. `seen`: streams that come for the first time. */
  private lostBefore(events: readonly RecordedEvent[], seen: Set<string>): number {
    let lost = 0;
    if (isComplete(this.current)) return lost;
    for (const { stream, revision, position } of events) {
      if (!this.dependencies.expiring.includes(categoryOf(stream)) || this.seen.has(stream) || seen.has(stream)) continue;
      seen.add(stream);
      if (revision > 0n) lost = Number(position);
    }
    return lost;
  }
}

/** Whether a row says more than how far the projection is, which the row of the front says for all. */
const tellsMore = (row: ProjectionRow, before: ProjectionRow): boolean =>
  row.from !== before.from || row.setAside !== before.setAside || row.failure !== null;

const historyChange = (position: number, change: Change): HistoryChange => {
  const { collection } = change;
  switch (change.kind) {
    case 'put':
      return { kind: 'put', position, collection, key: change.key, text: Buffer.from(change.value) };
    case 'delete':
      return { kind: 'delete', position, collection, key: change.key };
    case 'delete-prefix':
      return { kind: 'delete-prefix', position, collection, prefix: change.prefix };
  }
};
