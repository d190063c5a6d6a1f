import type { PullReservation } from '#api/messaging/cursors/pull-memory.js';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import type { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import type { Delivered, PullDeliveries } from '#api/messaging/deliveries/pull-deliveries.js';
import { type OrderedMessage, ordered, PulledMessages, type ScatteredSource } from '#api/messaging/deliveries/pulled-messages.js';
import { LIMITS } from '#api/messaging/limits.js';
import type { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import type { Delivery } from '#domain/messaging/deliveries/held.js';
import { PART_BYTES } from './cursor-stream.js';

export type LeasedStreamParts = Readonly<{
  deliveries: Deliveries;
  pulls: PullDeliveries;
  messages: SubscribedMessages;
  reservation: PullReservation;
}>;

export type LeasedStreamOptions = Readonly<{
  found: FoundSubscription;
  /** Messages that are sent and not acknowledged, at most. */
  most: number;
  signal: AbortSignal;
}>;

/** How long one look waits for messages, or for room. */
const LOOK_MS = 15_000;
const FULL_LOOK_MS = 1_000;

/** Ends with the message that makes a part. */
const onePart = (source: ScatteredSource<OrderedMessage>): ScatteredSource<OrderedMessage> => {
  let left = PART_BYTES;
  return {
    page: async (topicId, from, limit, maxBytes) => {
      if (left <= 0) return null;
      const page = await source.page(topicId, from, limit, Math.min(maxBytes, left));
      left -= page?.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
      return page;
    },
    ...(source.passed && { passed: source.passed.bind(source) }),
  };
};

/** Leases messages to one stream: those that it was sent take places until they are acknowledged or given back, or their lease ends. */
export class LeasedStream {
  private sent: readonly Delivery[] = [];

  constructor(
    private readonly parts: LeasedStreamParts,
    private readonly options: LeasedStreamOptions,
  ) {}

  /** The next messages; none if there was nothing to send for some time, or the signal came. @throws ServedElsewhere */
  async take(): Promise<readonly Delivered<OrderedMessage>[]> {
    const { deliveries, pulls, messages, reservation } = this.parts;
    const { found, most, signal } = this.options;
    const served = await deliveries.of(found);
    const seen = served.changes.count;
    const now = performance.now();
    this.sent = this.sent.filter((delivery) => served.leases.isLeased(delivery, now));
    const room = most - this.sent.length;
    if (room <= 0) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(FULL_LOOK_MS)]);
      await served.changes.since(seen, until).catch(() => undefined);
      return [];
    }
    const all = served.options.enableMessageOrdering ? ordered(messages.stored(found.ref)) : messages.wire(found.ref);
    const source = onePart(new PulledMessages(all, reservation, signal));
    const since = now + LOOK_MS - LIMITS.waitForFirstMessage.value;
    const options = { source, limit: room, wait: true, onlyFirst: true, signal, since };
    const delivered = (await pulls.pull(served, found, options)) ?? [];
    this.sent = [...this.sent, ...delivered.map(({ message: { offset }, attempt }) => ({ offset, attempt }))];
    return delivered;
  }
}
