import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { EventFailed, EventReference } from '#infra/engine/projection-runner/failure.js';
import {
  type LeftOutEvents,
  type PartitionFailure,
  type SetAside,
  SetAsideBatch,
} from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { leftOutChanges, setAsideChanges } from '#infra/engine/projection-runner/set-aside/set-aside-documents.js';
import { refuseUnlessOutage } from '#infra/platform/program/outage.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import type { OriginTrail } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change, ReadView } from '#projections/shared/read-store.js';
import { foldEvents } from './fold.js';
import type { RecentDocuments } from './recent-documents.js';
import { WorkingSet } from './working-set.js';

/**
 * A step is committed at this many documents, or bytes of them: documents changed by many events are then encoded once. Larger steps are
 * not faster, block other clients of Redis longer, and cost memory.
 */
const MAX_DOCUMENTS = 1_000;
const MAX_BYTES = 16 * 2 ** 20;

type StepContext = Readonly<{
  /** Ids of events that an operator has skipped for this projection. */
  skipped: ReadonlySet<string>;
  alike: LeftOutEvents | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
}>;

/** Events that are applied in memory and committed together. */
export class OpenStep {
  readonly set: WorkingSet;
  readonly failures: PartitionFailure[] = [];
  /** Number of events. */
  events = 0;
  /** Position of its last event, or the end of what was read. */
  processed: Position;
  /** Failing events that are left out. */
  private readonly leftOut: EventReference[] = [];

  constructor(
    private readonly projection: Projection,
    form: 'newest' | 'versions',
    recent: RecentDocuments,
    private readonly context: StepContext,
    /** State of the origin at its beginning. */
    readonly trail: OriginTrail['state'],
    /** Set-aside state at `processed`. */
    public setAside: SetAside,
    /** Its beginning. */
    readonly from: Position,
  ) {
    this.set = new WorkingSet(projection, form, recent);
    this.processed = from;
  }

  get isFull(): boolean {
    return this.set.size >= MAX_DOCUMENTS || this.set.bytes >= MAX_BYTES;
  }

  /** Applies events. @throws StepRefused, EventStoreUnavailable, ReadStoreUnavailable, NamespaceGone */
  async fold(decode: DecodeEvents, documents: ReadView, events: readonly RecordedEvent[]): Promise<void> {
    const batch = this.batch();
    await foldEvents(this.projection, decode, documents, this.set, events, batch).catch(refuseUnlessOutage);
    this.take(batch);
  }

  /** Handles an event that cannot be committed. */
  refuse(event: RecordedEvent, failure: EventFailed): void {
    const batch = this.batch();
    if (!batch.skips(event)) batch.setAside(event, failure);
    this.take(batch);
  }

  reach(position: Position, events: number): void {
    if (position > this.processed) this.processed = position;
    this.events += events;
  }

  /**
   * Changes of the documents, and of what is set aside or left out. `isMarked`: see {@link setAsideChanges}.
   * @param before the set-aside state at its beginning
   * @throws EventFailed a document cannot be encoded; the failure names the event that wrote it
   */
  changes(before: SetAside): Readonly<{ changes: readonly Change[]; isMarked: boolean }> {
    const documents = this.set.changes();
    const { changes, isMarked } = setAsideChanges(before, this.setAside);
    const notes = [...changes, ...leftOutChanges(this.leftOut)];
    return { changes: notes.length > 0 ? [...documents, ...notes] : documents, isMarked };
  }

  private batch(): SetAsideBatch {
    const { projection, context, setAside } = this;
    return new SetAsideBatch(setAside, { ...context, partitioning: projection.partitions, now: context.now() });
  }

  private take(batch: SetAsideBatch): void {
    this.setAside = batch.state;
    this.failures.push(...batch.failures);
    this.leftOut.push(...batch.leftOut);
  }
}
