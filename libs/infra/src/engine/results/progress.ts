import type { Day } from '#domain/shared/time.js';

/** Computation of a report's results in the background, running or ended. Plain data, because it is passed between threads. */
export type ResultsRun = Readonly<{
  tenantId: string;
  /** Name of the report. */
  name: string;
  from: Day;
  to: Day;
  /** Number of days. */
  done: number;
  total: number;
  state: 'running' | 'done';
  /** Time of its start, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
  since: string;
}>;

/** Progress of the computation in the background. */
export type ResultsProgress = Readonly<{
  runs: readonly ResultsRun[];
  /** Number of days waiting for computation. */
  daysWaiting: number;
  /** Bytes of all stored documents. */
  bytes: number;
  /** Duration of the last requested day in milliseconds, including the wait for its turn. */
  lastMs: number;
}>;
