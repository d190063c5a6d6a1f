import { setTimeout as sleep } from 'node:timers/promises';
import { AppendOutcomeUnknown, type AppendResult, EventStoreUnavailable, WrongExpectedRevision } from '#domain/shared/event-store.js';
import { BatchAppends } from './batch-appends.js';
import type { Connection } from './connection.js';
import { Conflict, NoAnswer, NotConnected, NotReady, Refused } from './errors.js';
import type { Interruptions } from './interruptions.js';
import type { EventStoreDbLimits } from './limits.js';
import type { EventPlace, LogReads } from './log-reads.js';
import type { EncodedEvent, ExactExpectation } from './requests.js';

type Outcome = Readonly<{ result: AppendResult } | { error: unknown }>;

/** Appends with an exact expectation, carried through outages: only these can be repeated without fear of writing twice. */
export class ExactAppends {
  private calls: BatchAppends | undefined;

  constructor(
    readonly connection: Connection,
    readonly readPlaces: LogReads['places'],
    readonly limits: EventStoreDbLimits,
    /** Aborted when the store closes: nothing is tried again from then on. */
    readonly closing: AbortSignal,
    readonly interruptions: Interruptions,
  ) {}

  /**
   * Repeats the same ids with the same expectation until the outcome is known or the limits are reached.
   * @throws WrongExpectedRevision, AppendOutcomeUnknown, EventStoreUnavailable as `EventStore.append` says
   */
  async append(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation): Promise<AppendResult> {
    let until = Date.now() + this.limits.retryMs;
    let unknown = 0;
    for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
      const outcome = await this.attempt(stream, events, expected);
      if ('result' in outcome) return outcome.result;
      const { error } = outcome;
      if (error instanceof Conflict) return this.conflict(stream, events, expected, error, unknown > 0);
      const harmless = error instanceof NotReady || error instanceof Refused;
      if (!harmless) {
        unknown += 1;
        const written = await this.written(stream, events, expected).catch(() => undefined);
        if (written) return written;
        until = Date.now() + this.limits.retryMs;
      }
      const late = harmless ? Date.now() + pause > until : unknown >= this.limits.unknownOutcomes;
      if (late || error instanceof Refused || this.closing.aborted) {
        if (unknown > 0) throw new AppendOutcomeUnknown(stream, { cause: error });
        throw new EventStoreUnavailable('EventStoreDB does not accept an append', { cause: error });
      }
      await sleep(pause);
    }
  }

  private async attempt(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation): Promise<Outcome> {
    const { client } = this.connection;
    if (this.calls?.client !== client) this.calls = new BatchAppends(client, this.limits.appendMs);
    try {
      return { result: await this.calls.append(stream, events, expected) };
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof Refused)) this.interruptions.notify();
      // A silent or unreachable connection is replaced; what else waits on it is tried again on the new one.
      if (error instanceof NoAnswer || error instanceof NotConnected) this.connection.drop(client);
      return { error };
    }
  }

  /** A conflict with what we have written ourselves, in an earlier try or call, is a success. */
  private async conflict(
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

  /** Where the events lie, if they are just where this append would have put them. */
  private async written(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation): Promise<AppendResult | undefined> {
    const first = expected === 'no-stream' ? 0n : expected + 1n;
    const places = await this.readPlaces(stream, first, 'forwards', events.length);
    return places[0]?.revision === first ? heldAt(places, events, 0) : undefined;
  }
}

/** The result of an append whose events lie at `places[index]` and the places after it, in the same order; else nothing. */
export const heldAt = (places: readonly EventPlace[], events: readonly EncodedEvent[], index: number): AppendResult | undefined => {
  const last = places[index + events.length - 1];
  if (!last || !events.every((event, offset) => places[index + offset]?.id === event.id)) return undefined;
  return { revision: last.revision, position: last.position };
};
