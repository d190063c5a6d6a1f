import type { Day } from '#domain/shared/time.js';

/** Results of a report that are being computed in the background, or were. Plain data: it travels between threads. */
export type ResultsRun = Readonly<{
  tenantId: string;
  /** Of the report. */
  name: string;
  from: Day;
  to: Day;
  /** Days. */
  done: number;
  total: number;
  state: 'running' | 'done';
  /** When it began, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
  since: string;
}>;

/** How far the computation in the background is. */
export type ResultsProgress = Readonly<{
  runs: readonly ResultsRun[];
  /** Days that wait to be computed. */
  daysWaiting: number;
  /** Bytes of all stored documents. */
  bytes: number;
  /** How long the day took that was asked for last, in milliseconds; with the wait for its turn. */
  lastMs: number;
}>;
