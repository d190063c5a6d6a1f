import type { RecordedEvent } from '#domain/shared/events.js';
import { categoryOf } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/event-store/category-filter.js';
import type { DecodeEvents } from '#infra/projection-runner/apply-batch.js';
import { foldEvents } from '#infra/projection-runner/apply-batch.js';
import type { EventFailed } from '#infra/projection-runner/failure.js';
import { SetAside, SetAsideBatch } from '#infra/projection-runner/set-aside/set-aside.js';
import { readSetAside, setAsideChanges } from '#infra/projection-runner/set-aside/set-aside-documents.js';
import { WorkingSet } from '#infra/projection-runner/working-set.js';
import type { SealedDocuments } from '#infra/read-store/sealed/sealed-documents.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change, ReadView } from '#projections/shared/read-store.js';
import { type ChangeAt, EventChanges } from './event-changes.js';
import type { HistoryFiles, ProjectionRow } from './files.js';
import { NEWEST, PastView } from './past-view.js';
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

const NO_NAMESPACE = { projection: '', version: 0, slot: 'a', generation: 0 } as const;

/** The history of one projection, while it is recorded. */
export class ProjectionRecording {
  /** Streams of expiring categories that were seen while earlier events were read from the log. */
  private readonly seen = new Set<string>();
  private readonly expires: boolean;

  private constructor(
    private readonly dependencies: RecordingDependencies,
    readonly projection: Projection,
    private current: ProjectionRow,
    private setAside: SetAside,
    /** Ids of events that operators have skipped. */
    private readonly skipped: ReadonlySet<string>,
    /** Events up to here were in the log before this history was begun: what is missing of them has expired. */
    private readonly oldUntil: number,
  ) {
    this.expires = dependencies.expiring.some((category) => passes(parseFilter(projection.categories), category));
  }

  static async open(
    dependencies: RecordingDependencies,
    projection: Projection,
    row: ProjectionRow,
    skipped: ReadonlySet<string>,
    oldUntil: number,
  ): Promise<ProjectionRecording> {
    const view = new PastView(dependencies.files, () => row.build, NEWEST);
    const { setAside } = row.setAside
      ? await readSetAside({ marks: async () => 'some', documents: () => view }, NO_NAMESPACE)
      : { setAside: SetAside.NONE };
    return new ProjectionRecording(dependencies, projection, row, setAside, skipped, oldUntil);
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

  /** Everything up to the position is recorded; the caller stores that. */
  advance(position: number): void {
    if (position > this.position && !this.current.failure) this.current = { ...this.current, position };
  }

  /** Records events of any categories, in log order. Everything up to the last one is recorded then. @throws EventStoreUnavailable */
  async record(events: readonly RecordedEvent[], decode: DecodeEvents): Promise<void> {
    const filter = parseFilter(this.projection.categories);
    let left = events.filter(({ stream, position }) => Number(position) > this.position && passes(filter, categoryOf(stream)));
    while (left.length > 0 && !this.current.failure) left = await this.step(left, decode);
  }

  /** Returns the events that are left for the next step. */
  private async step(events: readonly RecordedEvent[], decode: DecodeEvents): Promise<RecordedEvent[]> {
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
    await this.commit(events.slice(0, end), changes.all, draft.state, stopped);
    return events.slice(end);
  }

  private async commit(
    events: readonly RecordedEvent[],
    noted: readonly ChangeAt[],
    setAside: SetAside,
    stopped: EventFailed | null,
  ): Promise<void> {
    const { name } = this.projection;
    const last = events.at(-1);
    const position = last ? Number(last.position) : this.position;
    const texts = await this.sealed(noted.map(({ change }) => change));
    const changes = noted.map(({ position: at }, index) => historyChange(at, texts[index] as Change));
    const aside = setAsideChanges(this.setAside, setAside);
    if (aside.marked) changes.push(...aside.changes.map((change) => historyChange(position, change)));
    const row: ProjectionRow = {
      ...this.current,
      position,
      from: Math.max(this.current.from, this.lostBefore(events)),
      setAside: this.current.setAside || !setAside.isEmpty,
      ...(stopped && {
        failure: {
          position: `${stopped.event.position}`,
          eventId: stopped.event.id,
          type: stopped.event.type,
          message: stopped.message.slice(0, 500),
        },
      }),
    };
    this.current = await this.dependencies.files.write(() => this.dependencies.writer.write(name, row, changes));
    this.setAside = setAside;
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

  /** Counters of messages are complete only from where all that is counted in them is still in the log. */
  private lostBefore(events: readonly RecordedEvent[]): number {
    let lost = 0;
    if (!this.expires || this.position >= this.oldUntil) return lost;
    for (const { stream, revision, position } of events) {
      if (!this.dependencies.expiring.includes(categoryOf(stream)) || this.seen.has(stream)) continue;
      this.seen.add(stream);
      if (revision > 0n) lost = Number(position);
    }
    return lost;
  }
}

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
