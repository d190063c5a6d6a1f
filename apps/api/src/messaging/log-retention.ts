import { LRUCache } from 'lru-cache';
import { cursorStream, messagesStream } from '#domain/messaging/message-events.js';
import type { EventStore, Retention } from '#domain/shared/event-store.js';

/** A cursor event carries the whole cursor; some more are kept to find out the fate of an append. */
const CURSOR_EVENTS = 16;
/** Where calls carry an `Idempotency-Key`, the events remember them: enough for 48 hours with nearly six of them a second. */
const KEYED_CURSOR_EVENTS = 1_000_000;

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

  /** Messages of a topic expire. */
  forMessages(topicId: string): Promise<void> {
    return this.ensure(messagesStream(topicId), this.messageSeconds, { maxAgeSeconds: this.messageSeconds });
  }

  /** `fresh`: nobody has used the subscription yet. Never less than before, or keys would be forgotten. */
  async forCursor(subscriptionId: string, { fresh, keyed }: Readonly<{ fresh: boolean; keyed: boolean }>): Promise<void> {
    if (!fresh && !keyed) return;
    const maxCount = keyed ? KEYED_CURSOR_EVENTS : CURSOR_EVENTS;
    await this.ensure(cursorStream(subscriptionId), maxCount, { maxCount });
  }

  private async ensure(stream: string, limit: number, retention: Retention): Promise<void> {
    if ((this.done.get(stream) ?? 0) >= limit) return;
    await this.events.setRetention(stream, retention);
    this.done.set(stream, limit);
  }
}
