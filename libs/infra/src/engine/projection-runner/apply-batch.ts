import type { RecordedEvent } from '#domain/shared/events.js';
import { type PartitionFailure, SetAside, SetAsideBatch } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change, ReadView } from '#projections/shared/read-store.js';
import { EventFailed } from './failure.js';
import { foldEvents } from './fold.js';
import type { TimedEvent } from './progress/pace.js';
import type { RecentDocuments } from './recent-documents.js';
import { WorkingSet } from './working-set.js';

/**
 * Result of a batch: changes of the documents and of the set-aside partitions. With a failure, the result of the events before the failing
 * one.
 */
export type BatchOutcome = Readonly<{
  changes: readonly Change[];
  failure: EventFailed | null;
  setAside: SetAside;
  /** Failures of the partitions that the batch sets aside. */
  failures: readonly PartitionFailure[];
  slowest: TimedEvent | null;
}>;

/** State before a batch. */
type BatchStart = Readonly<{
  setAside: SetAside;
  /** Ids of events that an operator has skipped for this projection. */
  skipped: ReadonlySet<string>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  /** Return the changes of each event, for a store that keeps the past. Default: only the last state of each document. */
  versions?: boolean;
  /** Documents as left by the previous batch, updated by this one. Default: all are fetched. */
  recent?: RecentDocuments;
}>;

const START: BatchStart = { setAside: SetAside.NONE, skipped: new Set(), now: 0 };

/**
 * Computes the changes of a projection's documents for a batch of recorded events. Writes nothing.
 * @throws EventStoreUnavailable, ReadStoreUnavailable
 */
export const applyBatch = async (
  projection: Projection,
  decode: DecodeEvents,
  documents: ReadView,
  recorded: readonly RecordedEvent[],
  { setAside, versions = false, recent, ...start }: BatchStart = START,
): Promise<BatchOutcome> => {
  const { partitions: partitioning } = projection;
  // Documents are encoded once, at the end. If one cannot be encoded, the batch is repeated with each event encoding its own documents.
  for (let eager = false; ; eager = true) {
    const draft = new SetAsideBatch(setAside, { partitioning, ...start });
    const set = new WorkingSet(projection, versions ? 'versions' : eager ? 'eager' : 'newest', recent);
    const failure = await foldEvents(projection, decode, documents, set, recorded, draft);
    try {
      const changes = set.changes();
      set.remember();
      const { state } = draft;
      return { changes, failure, setAside: state, failures: draft.failures, slowest: set.slowest };
    } catch (error) {
      if (eager || !(error instanceof EventFailed)) throw error;
    }
  }
};

/** Result for a single refused event: it is held back already, or its partition is set aside, or the event is the failure of the batch. */
export const batchOf = (
  failed: EventFailed,
  event: RecordedEvent,
  { partitions: partitioning }: Projection,
  { setAside, ...start }: BatchStart,
): BatchOutcome => {
  const draft = new SetAsideBatch(setAside, { partitioning, ...start });
  const isAttributed = draft.skips(event) || draft.setAside(event, failed);
  return {
    changes: [],
    failure: isAttributed ? null : failed,
    setAside: draft.state,
    failures: draft.failures,
    slowest: null,
  };
};
