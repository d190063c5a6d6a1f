import { setTimeout as sleep } from 'node:timers/promises';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import type { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import type { Delivered } from '#api/messaging/deliveries/leased-messages.js';
import type { PullDeliveries } from '#api/messaging/deliveries/pull-deliveries.js';
import { type OrderedMessage, ordered, PulledMessages, type ScatteredSource } from '#api/messaging/deliveries/pulled-messages.js';
import type { ServedSubscription } from '#api/messaging/deliveries/served-subscription.js';
import { LIMITS } from '#api/messaging/limits.js';
import type { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import type { AnswerReservation } from '#api/shared/answers/answer-room.js';
import { PART_BYTES } from './cursor-stream.js';
import { Places } from './places.js';

type LeasedStreamParts = Readonly<{
  deliveries: Deliveries;
  pulls: PullDeliveries;
  messages: SubscribedMessages;
  reservation: AnswerReservation;
}>;

type LeasedStreamOptions = Readonly<{
  found: FoundSubscription;
  /** Maximum number of messages that are sent and not acknowledged. */
  most: number;
  signal: AbortSignal;
}>;

/** Longest wait of one look for messages or for room. */
const LOOK_MS = 15_000;
/** Minimum time between looks without messages: the topic may be gone. */
const PAUSE_MS = 100;

/** Ends after one part of messages. */
const onePart = (source: ScatteredSource<OrderedMessage>): ScatteredSource<OrderedMessage> => {
  let left = PART_BYTES;
  return {
    page: async (topicId, from, limit, maxBytes) => {
      if (left <= 0) return null;
      const page = await source.page(topicId, from, limit, Math.min(maxBytes, left));
      left -= page?.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
      return page;
    },
    reserve: () => source.reserve?.(),
    dropped: () => source.dropped?.(),
    ...(source.passed && { passed: source.passed.bind(source) }),
  };
};

/** Leases messages to one stream. Each sent message takes a place until it is acknowledged or given back, or its lease ends. */
export class LeasedStream {
  private current: Readonly<{ served: ServedSubscription; places: Places }> | undefined;

  constructor(
    private readonly parts: LeasedStreamParts,
    private readonly options: LeasedStreamOptions,
  ) {}

  /** The next messages; empty if there was nothing to send for some time, or the signal came. @throws ServedElsewhere */
  async take(): Promise<readonly Delivered<OrderedMessage>[]> {
    const { deliveries, pulls, messages, reservation } = this.parts;
    const { found, most, signal } = this.options;
    const served = await deliveries.of(found);
    if (this.current?.served !== served) this.current = { served, places: new Places(most, served.ended) };
    const { places } = this.current;
    const since = performance.now() + LOOK_MS - LIMITS.waitForFirstMessage.value;
    if (places.free === 0) await places.wait(LOOK_MS, signal);
    if (places.free === 0 || signal.aborted) return [];
    const all = served.options.enableMessageOrdering ? ordered(messages.stored(found.ref)) : messages.wire(found.ref);
    const source = onePart(new PulledMessages(all, reservation, signal));
    const options = { source, limit: places.free, holder: places, wait: true, onlyFirst: true, signal, since };
    const asked = performance.now();
    const delivered = (await pulls.pull(served, found, options)) ?? [];
    const early = asked + PAUSE_MS - performance.now();
    if (delivered.length === 0 && early > 0) await sleep(early, undefined, { signal }).catch(() => undefined);
    return delivered;
  }
}
