import { Inject, Injectable } from '@nestjs/common';
import { PushAvailability, type PushState } from '#api/messaging/push-availability.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type Backlog, Backlogs } from './backlogs.js';

/**
 * A subscription whose topic exists. `waits`: whether its oldest message is known to wait; a filter leaves open whether any of them does.
 * `deadLetterTopic`: its name; that topic may be gone.
 */
export type WaitingIn = Backlog &
  Readonly<{
    projectId: string;
    subscriptionId: string;
    name: string;
    deadLetterTopic: string | null;
    push: PushState | null;
    waits: boolean;
  }>;

/** `subscriptions`: number of counted subscriptions, including those without a topic, which are no items. */
type Page = Readonly<{ subscriptions: number; items: readonly WaitingIn[] }>;

/** Waiting messages and state of push of the subscriptions of all projects. */
@Injectable()
export class WaitingInAll {
  private readonly attached: AttachedSubscriptions;
  private readonly offsets: OffsetQueries;
  private readonly traffic: TrafficQueries;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(Backlogs) private readonly backlogs: Pick<Backlogs, 'of'>,
    @Inject(PushAvailability) private readonly push: Pick<PushAvailability, 'stateOf'>,
  ) {
    this.attached = new AttachedSubscriptions(store);
    this.offsets = new OffsetQueries(store);
    this.traffic = new TrafficQueries(store);
  }

  /** Yields one page of subscriptions after the other. @throws ReadStoreUnavailable, EventStoreUnavailable */
  async *pages(slice: Slice): AsyncGenerator<Page> {
    for await (const { all, attached } of this.attached.pages(slice)) {
      const [cursors, totals] = await Promise.all([
        this.offsets.cursors(attached),
        this.traffic.ofTopics(attached.map(({ topicId }) => topicId)),
      ]);
      const backlogs = await this.backlogs.of(
        attached.map(({ options, topic }, index) => ({ options, topic, totals: totals[index], offset: cursors[index]?.offset ?? 0 })),
      );
      const pushes = await Promise.all(attached.map((subscription) => this.push.stateOf(subscription)));
      const items = attached.flatMap(({ projectId, subscriptionId, name, options }, index): WaitingIn[] => {
        const backlog = backlogs[index];
        if (!backlog) return [];
        const deadLetterTopic = options?.deadLetterPolicy?.topic ?? null;
        const waits = backlog.backlog > 0 && (backlog.exact || options?.ackMode === 'message');
        return [{ projectId, subscriptionId, name, deadLetterTopic, push: pushes[index] ?? null, waits, ...backlog }];
      });
      yield { subscriptions: all, items };
    }
  }
}
