import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, EVENT_STORE } from '#api/shared/tokens.js';
import type { Leases } from '#domain/messaging/deliveries/leases.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { SubscriptionOffset } from './backlogs.js';

/** Counted age classes, in seconds from the youngest to the oldest (exclusive), oldest first. */
const AGES = [
  [86_400, null],
  [3_600, 86_400],
  [600, 3_600],
  [60, 600],
  [0, 60],
] as const;
/**
 * Messages may be large, although only their time is needed. A call stops reading after this amount of data, and the next one continues.
 */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_KEPT = 50_000;
const KEPT_MS = 600_000;

/** Waiting messages by age in seconds; `to` is exclusive, `null` for any age. `exact`: if false, `messages` is an upper bound. */
type AgeCount = Readonly<{ from: number; to: number | null; messages: number; exact: boolean }>;

/** The first message from an offset on. `time`: milliseconds since 1970-01-01 UTC. */
type Found = Readonly<{ offset: number; time: number }>;

/** Bounds of a position in the log, both inclusive. */
type Within = Readonly<{ low: number; high: number }>;

const isKnown = ({ low, high }: Within): boolean => low === high;

type Budget = { bytes: number };

/** The number that is divisible by two most often, from `low` to `high`, exclusive, so that repeated searches read the same messages. */
const roundest = (low: number, high: number): number => {
  for (let step = 2 ** Math.floor(Math.log2(high - low)); ; step /= 2) {
    const at = Math.ceil(low / step) * step;
    if (at < high) return at;
  }
};

/** Age of the messages that wait in a subscription. */
@Injectable()
export class BacklogAges {
  /** By topic and offset: messages stay the same until they expire. */
  private readonly known = new LRUCache<string, Found>({ max: MOST_KEPT, ttl: KEPT_MS });

  constructor(
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Youngest first. @param leases of the subscription, if this node holds them */
  async of(subscription: SubscriptionOffset, leases?: Pick<Leases, 'waitingBetween'>): Promise<readonly AgeCount[]> {
    const { options, topic, totals } = subscription;
    const end = totals?.messages ?? 0;
    const isExact = options?.filter === undefined && (options?.ackMode !== 'message' || leases !== undefined);
    const now = this.clock();
    const budget = { bytes: MOST_BYTES };
    const counts: AgeCount[] = [];
    let from = await this.begin(subscription, end, now, budget);
    for (const [youngest, oldest] of AGES) {
      const later = { low: from.low, high: end };
      const to =
        youngest === 0 || !topic ? { low: end, high: end } : await this.search(topic.topicId, later, now - 1_000 * youngest, budget);
      const messages = leases?.waitingBetween(from.low, to.high) ?? to.high - from.low;
      counts.unshift({ from: youngest, to: oldest, messages, exact: messages === 0 || (isExact && isKnown(from) && isKnown(to)) });
      from = to;
    }
    return counts;
  }

  /** Start of the waiting messages: without expired ones and those beyond the retention of the subscription. */
  private async begin({ options, topic, offset }: SubscriptionOffset, end: number, now: number, budget: Budget): Promise<Within> {
    const first = topic && offset < end ? await this.at(topic.topicId, offset, budget) : undefined;
    if (!topic || !first || first.offset >= end) return { low: end, high: end };
    const { messageRetentionSeconds } = options ?? {};
    if (messageRetentionSeconds === undefined) return { low: first.offset, high: first.offset };
    return this.search(topic.topicId, { low: first.offset, high: end }, now - 1_000 * messageRetentionSeconds, budget);
  }

  /** Start of the messages that are not older than an instant. */
  private async search(topicId: string, { low, high }: Within, instant: number, budget: Budget): Promise<Within> {
    let within = { low, high };
    while (within.low < within.high) {
      const at = roundest(within.low, within.high);
      const found = await this.at(topicId, at, budget);
      if (found === null) return within;
      if (!found || found.time > instant) within = { low: within.low, high: at };
      else within = { low: Math.min(within.high, found.offset + 1), high: within.high };
    }
    return within;
  }

  /** The first message from an offset on; `null` if it is not known and the call has read enough. */
  private async at(topicId: string, offset: number, budget: Budget): Promise<Found | null | undefined> {
    const key = `${topicId} ${offset}`;
    const known = this.known.get(key);
    if (known) return known;
    if (budget.bytes <= 0) return null;
    const [event] = await this.events.readStream(messagesStream(topicId), { from: BigInt(offset), limit: 1 });
    if (!event) return undefined;
    budget.bytes -= String(event.data.data ?? '').length;
    const found = { offset: Number(event.revision), time: Date.parse(event.metadata.time) };
    this.known.set(key, found);
    return found;
  }
}
