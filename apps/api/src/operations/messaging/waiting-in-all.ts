import { Inject, Injectable } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type Backlog, Backlogs } from './backlogs.js';

/** What waits in one subscription. */
export type WaitingIn = Backlog & Readonly<{ projectId: string; subscriptionId: string }>;

/**
 * `subscriptions`: number of counted subscriptions, including those without a topic. `items`: those with a topic. `deadLetterTopics`: some may
 * be gone.
 */
type Waiting = Readonly<{
  subscriptions: number;
  items: readonly WaitingIn[];
  messages: number;
  oldestPublishedAt: string | null;
  deadLetterTopics: readonly Readonly<{ projectId: string; topic: string }>[];
}>;

/** Counts waiting messages in the subscriptions of all projects. */
@Injectable()
export class WaitingInAll {
  private readonly attached: AttachedSubscriptions;
  private readonly offsets: OffsetQueries;
  private readonly traffic: TrafficQueries;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(Backlogs) private readonly backlogs: Pick<Backlogs, 'of'>,
  ) {
    this.attached = new AttachedSubscriptions(store);
    this.offsets = new OffsetQueries(store);
    this.traffic = new TrafficQueries(store);
  }

  /** Yields the count of one page of subscriptions after the other. @throws ReadStoreUnavailable, EventStoreUnavailable */
  async *pages(slice: Slice): AsyncGenerator<Waiting> {
    for await (const { all, attached } of this.attached.pages(slice)) {
      const [cursors, totals] = await Promise.all([
        this.offsets.cursors(attached),
        this.traffic.ofTopics(attached.map(({ topicId }) => topicId)),
      ]);
      const backlogs = await this.backlogs.of(
        attached.map(({ options, topic }, index) => ({ options, topic, totals: totals[index], offset: cursors[index]?.offset ?? 0 })),
      );
      const items = backlogs.flatMap((backlog, index): WaitingIn[] => {
        const one = attached[index];
        return one ? [{ projectId: one.projectId, subscriptionId: one.subscriptionId, ...backlog }] : [];
      });
      const [oldestPublishedAt = null] = backlogs.flatMap((one) => one.oldestPublishedAt ?? []).sort();
      const deadLetterTopics = attached.flatMap(({ projectId, options }) =>
        options?.deadLetterPolicy ? { projectId, topic: options.deadLetterPolicy.topic } : [],
      );
      const messages = backlogs.reduce((sum, { backlog }) => sum + backlog, 0);
      yield { subscriptions: all, items, messages, oldestPublishedAt, deadLetterTopics };
    }
  }
}
