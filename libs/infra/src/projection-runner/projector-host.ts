import type { EventBatch } from '#domain/shared/event-store.js';
import type { OutageRetry } from '#infra/coordination/outage-retry.js';
import type { SetAsideTracker } from '#infra/projection-runner/set-aside/set-aside-tracker.js';
import type { BatchTimes } from './batch-times.js';
import type { EventFailed } from './failure.js';
import type { PositionGate } from './position-gate.js';

/** The store lost commits (a failover without the last writes, a restored copy): go on from what it has. */
export class CheckpointLost extends Error {
  override readonly name = 'CheckpointLost';
}

/** What the projector needs of the runner it works for. */
export type ProjectorHost = Readonly<{
  gate: PositionGate;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  times: BatchTimes;
  signal: AbortSignal;
  /** A batch is done, or belongs to another runner. */
  handled: (batch: EventBatch) => void;
  /** An event fails of which nobody can tell the partition. Resolves when it makes sense to try again. */
  stopped: (failure: EventFailed) => Promise<void>;
}>;
