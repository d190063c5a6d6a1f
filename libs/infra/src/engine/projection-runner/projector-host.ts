import type { EventBatch } from '#domain/shared/event-store.js';
import type { Pace } from '#infra/engine/projection-runner/progress/pace.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { BatchTimes } from './batch-times.js';
import type { EventFailed } from './failure.js';

/** Parts of the runner used by the code that applies the log. */
export type ProjectorHost = Readonly<{
  gate: PositionGate;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  times: BatchTimes;
  pace: Pace;
  signal: AbortSignal;
  /** Called when this runner or another one has applied a batch. */
  onBatch: (batch: EventBatch) => void;
  /** Stops at a failing event without a partition. Resolves when a retry is worthwhile. */
  stopAt: (failure: EventFailed) => Promise<void>;
}>;
