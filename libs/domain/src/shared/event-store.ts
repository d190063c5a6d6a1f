import type { NewEvent, Position, RecordedEvent, Revision } from './events.js';

/**
 * Any revision from the one that the writer last knew; `no-stream`: it knows of no events. `sentBefore`: an earlier attempt may have been written,
 * so the store looks for its ids after that revision first.
 */
export type FromRevision = Readonly<{ from: Revision | 'no-stream'; sentBefore?: boolean }>;

/**
 * Expected revision of a stream: the exact revision of its last event, no events, or deliberately anything: for writers that do not compete. `any` is
 * {@link FromRevision} of a writer that knows of no events, and sends its own once.
 */
export type ExpectedRevision = Revision | 'no-stream' | 'any' | FromRevision;

/** Revision and position of the last event of the append. */
export type AppendResult = Readonly<{ revision: Revision; position: Position }>;

/**
 * Stream categories to read: an exact name (`status.tenants`), or all of a service (`status.*`).
 * Left out: every stream, system streams (names starting with `$`) excepted.
 */
export type CategoryFilter = readonly string[];

export type ReadStreamOptions = Readonly<{
  /** First revision to return, inclusive. Default: the first event forwards, the last one backwards. */
  from?: Revision;
  /** Default `forwards`. */
  direction?: 'forwards' | 'backwards';
  /** At most this many events; at least 1. */
  limit: number;
  /** Stop when the JSON text of the returned data has reached this many bytes; at least one event is returned. Default: no limit. */
  maxBytes?: number;
}>;

export type ReadAllOptions = Readonly<{
  /** Only events after this position, exclusive. Default `0n`: from the first. */
  after?: Position;
  categories?: CategoryFilter;
  /** At most this many events; at least 1. */
  limit: number;
  /** Aborting it ends a long search for rare events with an error. Default: only the end of the store or of its server does. */
  signal?: AbortSignal | undefined;
}>;

/** A page of the log, in log order. */
export type EventBatch = Readonly<{
  /** May be empty: then only `position` has advanced, over events that did not pass the filter. */
  events: readonly RecordedEvent[];
  /** Everything up to this position, inclusive, has been read: resume after it. At least the position of the last event. */
  position: Position;
  /** Whether the page reaches the head of the log at the time of the read, or of the subscription; stays true from then on. */
  caughtUp: boolean;
}>;

export type SubscribeOptions = Readonly<{
  /** Only events after this position, exclusive. */
  after: Position;
  categories?: CategoryFilter;
  /** Ends the subscription: the iteration finishes without an error. */
  signal: AbortSignal;
  /** At most this many events in one batch. Default 500. */
  maxBatch?: number;
}>;

export type Retention = Readonly<{
  /** Events older than this many seconds disappear from the stream; `null`: events are kept for ever. */
  maxAgeSeconds?: number | null;
  /** Only this many newest events stay in the stream; `null`: all events stay. */
  maxCount?: number | null;
}>;

/** Calls whose failures are notified: all, or reads and subscriptions only. */
export type InterruptedCalls = 'calls' | 'reads';

/**
 * The event log.
 *
 * Promises of every adapter: an append is atomic, and acknowledged only when it is durable; revisions of a stream have no gaps;
 * an event seen by any read stays (unless truncated) and everything with a smaller position was visible before it.
 */
export interface EventStore {
  /**
   * Appends at least one event atomically. The store owns the events from then on: callers must not change them or their data.
   *
   * Idempotent on event ids: if the stream already has these ids in this order, nothing is written and the result of the first append is
   * returned. With an exact revision and `no-stream` this holds for ever, also over restarts; with {@link FromRevision} if `sentBefore` is set. With
   * `any` the events may be written again.
   *
   * @throws WrongExpectedRevision the stream has another revision, and reads show its events unless they have expired; nothing was written
   * @throws AppendOutcomeUnknown connection lost, time limit, or shutdown: the events may be in the log or not; look for their ids
   * @throws EventStoreUnavailable nothing was sent or written (disk full, not ready)
   * @throws InvalidAppend malformed stream name, id, type or data: never sent
   */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult>;

  /**
   * Reads a page of a stream, including `from`. A stream that does not exist, or whose events are all truncated, has no events.
   * @throws EventStoreUnavailable
   */
  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /**
   * Reads a page of the whole log in order. Truncated events may or may not be included.
   * @throws EventStoreUnavailable
   */
  readAll(options: ReadAllOptions): Promise<EventBatch>;

  /** Position of the newest event that passes the filter; `0n` if there is none. @param signal as of `readAll` @throws EventStoreUnavailable */
  head(categories?: CategoryFilter, signal?: AbortSignal): Promise<Position>;

  /**
   * Position of the newest record of any kind. It never decreases in the same log, even when events expire: a log that ends before a position
   * read earlier has been replaced by an older copy. @throws EventStoreUnavailable
   */
  end(): Promise<Position>;

  /**
   * Calls `listener` after failures during which the log could have been replaced, such as a lost connection or a server outage. The call precedes
   * the first read after the outage and may be repeated for one outage. An embedded log never calls it, because the process holds its files.
   * Returns a function that ends the notifications.
   * @param of `reads`: only failures after which another log may be read, not those of appends alone. Default `calls`: all
   */
  onInterruption(listener: () => void, of?: InterruptedCalls): () => void;

  /**
   * Catches up, then follows the log live, in log order, each event once, until `signal` is aborted. After an outage it retries with back-off and
   * resumes after the last event that was delivered. A batch is produced only on request of the consumer: a slow consumer uses bounded memory and
   * misses nothing. Includes appends of other processes. When the head is reached, one batch with `caughtUp: true` is
   * delivered even if it is empty.
   */
  subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch>;

  /** Makes the events before `before` (exclusive) permanently unreadable in the stream. Revisions continue. */
  truncate(stream: string, before: Revision): Promise<void>;

  /** Sets the given limits and leaves others unchanged. The stream need not exist yet. */
  setRetention(stream: string, retention: Retention): Promise<void>;

  /**
   * Reason why events cannot be appended or read now (damage, a full disk), in words without paths, addresses, stream names or credentials, so it may be
   * shown to anybody. `null` if no problem is known. Checked on each call, so the answer changes when the cause is gone.
   * @throws EventStoreUnavailable
   */
  trouble(): Promise<string | null>;

  /** Ends subscriptions, waits for running appends, releases everything. Later calls fail with EventStoreUnavailable. */
  close(): Promise<void>;
}

/** The stream has another revision than the writer expected. Nothing was written. */
export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** Actual revision of the last event, or `no-stream`. */
    readonly actual: Revision | 'no-stream',
  ) {
    super(`stream ${stream}: expected ${typeof expected === 'object' ? `any from ${expected.from}` : expected}, found ${actual}`);
  }
}

/** It is unknown whether the events were written: read the stream and look for their ids. */
export class AppendOutcomeUnknown extends Error {
  override readonly name = 'AppendOutcomeUnknown';
  constructor(
    readonly stream: string,
    options?: ErrorOptions,
  ) {
    super(`stream ${stream}: the outcome of an append is unknown`, options);
  }
}

/** The log is unreachable or refuses the call; the call wrote nothing. */
export class EventStoreUnavailable extends Error {
  override readonly name: string = 'EventStoreUnavailable';
}

/** The log was opened for reading, so this process never appends. */
export class EventStoreReadOnly extends EventStoreUnavailable {
  override readonly name = 'EventStoreReadOnly';
}

/** A programming error of the caller, detected before anything was sent. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
}
