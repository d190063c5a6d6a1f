import { LRUCache } from 'lru-cache';
import { LIMITS } from '#api/messaging/limits.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { deliveriesStream } from '#domain/messaging/deliveries/delivery-events.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { EventStore, Retention } from '#domain/shared/event-store.js';
import type { ResourceQueries, TopicDocument } from '#projections/messaging/resources/queries.js';

/** Maximum number of streams whose limit is cached. */
const MOST_STREAMS = 50_000;

/** A topic with the settings that determine retention. */
type KeptTopic = Pick<TopicDocument, 'topicId' | 'settings'>;

/**
 * Sets the retention of message and cursor streams (docs/limits.md) before they are written to. Each process does so once for every stream
 * that it used lately, so a changed configuration applies after a restart.
 */
export class LogRetention {
  /** By stream: the limit that was set. */
  private readonly limits = new LRUCache<string, number>({ maxSize: MOST_STREAMS, sizeCalculation: () => 1 });

  constructor(
    private readonly events: Pick<EventStore, 'readStream' | 'setRetention'>,
    private readonly messageSeconds: number,
    private readonly resources: Pick<ResourceQueries, 'topicById'>,
  ) {}

  /** The log may have been replaced by one in which no limit was set. */
  reset(): void {
    this.limits.clear();
  }

  /** Sets the retention of a topic's messages. If it differs from the one set last, it is the one that reads show now. */
  async forMessages(topic: KeptTopic & Readonly<{ projectId: string }>): Promise<void> {
    const { projectId, topicId, settings } = topic;
    if (this.limits.get(messagesStream(topicId)) === (settings?.messageRetentionSeconds ?? this.messageSeconds)) return;
    const current = () => this.resources.topicById(projectId, topicId);
    await this.followTopic((await current()) ?? topic, current);
  }

  /** Sets a changed retention. The cache is bypassed, because another node may have set something else since. */
  changeForMessages(topicId: string, seconds = this.messageSeconds): Promise<void> {
    return this.set(messagesStream(topicId), seconds, { maxAgeSeconds: seconds });
  }

  /**
   * Applies the changed retention of a topic. Other calls may change it at the same time, on other nodes too: the last one to set it sets
   * the topic's current value.
   * @param current the current topic; `undefined` if it is gone or unknown
   */
  async followTopic(topic: KeptTopic, current: () => Promise<KeptTopic | undefined>): Promise<void> {
    for (let now: KeptTopic | undefined = topic; now; ) {
      const seconds: number | undefined = now.settings?.messageRetentionSeconds;
      await this.changeForMessages(now.topicId, seconds);
      const then = await current();
      now = then?.settings?.messageRetentionSeconds === seconds ? undefined : then;
    }
  }

  /** `fresh`: reads do not show that the subscription has been used. */
  async forCursor(subscriptionId: string, { fresh, keyed }: Readonly<{ fresh: boolean; keyed: boolean }>): Promise<void> {
    if (fresh || keyed) await this.forChanges(cursorStream(subscriptionId), keyed, LIMITS.cursorChanges.value);
  }

  /** Delivery changes are limited, because the whole state is recorded often enough. */
  forDeliveries(subscriptionId: string, keyed: boolean): Promise<void> {
    return this.forChanges(deliveriesStream(subscriptionId), keyed, LIMITS.deliveryChanges.value);
  }

  /** The limit never shrinks, because idempotency keys would be lost. */
  private async forChanges(stream: string, keyed: boolean, unkeyed: number): Promise<void> {
    const maxCount = keyed ? LIMITS.keyedCursorChanges.value : unkeyed;
    if ((this.limits.get(stream) ?? 0) >= maxCount) return;
    // A stream with events had a limit before the first of them, perhaps that for keys.
    const isLimited = !keyed && (await this.events.readStream(stream, { direction: 'backwards', limit: 1 })).length > 0;
    if (isLimited) this.limits.set(stream, maxCount);
    else await this.set(stream, maxCount, { maxCount });
  }

  private async set(stream: string, limit: number, retention: Retention): Promise<void> {
    await this.events.setRetention(stream, retention);
    this.limits.set(stream, limit);
  }
}
