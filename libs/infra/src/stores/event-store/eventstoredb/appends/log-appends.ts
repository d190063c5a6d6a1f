import {
  AppendOutcomeUnknown,
  type AppendResult,
  EventStoreUnavailable,
  type ExpectedRevision,
  type FromRevision,
  WrongExpectedRevision,
} from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { TooLarge } from '../errors.js';
import { encodeAppend } from '../messages/new-events.js';
import { type EventPlace, heldAt } from '../messages/places.js';
import type { EncodedEvent, ExactExpectation } from '../messages/requests.js';
import type { PayloadWriter } from '../payloads.js';
import type { ExactAppends } from './exact-appends.js';

/** Number of events of a page of places. */
const PAGE = 100;

/** Maximum repeats of an append at the head while other writers append first. */
const MAX_RACES = 50;

/** The write side of the store: checks events, stores large payloads separately, and turns every expectation into an exact one. */
export class LogAppends {
  /** The writers of this process do not race each other for the end of a stream. */
  private readonly turns = new Turnstile(1);
  /** Servers since 24.10.4 count metadata and types of an append, too. Known from the first append that is refused as too large. */
  private countsAll = false;

  constructor(
    readonly exact: ExactAppends,
    readonly payloads: PayloadWriter,
  ) {}

  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const encoded = encodeAppend(stream, events);
    const { countsAll } = this;
    try {
      return await this.fitted(stream, await this.payloads.fit(stream, encoded, countsAll), expected);
    } catch (error) {
      if (countsAll || !(error instanceof EventStoreUnavailable && error.cause instanceof TooLarge)) throw error;
      this.countsAll = true;
      return this.fitted(stream, await this.payloads.fit(stream, encoded, true), expected);
    }
  }

  private fitted(stream: string, events: readonly EncodedEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    if (expected === 'any') return this.anywhere(stream, events, { from: 'no-stream' });
    return typeof expected === 'object' ? this.anywhere(stream, events, expected) : this.exact.append(stream, events, expected);
  }

  /** Sends it without an expectation, so that nodes do not compete. Only if that fails, the events are looked for, and it is repeated at the head. */
  private async anywhere(stream: string, events: readonly EncodedEvent[], { from, sentBefore }: FromRevision): Promise<AppendResult> {
    const sent = sentBefore ? { isUnknown: true } : await this.exact.sendAnywhere(stream, events);
    if (sent.result) return sent.result;
    try {
      return await this.turns.within(stream, () => this.atHead(stream, events, from));
    } catch (error) {
      throw sent.isUnknown ? new AppendOutcomeUnknown(stream, { cause: error }) : error;
    }
  }

  /** Without an expectation the server recognises repeats only until it restarts, so the head is read and becomes the expectation. */
  private async atHead(stream: string, events: readonly EncodedEvent[], from: ExactExpectation): Promise<AppendResult> {
    let actual: ExactExpectation | undefined;
    for (let race = 0; race < MAX_RACES; race++) {
      const tail = await this.tail(stream, from);
      const held = tail.map((_, index) => heldAt(tail, events, index)).find((result) => result !== undefined);
      if (held) return held;
      // A truncated stream shows no events but has a head, which the conflict reports.
      const head = tail.at(-1)?.revision ?? actual ?? from;
      try {
        return await this.exact.append(stream, events, head);
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
        actual = error.actual;
      }
    }
    throw new EventStoreUnavailable(`other writers of stream ${stream} keep appending first`, { cause: actual });
  }

  /** The events of a stream after a revision. */
  private async tail(stream: string, from: ExactExpectation): Promise<readonly EventPlace[]> {
    const tail: EventPlace[] = [];
    for (let next = from === 'no-stream' ? 0n : from + 1n; ; ) {
      const page = await this.exact.reads.places(stream, next, 'forwards', PAGE);
      tail.push(...page);
      const last = page.at(-1);
      if (!last || page.length < PAGE) return tail;
      next = last.revision + 1n;
    }
  }
}
