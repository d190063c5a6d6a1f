import { setTimeout as sleep } from 'node:timers/promises';
import { AppendOutcomeUnknown, type AppendResult, EventStoreUnavailable, WrongExpectedRevision } from '#domain/shared/event-store.js';
import { BatchAppends } from './batch-appends.js';
import type { Connection } from './connection.js';
import { Conflict, NoAnswer, NotConnected, NotReady, Refused } from './errors.js';
import type { Interruptions } from './interruptions.js';
import { type EventStoreDbLimits, retryPauseMs } from './limits.js';
import { heldAt, type ReadPlaces } from './places.js';
import type { EncodedEvent, ExactExpectation } from './requests.js';

type Outcome = Readonly<{ result: AppendResult } | { error: unknown }>;

/** Appends with an exact expectation, retried through outages. Only these can be repeated without writing twice. */
export class ExactAppends {
  private calls: BatchAppends | undefined;

  constructor(
    readonly connection: Connection,
    readonly readPlaces: ReadPlaces,
    readonly limits: EventStoreDbLimits,
    /** Aborted when the store closes: there are no more attempts then. */
    readonly closing: AbortSignal,
    readonly interruptions: Interruptions,
  ) {}

  /**
   * Repeats the same ids with the same expectation until the outcome is known or the limits are reached.
   * @throws WrongExpectedRevision, AppendOutcomeUnknown, EventStoreUnavailable as described at `EventStore.append`
   */
  async append(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation): Promise<AppendResult> {
    let retryUntil = Date.now() + this.limits.retryMs;
    let unknownOutcomes = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.attempt(stream, events, expected);
      if ('result' in outcome) return outcome.result;
      const { error } = outcome;
      if (error instanceof Conflict) return this.resolveConflict(stream, events, expected, error, unknownOutcomes > 0);
      const isUnknown = !isHarmless(error);
      if (isUnknown) {
        unknownOutcomes += 1;
        const written = await this.written(stream, events, expected).catch(() => undefined);
        if (written) return written;
        retryUntil = Date.now() + this.limits.retryMs;
      }
      const pauseMs = retryPauseMs(attempt);
      const isLate = isUnknown ? unknownOutcomes >= this.limits.unknownOutcomes : Date.now() + pauseMs > retryUntil;
      if (isLate || this.isFinal(error)) throw failureOf(stream, error, unknownOutcomes);
      await sleep(pauseMs);
    }
  }

  private isFinal(error: unknown): boolean {
    return error instanceof Refused || this.closing.aborted;
  }

  private async attempt(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation): Promise<Outcome> {
    const { client } = this.connection;
    if (this.calls?.client !== client) this.calls = new BatchAppends(client, this.limits.appendMs);
    try {
      return { result: await this.calls.append(stream, events, expected) };
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof Refused)) this.interruptions.notify();
      // A silent or unreachable connection is replaced. Other appends that wait on it are tried again on the new one.
      if (error instanceof NoAnswer || error instanceof NotConnected) this.connection.drop(client);
      return { error };
    }
  }

  /** A conflict with our own events, written by an earlier attempt or call, is a success. */
  private async resolveConflict(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExactExpectation,
    conflict: Conflict,
    sentBefore: boolean,
  ) {
    let written: AppendResult | undefined;
    try {
      written = await this.written(stream, events, expected);
    } catch (error) {
      throw sentBefore ? new AppendOutcomeUnknown(stream, { cause: error }) : error;
    }
    if (written) return written;
    throw new WrongExpectedRevision(stream, expected, conflict.actual);
  }

  /** The place of the events, if they are exactly where this append would have put them. */
  private async written(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation): Promise<AppendResult | undefined> {
    const first = expected === 'no-stream' ? 0n : expected + 1n;
    const places = await this.readPlaces(stream, first, 'forwards', events.length);
    return places[0]?.revision === first ? heldAt(places, events, 0) : undefined;
  }
}

/** Whether nothing was written for certain. */
const isHarmless = (error: unknown): boolean => error instanceof NotReady || error instanceof Refused;

const failureOf = (stream: string, cause: unknown, unknownOutcomes: number): Error =>
  unknownOutcomes > 0
    ? new AppendOutcomeUnknown(stream, { cause })
    : new EventStoreUnavailable('EventStoreDB does not accept an append', { cause });
