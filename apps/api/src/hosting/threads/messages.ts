import type { OwnMetrics } from '#api/operations/metrics/own-metrics.js';
import type { Configuration } from '#infra/platform/config/configuration.js';

/** Messages of the main process to an API thread. */
export type ToThread =
  | Readonly<{ kind: 'begin'; configuration: Configuration; thread: number; door: string }>
  /** Sent with the listening socket. `behind`: see {@link ThreadQuestion}. */
  | Readonly<{ kind: 'listen'; behind: boolean; draining: boolean }>
  | Readonly<{ kind: 'drain' }>
  | Readonly<{ kind: 'stop' }>
  | Readonly<{ kind: 'ask'; id: number; question: ThreadQuestion }>;

/**
 * `behind`: set while the main process answers everything. `destroyed`: subject of a destroyed key, or `null` if unknown. `metrics`:
 * requests the thread's metrics.
 */
export type ThreadQuestion = Readonly<
  { what: 'behind'; is: boolean } | { what: 'destroyed'; subject: string | null } | { what: 'metrics' }
>;

/** Messages of an API thread to the main process. */
export type FromThread = Readonly<{ kind: 'ready' } | { kind: 'answer'; id: number; result: OwnMetrics | null }>;
