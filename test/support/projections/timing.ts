import type { RunnerTiming } from '#infra/engine/projection-runner/runner-timing.js';
import { LONGEST_MS } from '#test/support/eventually.js';

/** No process is taken for dead because the machine is busy; pauses are short. */
export const PATIENT_TIMING: RunnerTiming = {
  takeoverMs: LONGEST_MS,
  seatedTakeoverMs: LONGEST_MS,
  rebuildSilenceMs: LONGEST_MS,
  firstRetryMs: 5,
  longestRetryMs: 40,
  idleCommitMs: 100,
};

/** For tests that wait until a process takes over from one that died. */
export const SHORT_TIMING: RunnerTiming = { ...PATIENT_TIMING, takeoverMs: 300, seatedTakeoverMs: 100, rebuildSilenceMs: 500 };
