import { LRUCache } from 'lru-cache';
import { LIMITS } from '#api/messaging/limits.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { deliveriesStream } from '#domain/messaging/deliveries/delivery-events.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { EventStore, Retention } from '#domain/shared/event-store.js';

/** Streams whose retention is known to be set. */
const MOST_STREAMS = 50_000;

/**
 * Sets how long the streams of messages and cursors are kept (docs/limits.md) before they are written to. Each process does so once for every stream that
 * it used lately, so that a changed configuration holds after a restart.
 */
export class LogRetention {
  /** By stream: the limit that was set. */
  private readonly limits = new LRUCache<string, number>({ max: MOST_STREAMS });

  constructor(
    private readonly events: Pick<EventStore, 'setRetention'>,
    private readonly messageSeconds: number,
  ) {}

  /** The log may be another one, in which nothing was set yet. */
  reset(): void {
    this.limits.clear();
  }

  /** Messages of a topic expire. @param seconds as the topic says. Default: as the service does */
  async forMessages(topicId: string, seconds = this.messageSeconds): Promise<void> {
    const stream = messagesStream(topicId);
    if (this.limits.get(stream) !== seconds) await this.set(stream, seconds, { maxAgeSeconds: seconds });
  }

  /** `fresh`: the subscription has not been used yet. Never less than before, or idempotency keys would be forgotten. */
  async forCursor(subscriptionId: string, { fresh, keyed }: Readonly<{ fresh: boolean; keyed: boolean }>): Promise<void> {
    if (!fresh && !keyed) return;
    const maxCount = (keyed ? LIMITS.keyedCursorChanges : LIMITS.cursorChanges).value;
    const stream = cursorStream(subscriptionId);
    if ((this.limits.get(stream) ?? 0) < maxCount) await this.set(stream, maxCount, { maxCount });
  }

  /** What became of messages: the whole state comes again often enough. */
  async forDeliveries(subscriptionId: string, keyed: boolean): Promise<void> {
    const maxCount = (keyed ? LIMITS.keyedCursorChanges : LIMITS.deliveryChanges).value;
    const stream = deliveriesStream(subscriptionId);
    if ((this.limits.get(stream) ?? 0) < maxCount) await this.set(stream, maxCount, { maxCount });
  }

  private async set(stream: string, limit: number, retention: Retention): Promise<void> {
    await this.events.setRetention(stream, retention);
    this.limits.set(stream, limit);
  }
}
