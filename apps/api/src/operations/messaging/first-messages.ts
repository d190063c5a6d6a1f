import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ReadBudget } from '#api/messaging/messages/read-budget.js';
import { CLOCK, CONFIGURATION, EVENT_STORE } from '#api/shared/tokens.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { TopicDocument } from '#projections/messaging/resources/queries.js';

const MOST_KEPT = 50_000;
const KEPT_MS = 3_600_000;
/** A message that may have expired is read again after this time. */
const TRUSTED_MS = 60_000;

/** A message with its publish time and the time of its read, in milliseconds since 1970-01-01 UTC. */
type FirstMessage = Readonly<{ offset: number; time: number; readAt: number }>;
type Read = Readonly<{ first: FirstMessage | undefined; bytes: number }>;

/** First messages of topics by searched offset: they stay the same until they expire. */
@Injectable()
export class FirstMessages {
  private readonly known = new LRUCache<string, FirstMessage>({ maxSize: MOST_KEPT, sizeCalculation: () => 1, ttl: KEPT_MS });
  private readonly reading = new Map<string, Promise<Read>>();

  constructor(
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingRetentionSeconds'>,
  ) {}

  /** The first unexpired message from an offset on; `undefined` if there is none. `null` if it is not known and the call has read enough. */
  async from(
    { topicId, settings }: Pick<TopicDocument, 'topicId' | 'settings'>,
    offset: number,
    budget: ReadBudget,
  ): Promise<FirstMessage | null | undefined> {
    const key = `${topicId} ${offset}`;
    const known = this.known.get(key);
    const now = this.clock();
    const kept = now - 1_000 * (settings?.messageRetentionSeconds ?? this.configuration.messagingRetentionSeconds);
    if (known && (known.time >= kept || now - known.readAt < TRUSTED_MS)) return known;
    if (budget.isSpent) return null;
    const { first, bytes } = await (this.reading.get(key) ?? this.read(key, topicId, offset));
    budget.spend(1, bytes);
    return first;
  }

  private read(key: string, topicId: string, offset: number): Promise<Read> {
    const reading = this.events
      .readStream(messagesStream(topicId), { from: BigInt(offset), limit: 1 })
      .then(([found]): Read => {
        if (!found) return { first: undefined, bytes: 0 };
        const published = String(found.data.publishTime ?? found.metadata.time); // only the publish time follows the order of the log
        const first = { offset: Number(found.revision), time: Date.parse(published), readAt: this.clock() };
        this.known.set(key, first);
        return { first, bytes: String(found.data.data ?? '').length };
      })
      .finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }
}
