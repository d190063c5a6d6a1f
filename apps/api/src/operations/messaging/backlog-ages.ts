import { Inject, Injectable } from '@nestjs/common';
import { ReadBudget } from '#api/messaging/messages/read-budget.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Leases } from '#domain/messaging/deliveries/leases.js';
import { isFiltered } from '#domain/messaging/resources/subscription-options.js';
import type { Clock } from '#domain/shared/clock.js';
import type { TopicDocument } from '#projections/messaging/resources/queries.js';
import type { SubscriptionOffset } from './backlogs.js';
import { FirstMessages } from './first-messages.js';

/** Counted age classes, in seconds from the youngest to the oldest (exclusive), oldest first. */
const AGES = [
  [86_400, null],
  [3_600, 86_400],
  [600, 3_600],
  [60, 600],
  [0, 60],
] as const;

/** Waiting messages by age in seconds; `to` is exclusive, `null` for any age. `exact`: if false, `messages` is an upper bound. */
type AgeCount = Readonly<{ from: number; to: number | null; messages: number; exact: boolean }>;

/** Bounds of a position in the log, both inclusive. */
type Within = Readonly<{ low: number; high: number }>;

const isKnown = ({ low, high }: Within): boolean => low === high;

type Topic = Pick<TopicDocument, 'topicId' | 'settings'>;

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
  constructor(
    private readonly firsts: FirstMessages,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Youngest first. @param leases of the subscription, if this node holds them */
  async of(subscription: SubscriptionOffset, leases?: Pick<Leases, 'waitingBetween'>): Promise<readonly AgeCount[]> {
    const { options, topic, totals } = subscription;
    const end = totals?.messages ?? 0;
    const isExact = !isFiltered(options) && (options?.ackMode !== 'message' || leases !== undefined);
    const now = this.clock();
    const budget = new ReadBudget();
    const counts: AgeCount[] = [];
    let from = await this.begin(subscription, end, now, budget);
    for (const [youngest, oldest] of AGES) {
      const later = { low: from.low, high: end };
      const to = youngest === 0 || !topic ? { low: end, high: end } : await this.search(topic, later, now - 1_000 * youngest, budget);
      const messages = leases?.waitingBetween(from.low, to.high) ?? to.high - from.low;
      counts.unshift({ from: youngest, to: oldest, messages, exact: messages === 0 || (isExact && isKnown(from) && isKnown(to)) });
      from = to;
    }
    return counts;
  }

  /** Start of the waiting messages: without expired ones and those beyond the retention of the subscription. */
  private async begin({ options, topic, offset }: SubscriptionOffset, end: number, now: number, budget: ReadBudget): Promise<Within> {
    const first = topic && offset < end ? await this.firsts.from(topic, offset, budget) : undefined;
    if (!topic || !first || first.offset >= end) return { low: end, high: end };
    const { messageRetentionSeconds } = options ?? {};
    if (messageRetentionSeconds === undefined) return { low: first.offset, high: first.offset };
    return this.search(topic, { low: first.offset, high: end }, now - 1_000 * messageRetentionSeconds, budget);
  }

  /** Start of the messages that are not older than an instant. */
  private async search(topic: Topic, { low, high }: Within, instant: number, budget: ReadBudget): Promise<Within> {
    let within = { low, high };
    while (within.low < within.high) {
      const at = roundest(within.low, within.high);
      const found = await this.firsts.from(topic, at, budget);
      if (found === null) return within;
      if (!found || found.time > instant) within = { low: within.low, high: at };
      else within = { low: Math.min(within.high, found.offset + 1), high: within.high };
    }
    return within;
  }
}
