import { backOff } from '#infra/platform/coordination/back-off.js';

/** Times in milliseconds, sizes in bytes. */
export type EventStoreDbLimits = Readonly<{
  /** Time to wait for the answer to one append attempt. After it, the outcome is unknown and the connection is replaced. Default 4,000. */
  appendMs: number;
  /** An append that takes longer counts as a sign that appends get no answers: the store then reports trouble. Default 3,000. */
  slowMs: number;
  /** Time that a read waits for the next message. After it, the server counts as gone and the connection is replaced. Default 4,000. */
  silenceMs: number;
  /**
   * Time to retry an unreachable or not yet ready server before a call fails. Default 5,000. Calls that begin later in the same outage are
   * retried for one second.
   */
  retryMs: number;
  /** Attempts of one append that may end with an unknown outcome before the caller gets that error. Default 3. */
  unknownOutcomes: number;
  /** Time without a message after which a live subscription compares itself with the log. Default 5,000. */
  idleMs: number;
  /** Maximum number of events held for a slow consumer before a live subscription is ended and resumed later. Default 4,096. */
  queueEvents: number;
  /** The same limit in bytes of event data. Default 16 MiB. */
  queueBytes: number;
  /** A page of the whole log ends once it holds this many bytes of event data. Default 16 MiB. */
  pageBytes: number;
  /** Maximum bytes of the events of one append. Stock servers refuse 1,048,577. Default 1,000,000. */
  appendBytes: number;
}>;

export const DEFAULT_LIMITS: EventStoreDbLimits = {
  appendMs: 4_000,
  slowMs: 3_000,
  silenceMs: 4_000,
  retryMs: 5_000,
  unknownOutcomes: 3,
  idleMs: 5_000,
  queueEvents: 4_096,
  queueBytes: 16 * 1024 * 1024,
  pageBytes: 16 * 1024 * 1024,
  appendBytes: 1_000_000,
};

/** Milliseconds between two attempts of one call. */
export const retryPauseMs = backOff(20, 250);

/** Maximum time in milliseconds to connect for an append. Nothing has been sent by then. */
export const CONNECT_TIMEOUT_MS = 2_000;
