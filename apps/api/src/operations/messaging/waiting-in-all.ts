import { Inject, Injectable } from '@nestjs/common';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import type { SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type Backlog, Backlogs } from './backlogs.js';

/** Waiting messages of one subscription. */
export type WaitingIn = Backlog & Readonly<{ projectId: string; subscriptionId: string }>;

/** Names of a subscription and of the dead letter topic that it has, which may be gone. */
export type NamedSubscription = Readonly<{ projectId: string; subscription: string; deadLetterTopic: string | null }>;

/**
 * `subscriptions`: number of counted subscriptions, including those without a topic. `items`: those with a topic. `oldestWaitingAt`:
 * `oldestPublishedAt` of those subscriptions of which it is known that the message waits.
 */
type Waiting = Readonly<{
  subscriptions: number;
  items: readonly WaitingIn[];
  messages: number;
  oldestPublishedAt: string | null;
  oldestWaitingAt: string | null;
  withDeadLetters: readonly NamedSubscription[];
  pushFails: readonly NamedSubscription[];
}>;

/** A filter leaves open whether any of the messages behind the offset waits. */
const isKnown = ({ exact }: Readonly<{ exact: boolean }>, { options }: Pick<SubscriptionDocument, 'options'>): boolean =>
  exact || options?.ackMode === 'message';

const earliest = (backlogs: readonly Readonly<{ oldestPublishedAt: string | null }>[]): string | null =>
  backlogs.flatMap(({ oldestPublishedAt }) => oldestPublishedAt ?? []).sort()[0] ?? null;

/** Counts waiting messages in the subscriptions of all projects. */
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
      const pushes = await Promise.all(attached.map((subscription) => this.push.stateOf(subscription)));
      const named = attached.map(({ projectId, name, options }) => {
        return { projectId, subscription: name, deadLetterTopic: options?.deadLetterPolicy?.topic ?? null };
      });
      const known = backlogs.filter((backlog, index) => isKnown(backlog, attached[index] ?? {}));
      yield {
        subscriptions: all,
        items,
        messages: backlogs.reduce((sum, { backlog }) => sum + backlog, 0),
        oldestPublishedAt: earliest(backlogs),
        oldestWaitingAt: earliest(known),
        withDeadLetters: named.filter(({ deadLetterTopic }) => deadLetterTopic !== null),
        pushFails: named.filter((_, index) => (pushes[index]?.state ?? 'active') !== 'active'),
      };
    }
  }
}
