import type { RetryTiming } from '#infra/platform/coordination/outage-retry.js';

/** All times are in milliseconds. */
export type RunnerTiming = RetryTiming &
  Readonly<{
    /** Time after which a checkpoint that stands still, although the log has newer events, has lost its runner. */
    takeoverMs: number;
    /** The same time for a process with the seat: the process that moved the checkpoint has lost it. */
    seatedTakeoverMs: number;
    /** Time for which progress without changed documents may stay uncommitted. */
    idleCommitMs: number;
    /** Time without a heartbeat after which a rebuild counts as dead. */
    rebuildSilenceMs: number;
  }>;

export const DEFAULT_TIMING: RunnerTiming = {
  takeoverMs: 3_000,
  seatedTakeoverMs: 300,
  firstRetryMs: 50,
  longestRetryMs: 5_000,
  idleCommitMs: 1_000,
  rebuildSilenceMs: 10_000,
};
