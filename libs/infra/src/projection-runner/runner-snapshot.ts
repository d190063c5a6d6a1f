import type { Position } from '#domain/shared/events.js';
import type { BatchTimesSnapshot } from './batch-times.js';
import type { ProjectionFailure } from './failure.js';

export type RunnerState = 'catching-up' | 'live' | 'stopped';

/** What a runner knows without asking the stores. */
export type RunnerSnapshot = Readonly<{
  /**
   * `live` from the moment it has reached the head of the log, at work or standing by for another process;
   * `catching-up` before, and while a store cannot be reached; `stopped` at an event that fails.
   */
  state: RunnerState;
  /** Everything up to here is in the documents that are served. */
  position: Position;
  /** When the position last grew: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`; `null` = not since the start of this process. */
  appliedAt: string | null;
  failure: ProjectionFailure | null;
  /** Why the documents that are stored are not shown: they do not come from this log, and are being replaced. `null`: they do. */
  mismatch: string | null;
  times: BatchTimesSnapshot;
}>;
