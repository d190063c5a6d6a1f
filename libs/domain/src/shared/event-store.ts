import type { NewEvent, Position, RecordedEvent, Revision } from './events.js';

/** What a writer believes about a stream: its exact head revision, that it has no events, that it has some, or deliberately nothing. */
export type ExpectedRevision = Revision | 'no-stream' | 'stream-exists' | 'any';

/** `revision` and `position` are those of the last event of the append. */
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
  /** Stop once the JSON text of the data returned has reached this many bytes; one event is always returned. Default: no bound. */
  maxBytes?: number;
}>;

export type ReadAllOptions = Readonly<{
  /** Only events after this position, exclusive. Default `0n`: from the first. */
  after?: Position;
  categories?: CategoryFilter;
  /** At most this many events; at least 1. */
  limit: number;
}>;

/** A piece of the log, in log order. */
export type EventBatch = Readonly<{
  /** May be empty: then only `position` advanced, because what lies before it did not pass the filter. */
  events: readonly RecordedEvent[];
  /** Everything up to here, inclusive, has been read: resume after it. At least the position of the last event. */
  position: Position;
  /** True when the head of the log as it was when asked (a read) or subscribed (a subscription) is behind us; it stays true from then on. */
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
  /** Events older than this many seconds disappear from the stream; `null` = kept for ever. */
  maxAgeSeconds?: number | null;
  /** Only this many newest events stay in the stream; `null` = all. */
  maxCount?: number | null;
}>;

/**
 * The event log.
 *
 * Promises of every adapter: an append is atomic, and acknowledged only when it is durable; revisions of a stream have no gaps;
 * an event seen by any read stays (unless truncated) and everything with a smaller position was visible before it.
 */
export interface EventStore {
  /**
   * Appends at least one event atomically. The events are given away: from then on nobody changes them or what they hold.
   *
   * Idempotent on event ids: when the stream already holds these very ids in this order, that first result is returned and nothing is
   * written. For an exact revision and `no-stream` this holds at any distance in time and over restarts; for `any` and
   * `stream-exists` while the events are among the last 1,000 of the stream.
   *
   * @throws WrongExpectedRevision the stream is not where the writer believed; nothing was written
   * @throws AppendOutcomeUnknown connection lost, time limit, or shutdown: the events may be in the log or not; ask for them by id
   * @throws EventStoreUnavailable refused before anything was sent or written (disk full, not ready)
   * @throws InvalidAppend malformed stream name, id, type or data: never sent
   */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult>;

  /**
   * Reads a page of a stream, inclusive of `from`. A stream that does not exist, or whose events are all truncated, gives no events.
   * @throws EventStoreUnavailable
   */
  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /**
   * Reads a page of the whole log in order. Events of truncated stretches may or may not show up.
   * @throws EventStoreUnavailable
   */
  readAll(options: ReadAllOptions): Promise<EventBatch>;

  /** Position of the newest event that passes the filter, `0n` when there is none. @throws EventStoreUnavailable */
  head(categories?: CategoryFilter): Promise<Position>;

  /**
   * Position of the newest record of any kind. It never goes back while the log is the same one, whatever expires: a log that ends before a
   * position that was once read was replaced by an older copy. @throws EventStoreUnavailable
   */
  end(): Promise<Position>;

  /**
   * Calls `listener` whenever calls failed in a way that leaves room for another log in the place of this one: a lost connection, a server
   * that was down. Before anything of the log that is found then is handed to anybody. It may be called many times for one outage. An embedded
   * log never does: the process holds its files. Returns how to stop.
   */
  onInterruption(listener: () => void): () => void;

  /**
   * Catch-up, then live, in log order, each event once, for as long as `signal` is not aborted: outages are waited out with back-off
   * and resumed from the last event handed over. A batch is only produced when the consumer asks for the next one; a slow consumer
   * costs bounded memory and loses nothing. Sees appends of other processes too. Even with nothing to hand over, one batch with
   * `caughtUp: true` comes when the head is reached.
   */
  subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch>;

  /** Makes the events before `before` (exclusive) unreadable in the stream, for good. Revisions go on counting. */
  truncate(stream: string, before: Revision): Promise<void>;

  /** Sets what is given and leaves the other limit as it was. The stream need not exist yet. */
  setRetention(stream: string, retention: Retention): Promise<void>;

  /**
   * What keeps events from being appended or read now (damage, a full disk), in words for anybody: no paths, addresses, names of streams or
   * credentials. `null`: nothing is known. Looks afresh, so that it ends when its cause does.
   * @throws EventStoreUnavailable
   */
  trouble(): Promise<string | null>;

  /** Ends subscriptions, finishes appends under way, releases everything. Later calls fail with EventStoreUnavailable. */
  close(): Promise<void>;
}

/** The stream is not where the writer believed. Nothing was written. */
export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** The head revision found, or `no-stream`. */
    readonly actual: Revision | 'no-stream',
  ) {
    super(`stream ${stream}: expected ${expected}, found ${actual}`);
  }
}

/** Nobody can tell whether the events were written: read the stream and look for their ids. */
export class AppendOutcomeUnknown extends Error {
  override readonly name = 'AppendOutcomeUnknown';
  constructor(
    readonly stream: string,
    options?: ErrorOptions,
  ) {
    super(`stream ${stream}: the outcome of an append is unknown`, options);
  }
}

/** The log cannot be reached or does not accept this now; nothing was written by the call. */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}

/** A programming error of the caller, found before anything was sent. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
}
