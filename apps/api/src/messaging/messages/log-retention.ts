import { LRUCache } from 'lru-cache';
import { LIMITS } from '#api/messaging/limits.js';
import { cursorStream, messagesStream } from '#domain/messaging/messages/message-events.js';
import type { EventStore, Retention } from '#domain/shared/event-store.js';

/**
 * Sets how long the streams of messages and cursors are kept (docs/limits.md), before they are written to: once in the life of the process for each of
 * those used lately, so that a changed configuration holds after a restart.
 */
export class LogRetention {
  private readonly done = new LRUCache<string, number>({ max: 50_000 });

  constructor(
    private readonly events: Pick<EventStore, 'setRetention'>,
    private readonly messageSeconds: number,
  ) {}

  /** The log may be another one, in which nothing was set yet. */
  forget(): void {
    this.done.clear();
  }

  /** Messages of a topic expire. */
  forMessages(topicId: string): Promise<void> {
    return this.ensure(messagesStream(topicId), this.messageSeconds, { maxAgeSeconds: this.messageSeconds });
  }

  /** `fresh`: nobody has used the subscription yet. Never less than before, or keys would be forgotten. */
  async forCursor(subscriptionId: string, { fresh, keyed }: Readonly<{ fresh: boolean; keyed: boolean }>): Promise<void> {
    if (!fresh && !keyed) return;
    const maxCount = (keyed ? LIMITS.keyedCursorChanges : LIMITS.cursorChanges).value;
    await this.ensure(cursorStream(subscriptionId), maxCount, { maxCount });
  }

  private async ensure(stream: string, limit: number, retention: Retention): Promise<void> {
    if ((this.done.get(stream) ?? 0) >= limit) return;
    await this.events.setRetention(stream, retention);
    this.done.set(stream, limit);
  }
}
