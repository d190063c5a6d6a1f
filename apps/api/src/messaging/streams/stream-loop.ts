import type { ReadableSubscription } from '#api/messaging/cursors/pull-messages.js';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { ServedElsewhere } from '#api/messaging/deliveries/serving-nodes.js';
import { toHttpError } from '#api/messaging/domain-errors.js';
import * as errors from '#api/messaging/errors.js';
import { absenceIn, isOutage } from '#api/shared/http/failures.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { END, errorEvent, KEEP_ALIVE } from './stream-events.js';

/** Current state of the subscription of a stream. */
export type StreamedSubscription = FoundSubscription & Readonly<{ ref: ReadableSubscription }>;

/** Source of the messages of a stream. */
interface Delivering {
  /** Events of the next messages; empty if there was nothing to send for some time, or the stream is to end. */
  take(): Promise<readonly string[]>;
}

export type StreamLoop = Readonly<{
  first: StreamedSubscription;
  /** Checks again. @throws MessagingError the caller may not pull any more, or there is nothing to pull from */
  current(): Promise<StreamedSubscription>;
  begin(subscription: StreamedSubscription): Delivering;
  /** Ends the stream. */
  signal: AbortSignal;
  /** Aborted, together with `signal`, once the caller may not pull any more; its reason is the error. */
  refused: AbortSignal;
  logger: Pick<Logger, 'warn'>;
  /** Called when the client has taken something. */
  taken(): void;
  /** Called when the client has taken all messages so far. */
  takenAll(): void;
}>;

const KEEP_ALIVE_MS = 15_000;
/** Rights, settings and the topic of the subscription are looked up again after this time. */
const CURRENT_MS = 15_000;
/** The same if a look for messages ended at once without any: something else may have changed. */
const SOON_MS = 1_000;
/** A stream ends after an hour. To reconnect, clients need a valid key. */
const LONGEST_MS = 3_600_000;

const knownError = (error: unknown): errors.MessagingError | undefined => {
  if (error instanceof errors.MessagingError) return error;
  if (error instanceof DomainError) return toHttpError(error);
  return isOutage(error) ? errors.notReady(absenceIn(error)) : undefined;
};

const pauseAfter = (count: number, tookMs: number): number => (count === 0 && tookMs < SOON_MS ? SOON_MS : CURRENT_MS);

const isOther = (a: StreamedSubscription, b: StreamedSubscription): boolean =>
  a.ref.topicId !== b.ref.topicId ||
  a.ref.subscriptionId !== b.ref.subscriptionId ||
  a.subscription.ackDeadlineSeconds !== b.subscription.ackDeadlineSeconds;

/** The next messages; returns their number. V8 keeps all locals of a generator that waits, so these are not among those of the loop. */
async function* nextOf(delivering: Delivering, { refused, taken }: StreamLoop): AsyncGenerator<string, number> {
  const messages = await delivering.take();
  for (const message of messages) {
    refused.throwIfAborted();
    yield message;
    taken();
  }
  return messages.length;
}

/** The last event after an error. */
const endAfter = (error: unknown, logger: StreamLoop['logger']): string => {
  if (error instanceof ServedElsewhere) return END; // clients that reconnect are sent there
  const known = knownError(error);
  if (!known) logger.warn({ err: error }, 'a stream of messages ends');
  return errorEvent(known ?? errors.internalError());
};

/** Messages in the order of delivery, with keep-alives in between, until the signal. The last event gives the reason for the end. */
export async function* eventsOf(loop: StreamLoop): AsyncGenerator<string> {
  const { first, current, begin, signal, refused, logger, taken, takenAll } = loop;
  const start = performance.now();
  let known = first;
  let lookedAt = start;
  let saidAt = start;
  try {
    let delivering = begin(known);
    yield KEEP_ALIVE;
    while (!signal.aborted && performance.now() - start < LONGEST_MS) {
      const asked = performance.now();
      const count = yield* nextOf(delivering, loop);
      takenAll();
      const now = performance.now();
      if (count > 0) saidAt = now;
      if (now - saidAt >= KEEP_ALIVE_MS) {
        yield KEEP_ALIVE;
        saidAt = now;
      }
      taken();
      if (now - lookedAt < pauseAfter(count, now - asked)) continue;
      lookedAt = now;
      const found = await current();
      if (isOther(found, known)) delivering = begin(found);
      known = found;
    }
    refused.throwIfAborted();
    yield END;
  } catch (error) {
    yield endAfter(error, logger);
  }
}
