import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, CONFIGURATION, EVENT_STORE } from '#api/shared/tokens.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { SubscriptionDocument, TopicDocument } from '#projections/messaging/resources/queries.js';

/** Messages may be large, although only their time is needed. A call stops reading after this amount of data. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_KEPT = 10_000;
const KEPT_MS = 3_600_000;
/** A message that may have expired is read again after this time. */
const TRUSTED_MS = 60_000;

/** A subscription and its offset in the log of its topic. */
export type SubscriptionOffset = Readonly<{
  options: SubscriptionDocument['options'];
  topic: Pick<TopicDocument, 'topicId' | 'settings'> | undefined;
  totals: Pick<TrafficTotals, 'messages' | 'lastPublish'> | undefined;
  offset: number;
}>;

/**
 * `oldestPublishedAt`: `YYYY-MM-DDTHH:MM:SS.sssZ`; `null` if nothing waits, or the call has read enough. `exact`: if false, `backlog` is an
 * upper bound, and the oldest message is not older.
 */
type Backlog = Readonly<{ backlog: number; oldestPublishedAt: string | null; exact: boolean }>;

/** A message with its publish time and the time of its read, in milliseconds since 1970-01-01 UTC. */
type Oldest = Readonly<{ offset: number; time: number; readAt: number }>;
type Read = Readonly<{ oldest: Oldest | undefined; bytes: number }>;

const NOTHING: Backlog = { backlog: 0, oldestPublishedAt: null, exact: true };

/** Backlogs of subscriptions. */
@Injectable()
export class Backlogs {
  /** First messages by topic and searched offset: they stay the same until they expire. */
  private readonly known = new LRUCache<string, Oldest>({ max: MOST_KEPT, ttl: KEPT_MS });
  private readonly reading = new Map<string, Promise<Read>>();

  constructor(
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingRetentionSeconds'>,
  ) {}

  /** Keeps the order. Runs one after another, because messages may be large. */
  async of(subscriptions: readonly SubscriptionOffset[]): Promise<readonly Backlog[]> {
    const budget = { bytes: MOST_BYTES };
    const backlogs: Backlog[] = [];
    for (const one of subscriptions) backlogs.push(await this.backlog(one, budget));
    return backlogs;
  }

  private async backlog({ options, topic, totals, offset }: SubscriptionOffset, budget: { bytes: number }): Promise<Backlog> {
    const { messages: end, lastPublish } = totals ?? { messages: 0, lastPublish: null };
    const { filter, ackMode, messageRetentionSeconds = Number.POSITIVE_INFINITY } = options ?? {};
    const since = this.clock() - 1_000 * messageRetentionSeconds;
    if (!topic || end <= offset || (lastPublish !== null && Date.parse(lastPublish) < since)) return NOTHING;
    const oldest = await this.oldestFrom(topic, offset, budget);
    if (oldest === null) return { backlog: end - offset, oldestPublishedAt: null, exact: false };
    if (!oldest || oldest.offset >= end) return NOTHING;
    const isExact = filter === undefined && ackMode !== 'message' && oldest.time >= since;
    return {
      backlog: end - oldest.offset,
      oldestPublishedAt: new Date(Math.max(oldest.time, since)).toISOString(),
      exact: isExact,
    };
  }

  /** The first unexpired message from an offset on. `null` if it is not known and the call has read enough. */
  private async oldestFrom(
    { topicId, settings }: NonNullable<SubscriptionOffset['topic']>,
    offset: number,
    budget: { bytes: number },
  ): Promise<Oldest | null | undefined> {
    const key = `${topicId} ${offset}`;
    const known = this.known.get(key);
    const now = this.clock();
    const kept = now - 1_000 * (settings?.messageRetentionSeconds ?? this.configuration.messagingRetentionSeconds);
    if (known && (known.time >= kept || now - known.readAt < TRUSTED_MS)) return known;
    if (budget.bytes <= 0) return null;
    const { oldest, bytes } = await (this.reading.get(key) ?? this.read(key, topicId, offset));
    budget.bytes -= bytes;
    return oldest;
  }

  private read(key: string, topicId: string, offset: number): Promise<Read> {
    const reading = this.events
      .readStream(messagesStream(topicId), { from: BigInt(offset), limit: 1 })
      .then(([found]): Read => {
        if (!found) return { oldest: undefined, bytes: 0 };
        const oldest = { offset: Number(found.revision), time: Date.parse(found.metadata.time), readAt: this.clock() };
        this.known.set(key, oldest);
        return { oldest, bytes: String(found.data.data ?? '').length };
      })
      .finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }
}
