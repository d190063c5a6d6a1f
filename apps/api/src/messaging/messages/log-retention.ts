import { LRUCache } from 'lru-cache';
import { LIMITS } from '#api/messaging/limits.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { deliveriesStream } from '#domain/messaging/deliveries/delivery-events.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { EventStore, Retention } from '#domain/shared/event-store.js';
import type { TopicDocument } from '#projections/messaging/resources/queries.js';

/** Streams whose retention is known to be set. */
const MOST_STREAMS = 50_000;

/** A topic, as far as it says how long its messages are kept. */
type KeptTopic = Pick<TopicDocument, 'topicId' | 'settings'>;

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
    if (this.limits.get(messagesStream(topicId)) !== seconds) await this.changeForMessages(topicId, seconds);
  }

  /** The same for a topic that says so from now on: another node may have set something else since. */
  changeForMessages(topicId: string, seconds = this.messageSeconds): Promise<void> {
    return this.set(messagesStream(topicId), seconds, { maxAgeSeconds: seconds });
  }

  /**
   * Messages of a topic expire as it says from now on. Other calls may change that at the same time, on other nodes too: who sets it last sets what the topic
   * says then.
   * @param current the topic as it is now; `undefined` if it is gone, or if that is not known
   */
  async followTopic(topic: KeptTopic, current: () => Promise<KeptTopic | undefined>): Promise<void> {
    for (let now: KeptTopic | undefined = topic; now; ) {
      const seconds: number | undefined = now.settings?.messageRetentionSeconds;
      await this.changeForMessages(now.topicId, seconds);
      const then = await current();
      now = then?.settings?.messageRetentionSeconds === seconds ? undefined : then;
    }
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
