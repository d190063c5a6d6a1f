import type { EventBatch } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Projection } from '#projections/shared/projection.js';
import type { BatchTimes } from './batch-times.js';
import type { EventFailed } from './failure.js';

/** The store lost commits, in a failover or because an older copy was restored: go on from the checkpoint that it has. */
export class CheckpointLost extends Error {
  override readonly name = 'CheckpointLost';
}

/** @throws CheckpointLost */
export const assertNotLost = ({ name }: Projection, known: Position, actual: Position): void => {
  if (actual < known) throw new CheckpointLost(`projection ${name}: the checkpoint went back from ${known} to ${actual}`);
};

/** What a projector needs from the runner it works for. */
export type ProjectorHost = Readonly<{
  gate: PositionGate;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  times: BatchTimes;
  signal: AbortSignal;
  /** A checkpoint that another process has moved, and that has stood still for this long although the log has newer events, is taken over. */
  takeoverMs: number;
  /** Called when a batch has been applied, by this runner or another one. */
  onBatch: (batch: EventBatch) => void;
  /** Stops at a failing event that belongs to no partition. Resolves when it is worth another try. */
  stopAt: (failure: EventFailed) => Promise<void>;
}>;
