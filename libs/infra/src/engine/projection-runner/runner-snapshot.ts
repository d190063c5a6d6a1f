import type { Position } from '#domain/shared/events.js';
import type { BatchTimesSnapshot } from './batch-times.js';
import type { ProjectionFailure } from './failure.js';

export type RunnerState = 'catching-up' | 'live' | 'stopped';

/** State of a runner, known without reading the stores. */
export type RunnerSnapshot = Readonly<{
  /**
   * `live` once it has reached the head of the log, whether it works or stands by for another process; `catching-up` before that, and while
   * a store cannot be reached; `stopped` at a failing event.
   */
  state: RunnerState;
  /** Everything up to here is in the served documents. */
  position: Position;
  /** When the position last grew: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`; `null`: not since the start of this process. */
  appliedAt: string | null;
  failure: ProjectionFailure | null;
  /** Why the stored documents are not shown: they do not come from this log, and are being replaced. `null`: they are shown. */
  mismatch: string | null;
  times: BatchTimesSnapshot;
}>;
