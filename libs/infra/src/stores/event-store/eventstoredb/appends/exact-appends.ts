import { setTimeout as sleep } from 'node:timers/promises';
import { AppendOutcomeUnknown, type AppendResult, EventStoreUnavailable, WrongExpectedRevision } from '#domain/shared/event-store.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import type { LogConnection } from '../connection.js';
import { CallRefused, Conflict, NoAnswer, NotConnected, NotReady } from '../errors.js';
import type { Interruptions } from '../interruptions.js';
import { type EventStoreDbLimits, retryPauseMs } from '../limits.js';
import { heldAt, type StreamPlaces } from '../messages/places.js';
import { bytes, type EncodedEvent, type SentExpectation } from '../messages/requests.js';
import { Patience } from '../patience.js';

/** Minimum time to look for events whose append has no known outcome, in milliseconds. */
const SHORTEST_SEARCH_MS = 1_000;

/** Time to wait for events that may have expired, in milliseconds: as long as the server waits for a write before it reports a timeout. */
const LONGEST_DOUBT_MS = 2_000;

/** Milliseconds between two searches for events that the server has accepted; most become readable soon. */
const lookPauseMs = backOff(2, 100);

/** Name of a stream that Logbook does not use and that is never written to. */
const PROBE_STREAM = 'logbook-probe';
const PROBE_REVISION = 2n ** 40n;
const EMPTY_JSON = bytes('{}');
const PROBE_EVENT: EncodedEvent = {
  id: '6c6f6762-6f6f-8b2d-a072-6f6265000000',
  type: 'Probe',
  data: EMPTY_JSON,
  metadata: EMPTY_JSON,
  contentType: 'application/json',
};

type Outcome = Readonly<{ result: AppendResult } | { error: unknown }>;

/** Appends, retried through outages. Only those with an exact expectation can be repeated without writing twice. */
export class ExactAppends {
  private readonly patience: Patience;
  /** Start times of appends without an outcome, oldest first. */
  private readonly underWay = new Set<Readonly<{ at: number }>>();

  constructor(
    readonly connection: LogConnection,
    readonly reads: StreamPlaces,
    readonly limits: EventStoreDbLimits,
    /** Aborted when the store closes; then there are no more attempts. */
    readonly closing: AbortSignal,
    readonly interruptions: Interruptions,
  ) {
    this.patience = new Patience(limits.retryMs);
  }

  /**
   * Repeats the same ids with the same expectation until the outcome is known or the limits are reached. `any` may write them twice.
   * @throws WrongExpectedRevision, AppendOutcomeUnknown, EventStoreUnavailable as described at `EventStore.append`
   */
  append(stream: string, events: readonly EncodedEvent[], expected: SentExpectation): Promise<AppendResult> {
    return this.noted(() => this.repeated(stream, events, expected));
  }

  /** Sends an append once, without an expectation. `isUnknown`: it may have been written although it failed. */
  async sendAnywhere(
    stream: string,
    events: readonly EncodedEvent[],
  ): Promise<Readonly<{ result: AppendResult } | { result?: never; isUnknown: boolean }>> {
    const outcome = await this.noted(() => this.attempt(stream, events, 'any', this.patience.until()));
    return 'result' in outcome ? outcome : { isUnknown: !isHarmless(outcome.error) };
  }

  private async noted<Result>(work: () => Promise<Result>): Promise<Result> {
    const started = { at: performance.now() };
    this.underWay.add(started);
    try {
      return await work();
    } finally {
      this.underWay.delete(started);
    }
  }

