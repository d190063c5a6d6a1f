import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { describeFailure, type EventFailed, type EventReference, type ProjectionFailure } from '#infra/engine/projection-runner/failure.js';
import type { Partitioning } from '#projections/shared/partitions.js';

/**
 * Partitions whose events are held back together, because an event concerns all of them; usually one. The group is named after the
 * partition whose event failed first.
 */
export type SetAsideGroup = Readonly<{
  id: string;
  /** Events of these partitions are held back from the position on, inclusive. */
  partitions: ReadonlyMap<string, Position>;
  failure: ProjectionFailure;
  /** Number of waiting events, including the failing one. */
  waiting: number;
  /** Set by release 1.0.0, which counts waiting events elsewhere. */
  isEarlier?: boolean;
}>;

/** Events to leave out in a build: those of these partitions that fail with this message. */
export type LeftOutEvents = Readonly<{ partitions: readonly string[]; message: string }>;

/** The set-aside partitions of one set of documents. Immutable: a change creates a new one. */
export class SetAside {
  static readonly NONE = new SetAside([]);

  readonly groups: ReadonlyMap<string, SetAsideGroup>;
  private readonly byPartition = new Map<string, SetAsideGroup>();

  constructor(groups: Iterable<SetAsideGroup>) {
    this.groups = new Map(Array.from(groups, (group) => [group.id, group]));
    for (const group of this.groups.values()) for (const partition of group.partitions.keys()) this.byPartition.set(partition, group);
  }

  get isEmpty(): boolean {
    return this.groups.size === 0;
  }

  /** Number of partitions. */
  get size(): number {
    return this.byPartition.size;
  }

  /** The group that contains the partition. */
  find(partition: string): SetAsideGroup | undefined {
    return this.byPartition.get(partition);
  }
}

type BatchContext = Readonly<{
  partitioning: Partitioning;
  /** Ids of events that an operator has skipped for this projection. */
  skipped: ReadonlySet<string>;
  /** Failing events to leave out. Default: none. */
  alike?: LeftOutEvents | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
}>;

/** A partition that was set aside, and the failure. */
export type PartitionFailure = Readonly<{ partition: string; failure: EventFailed }>;

/** The set-aside state during one batch: how failing events and the events after them are handled. */
export class SetAsideBatch {
  /** The changed groups; `undefined` if nothing has changed. */
  private groups: Map<string, SetAsideGroup> | undefined;
  readonly failures: PartitionFailure[] = [];
  /** Failing events that are left out. */
  readonly leftOut: EventReference[] = [];
  /** Group id of each partition affected by a change. */
  private readonly moved = new Map<string, string>();

  constructor(
    private readonly base: SetAside,
    private readonly context: BatchContext,
  ) {}

  /** State after the batch; the same object as at the beginning if nothing has changed. */
  get state(): SetAside {
    return this.groups ? new SetAside(this.groups.values()) : this.base;
  }

  /** True if nothing is skipped in the current state. */
  get idle(): boolean {
    return this.context.skipped.size === 0 && (this.groups ?? this.base.groups).size === 0;
  }

  /** Returns whether the event would be skipped in the current state. Changes nothing. */
  wouldSkip(event: RecordedEvent): boolean {
    return this.context.skipped.has(event.id) || this.groupsOf(this.partitionsOf(event)).length > 0;
  }

  /** Returns whether the event is skipped permanently or held back, which counts it as waiting. Call it once per event, in order. */
  skips(event: RecordedEvent): boolean {
    if (this.context.skipped.has(event.id)) return true;
    const partitions = this.partitionsOf(event);
    const [first, ...others] = this.groupsOf(partitions);
    if (!first) return false;
    for (const { id } of others) this.changed().delete(id);
    this.put(joined(first, others, partitions, event.position));
    return true;
  }

  /** Sets aside the partitions of a failing event, unless it is left out. */
  setAside(event: RecordedEvent, failure: EventFailed): void {
    const { partitioning, now, alike } = this.context;
    const partitions = partitioning.ofEvent(event);
    const [id] = partitions;
    const described = describeFailure(failure, now);
    if (alike?.message === described.message && partitions.some((partition) => alike.partitions.includes(partition))) {
      this.leftOut.push(failure.event);
      return;
    }
    const from = new Map(partitions.map((partition) => [partition, event.position]));
    this.failures.push({ partition: id, failure });
    this.put({ id, partitions: from, failure: described, waiting: 1 });
  }

  /** Empty while nothing is set aside. */
  private partitionsOf(event: RecordedEvent): readonly string[] {
    const { partitioning } = this.context;
    return (this.groups?.size ?? this.base.groups.size) > 0 ? partitioning.ofEvent(event) : [];
  }

  /** Groups of these partitions, beginning with the one that failed first. */
  private groupsOf(partitions: readonly string[]): readonly SetAsideGroup[] {
    const found = new Set(partitions.flatMap((partition) => this.find(partition) ?? []));
    return [...found].sort((one, other) => (one.failure.position < other.failure.position ? -1 : 1));
  }

  private find(partition: string): SetAsideGroup | undefined {
    const id = this.moved.get(partition) ?? this.base.find(partition)?.id;
    return id === undefined ? undefined : (this.groups ?? this.base.groups).get(id);
  }

  private put(group: SetAsideGroup): void {
    this.changed().set(group.id, group);
    for (const partition of group.partitions.keys()) this.moved.set(partition, group.id);
  }

  private changed(): Map<string, SetAsideGroup> {
    this.groups ??= new Map(this.base.groups);
    return this.groups;
  }
}

/** Adds a waiting event: all groups that it concerns are merged, with all partitions that it concerns. */
const joined = (
  first: SetAsideGroup,
  others: readonly SetAsideGroup[],
  partitions: readonly string[],
  position: Position,
): SetAsideGroup => {
  const all = [first, ...others];
  const from = new Map(partitions.map((partition) => [partition, position]));
  for (const group of all) for (const [partition, since] of group.partitions) from.set(partition, since);
  return {
    ...first,
    partitions: from,
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 1),
  };
};
