import type { RetryTiming } from '#infra/platform/coordination/outage-retry.js';

/** In milliseconds. */
export type RunnerTiming = RetryTiming &
  Readonly<{
    /** A checkpoint that has stood still for this long although the log has newer events has lost its runner. */
    takeoverMs: number;
    /** The same for a process that has the seat: whoever moved the checkpoint has lost it. */
    seatedTakeoverMs: number;
    /** How long progress that changes no document may stay uncommitted. */
    idleCommitMs: number;
    /** A rebuild without a heart beat for this long is dead. */
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
