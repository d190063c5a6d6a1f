import { Inject, Injectable } from '@nestjs/common';
import { ReadBudget } from '#api/messaging/messages/read-budget.js';
import { CLOCK } from '#api/shared/tokens.js';
import { isFiltered } from '#domain/messaging/resources/subscription-options.js';
import type { TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import type { Clock } from '#domain/shared/clock.js';
import type { SubscriptionDocument, TopicDocument } from '#projections/messaging/resources/queries.js';
import { FirstMessages } from './first-messages.js';

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
export type Backlog = Readonly<{ backlog: number; oldestPublishedAt: string | null; exact: boolean }>;

const NOTHING: Backlog = { backlog: 0, oldestPublishedAt: null, exact: true };

/** Backlogs of subscriptions. */
@Injectable()
export class Backlogs {
  constructor(
    private readonly firsts: FirstMessages,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Keeps the order. Runs one after another, because messages may be large. */
  async of(subscriptions: readonly SubscriptionOffset[]): Promise<readonly Backlog[]> {
    const budget = new ReadBudget();
    const backlogs: Backlog[] = [];
    for (const one of subscriptions) backlogs.push(await this.backlog(one, budget));
    return backlogs;
  }

  private async backlog({ options, topic, totals, offset }: SubscriptionOffset, budget: ReadBudget): Promise<Backlog> {
    const { messages: end, lastPublish } = totals ?? { messages: 0, lastPublish: null };
    const { ackMode, messageRetentionSeconds = Number.POSITIVE_INFINITY } = options ?? {};
    const since = this.clock() - 1_000 * messageRetentionSeconds;
    if (!topic || end <= offset || (lastPublish !== null && Date.parse(lastPublish) < since)) return NOTHING;
    const oldest = await this.firsts.from(topic, offset, budget);
    if (oldest === null) return { backlog: end - offset, oldestPublishedAt: null, exact: false };
    if (!oldest || oldest.offset >= end) return NOTHING;
    const isExact = !isFiltered(options) && ackMode !== 'message' && oldest.time >= since;
    return {
      backlog: end - oldest.offset,
      oldestPublishedAt: new Date(Math.max(oldest.time, since)).toISOString(),
      exact: isExact,
    };
  }
}
