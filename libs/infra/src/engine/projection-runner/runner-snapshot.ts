import type { Position } from '#domain/shared/events.js';

export type RunnerState = 'catching-up' | 'live';

/** State of a runner, known without reading the stores. */
export type RunnerSnapshot = Readonly<{
  /**
   * `live`: it has reached the head of the log, whether it is active or stands by for another process. `catching-up`: before that, and
   * while a store is unreachable.
   */
  state: RunnerState;
  /** Everything up to here is in the served documents. */
  position: Position;
  /** Time of the last advance: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`; `null` if there was none since the start of this process. */
  appliedAt: string | null;
  /** Reason why the stored documents are hidden: they do not come from this log, and are being replaced. `null`: they are shown. */
  mismatch: string | null;
  /** Time that the last batch took here, in seconds; 0: there was none. */
  batchSeconds: number;
}>;