  private async repeated(stream: string, events: readonly EncodedEvent[], expected: SentExpectation): Promise<AppendResult> {
    const until = this.patience.until();
    let unknownOutcomes = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.attempt(stream, events, expected, until);
      if ('result' in outcome) return outcome.result;
      const { error } = outcome;
      if (error instanceof Conflict) return this.resolveConflict(stream, events, expected, error, unknownOutcomes > 0);
      let isAbsent = false;
      if (!isHarmless(error)) {
        unknownOutcomes += 1;
        const found = await this.find(stream, events, expected, until);
        if (found.result) return found.result;
        ({ isAbsent } = found);
      }
      const pauseMs = retryPauseMs(attempt);
      const isLate = isAbsent ? unknownOutcomes >= this.limits.unknownOutcomes : performance.now() + pauseMs > until;
      if (isLate || this.isFinal(error)) throw failureOf(stream, error, unknownOutcomes);
      await sleep(pauseMs);
    }
  }

  /**
   * Sends an append that the leader refuses, because the stream has no such revision, so nothing is written. A leader that has lost its
   * followers still refuses for some seconds, while it leaves other appends without an answer.
   * @throws EventStoreUnavailable appends do not get the expected answer
   */
  async probe(): Promise<void> {
    const [oldest] = this.underWay;
    if (oldest && performance.now() - oldest.at > this.limits.slowMs)
      throw new EventStoreUnavailable('EventStoreDB does not answer appends');
    const until = this.patience.until();
    const outcome = await this.attempt(PROBE_STREAM, [PROBE_EVENT], PROBE_REVISION, until);
    if ('error' in outcome && outcome.error instanceof Conflict) return;
    throw new EventStoreUnavailable('EventStoreDB does not take appends', { cause: 'error' in outcome ? outcome.error : undefined });
  }

  private isFinal(error: unknown): boolean {
    return error instanceof CallRefused || this.closing.aborted;
  }

  private async attempt(stream: string, events: readonly EncodedEvent[], expected: SentExpectation, until: number): Promise<Outcome> {
    const began = performance.now();
    const { client } = this.connection;
    try {
      const result = await client.append(stream, events, expected, this.patience.waitFor(this.limits.appendMs, until));
      this.patience.succeeded();
      return { result };
    } catch (error) {
      if (error instanceof Conflict || error instanceof CallRefused) this.patience.succeeded();
      else {
        this.patience.failed(began);
        this.interruptions.notify();
      }
      // A silent or unreachable connection is replaced. Other appends that wait on it are retried on the new one.
      if ((error instanceof NoAnswer || error instanceof NotConnected) && this.patience.mayReplace(until)) this.connection.drop(client);
      return { error };
    }
  }

  /**
   * Looks for events whose append has no known outcome. `isAbsent`: they were not written; otherwise the outcome stays unknown, as always with
   * `any`, whose events may be anywhere.
   */
  private async find(stream: string, events: readonly EncodedEvent[], expected: SentExpectation, until: number) {
    try {
      const result = await this.written(stream, events, expected, Math.max(SHORTEST_SEARCH_MS, until - performance.now()));
      return { result, isAbsent: result === undefined && expected !== 'any' };
    } catch {
      return { result: undefined, isAbsent: false };
    }
  }

  /** A conflict with the same events, written by an earlier attempt or call, is a success. */
  private async resolveConflict(
    stream: string,
    events: readonly EncodedEvent[],
    expected: SentExpectation,
    conflict: Conflict,
    sentBefore: boolean,
  ) {
    let written: AppendResult | undefined;
    try {
      await this.untilReadable(stream, conflict.actual);
      written = await this.written(stream, events, expected);
    } catch (error) {
      throw sentBefore ? new AppendOutcomeUnknown(stream, { cause: error }) : error;
    }
    if (written) return written;
    throw new WrongExpectedRevision(stream, expected, conflict.actual);
  }

  /**
   * The server may refuse an append because of events that it has accepted but cannot show for some milliseconds. The caller reads them to
   * decide again, so this waits until they are readable. It does not wait for events known to have expired or to be truncated.
   * @throws EventStoreUnavailable they do not become readable in time
   */
  private async untilReadable(stream: string, actual: Conflict['actual']): Promise<void> {
    if (actual === 'no-stream') return;
    const doubtUntil = performance.now() + LONGEST_DOUBT_MS;
    const until = this.patience.until();
    for (let attempt = 1; ; attempt++) {
      const last = await this.reads.last(stream);
      if (last !== undefined && last !== 'no-stream' && last >= actual) return;
      const now = performance.now();
      if (last === undefined && now > doubtUntil) return;
      if (now > until || this.closing.aborted)
        throw new EventStoreUnavailable('EventStoreDB refuses an append for events that it does not show');
      await sleep(lookPauseMs(attempt));
    }
  }

  /** Place of the events, if they are exactly where this append would have written them. */
  private async written(
    stream: string,
    events: readonly EncodedEvent[],
    expected: SentExpectation,
    withinMs?: number,
  ): Promise<AppendResult | undefined> {
    if (expected === 'any') return undefined;
    const first = expected === 'no-stream' ? 0n : expected + 1n;
    const places = await this.reads.places(stream, first, 'forwards', events.length, withinMs);
    return places[0]?.revision === first ? heldAt(places, events, 0) : undefined;
  }
}

/** Returns whether it is certain that nothing was written. */
const isHarmless = (error: unknown): boolean => error instanceof NotReady || error instanceof CallRefused;

const failureOf = (stream: string, cause: unknown, unknownOutcomes: number): Error =>
  unknownOutcomes > 0
    ? new AppendOutcomeUnknown(stream, { cause })
    : new EventStoreUnavailable('EventStoreDB does not accept an append', { cause });
