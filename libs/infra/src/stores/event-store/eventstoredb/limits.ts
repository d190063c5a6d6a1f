import { backOff } from '#infra/platform/coordination/back-off.js';

/** Times in milliseconds, sizes in bytes. */
export type EventStoreDbLimits = Readonly<{
  /**
   * How long one attempt to append waits for its answer. Then its outcome counts as unknown, and the connection is replaced. Default 4,000.
   */
  appendMs: number;
  /** An append that takes longer is taken for one of many that are not answered: the store says that it is in trouble. Default 3,000. */
  slowMs: number;
  /** How long a read waits for the next message. Then the server counts as gone, and the connection is replaced. Default 4,000. */
  silenceMs: number;
  /**
   * How long to retry an unreachable server, or one that is not ready yet, before a call fails. Default 5,000. Calls that begin later in the same
   * outage are tried for a second.
   */
  retryMs: number;
  /** How often the outcome of one append may become unknown before the caller gets that error. Default 3. */
  unknownOutcomes: number;
  /** After this long without a message a live subscription compares itself with the log. Default 5,000. */
  idleMs: number;
  /** Most events that a live subscription holds for a slow consumer before it is ended and resumed later. Default 4,096. */
  queueEvents: number;
  /** The same in bytes of event data. Default 16 MiB. */
  queueBytes: number;
  /** A page of the whole log ends once it holds this many bytes of event data. Default 16 MiB. */
  pageBytes: number;
  /** Most bytes of event data in one append, and in one part of a large payload. Stock servers refuse 1,048,577. Default 1,000,000. */
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

/** Longest time in milliseconds for the connection that an append needs. Nothing has been sent by then. */
export const CONNECT_TIMEOUT_MS = 2_000;
