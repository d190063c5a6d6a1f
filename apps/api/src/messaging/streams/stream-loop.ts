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

const pauseAfter = ({ length }: readonly string[], tookMs: number): number => (length === 0 && tookMs < SOON_MS ? SOON_MS : CURRENT_MS);

const isOther = (a: StreamedSubscription, b: StreamedSubscription): boolean =>
  a.ref.topicId !== b.ref.topicId ||
  a.ref.subscriptionId !== b.ref.subscriptionId ||
  a.subscription.ackDeadlineSeconds !== b.subscription.ackDeadlineSeconds;

/** Messages in the order of delivery, with keep-alives in between, until the signal. */
async function* messagesOf({ first, current, begin, signal, refused, taken, takenAll }: StreamLoop): AsyncGenerator<string> {
  const start = performance.now();
  let known = first;
  let delivering = begin(known);
  let lookedAt = start;
  let saidAt = start;
  yield KEEP_ALIVE;
  while (!signal.aborted && performance.now() - start < LONGEST_MS) {
    const asked = performance.now();
    const messages = await delivering.take();
    for (const message of messages) {
      refused.throwIfAborted();
      yield message;
      taken();
    }
    takenAll();
    const now = performance.now();
    if (messages.length > 0) saidAt = now;
    if (now - saidAt >= KEEP_ALIVE_MS) {
      yield KEEP_ALIVE;
      saidAt = now;
    }
    taken();
    if (now - lookedAt < pauseAfter(messages, now - asked)) continue;
    lookedAt = now;
    const found = await current();
    if (isOther(found, known)) delivering = begin(found);
    known = found;
  }
}

/** The events of a stream; the last one gives the reason for its end. */
export async function* eventsOf(loop: StreamLoop): AsyncGenerator<string> {
  try {
    yield* messagesOf(loop);
    loop.refused.throwIfAborted();
    yield END;
  } catch (error) {
    if (error instanceof ServedElsewhere) return yield END; // clients that reconnect are sent there
    const known = knownError(error);
    if (!known) loop.logger.warn({ err: error }, 'a stream of messages ends');
    yield errorEvent(known ?? errors.internalError());
  }
}
