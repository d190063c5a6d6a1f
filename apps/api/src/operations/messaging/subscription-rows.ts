import { Injectable } from '@nestjs/common';
import { DeadLetterLog, type LetterCount } from '#api/messaging/deliveries/dead-letters/dead-letter-log.js';
import { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import type { ServedSubscription } from '#api/messaging/deliveries/served-subscription.js';
import { ServingNodes } from '#api/messaging/deliveries/serving-nodes.js';
import { PushAvailability } from '#api/messaging/push-availability.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import type { Static } from '#domain/shared/shape.js';
import { AttachedSubscriptions, type SubscriptionOfProject } from '#projections/messaging/resources/attached-subscriptions.js';
import type { SubscriptionDocument, TopicDocument } from '#projections/messaging/resources/queries.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { SourceOfTenant } from '#projections/status/metric-source/queries.js';
import { Backlogs, type SubscriptionOffset } from './backlogs.js';
import type { SUBSCRIPTION_ROW } from './documentation.js';
import { LetterCounts } from './letter-counts.js';
import { PastTraffic } from './past-traffic.js';

/** A subscription with the data for all its figures. */
export type KnownSubscription = Readonly<{
  document: SubscriptionDocument;
  ref: SubscriptionRef;
  topic: TopicDocument | undefined;
  cursor: Cursor;
  standing: SubscriptionOffset;
  /** Its leases, if this node holds them. */
  here: ServedSubscription | undefined;
}>;

/** Increase since an hour ago; `null` if the earlier figures are not known. */
export const since = (before: readonly (Readonly<{ messages: number }> | undefined)[] | null, index: number, now: number): number | null =>
  before && Math.max(0, now - (before[index]?.messages ?? 0));

/** Name of the dead letter topic of a subscription: its own, or that of a metric source. */
export const deadLetterTopicOf = ({ name, options }: SubscriptionDocument, sources: readonly SourceOfTenant[]): string | null =>
  options?.deadLetterPolicy?.topic ?? sources.find(({ source }) => source.subscription === name)?.source.deadLetterTopic ?? null;

const NO_BACKLOG = { backlog: 0, oldestPublishedAt: null, exact: true };

/** Waiting messages of subscriptions. */
@Injectable()
export class SubscriptionRows {
  constructor(
    private readonly attached: AttachedSubscriptions,
    private readonly offsets: OffsetQueries,
    private readonly traffic: TrafficQueries,
    private readonly deliveries: Deliveries,
    private readonly nodes: ServingNodes,
    private readonly push: PushAvailability,
    private readonly letters: DeadLetterLog,
    private readonly backlogs: Backlogs,
    private readonly past: PastTraffic,
  ) {}

  /** In the given order. */
  async known(found: readonly SubscriptionOfProject[]): Promise<readonly KnownSubscription[]> {
    const topics = await this.attached.topicsOf(found);
    const refs = found.map(({ projectId, document: { subscriptionId, topicId, startOffset } }, index): SubscriptionRef => {
      const start = { topicId, startOffset };
      return { projectId, subscriptionId, start, topicId: topics[index]?.topicId ?? null };
    });
    const ids = [...new Set(topics.flatMap((topic) => topic?.topicId ?? []))];
    const [cursors, totals] = await Promise.all([this.offsets.cursors(refs), this.traffic.ofTopics(ids)]);
    const totalsById = new Map(ids.map((id, index) => [id, totals[index]]));
    const served = new Map([...this.deliveries.all()].map((one) => [one.by.subscription.subscriptionId, one]));
    return found.flatMap(({ document }, index): KnownSubscription[] => {
      const [ref, topic, cursor] = [refs[index], topics[index], cursors[index]];
      if (!ref || !cursor) return [];
      const standing = { options: document.options, topic, totals: totalsById.get(topic?.topicId ?? ''), offset: cursor.offset };
      return [{ document, ref, topic, cursor, standing, here: served.get(document.subscriptionId) }];
    });
  }

  /** Messages leased by consumers; `null` if another node holds the leases. */
  async leased({ document, cursor, here }: KnownSubscription, now: number): Promise<number | null> {
    if (document.options?.ackMode === 'message') {
      if (here) return here.leases.outstanding;
      return (await this.nodes.isElsewhere(document.subscriptionId)) ? null : 0;
    }
    const { nextOffset, offset, pendingAck } = cursor;
    const isOut = pendingAck !== null && now / 1_000 - pendingAck <= document.ackDeadlineSeconds;
    return isOut ? Math.max(0, nextOffset - offset) : 0;
  }

  /** Number of dead letters of subscriptions of a project; `null` for one that has no dead letter topic, or that is gone. */
  deadLetters(
    projectId: string,
    documents: readonly SubscriptionDocument[],
    sources: readonly SourceOfTenant[],
  ): Promise<readonly (LetterCount | null)[]> {
    const counts = new LetterCounts(this.letters, this.attached);
    return counts.of(documents.map((document) => ({ projectId, name: document.name, topic: deadLetterTopicOf(document, sources) })));
  }

  /** In the form of a list. */
  async views(
    projectId: string,
    documents: readonly SubscriptionDocument[],
    sources: readonly SourceOfTenant[],
    now: number,
  ): Promise<readonly Static<typeof SUBSCRIPTION_ROW>[]> {
    const known = await this.known(documents.map((document) => ({ projectId, document })));
    const [backlogs, before, letters, pushes, leased] = await Promise.all([
      this.backlogs.of(known.map(({ standing }) => standing)),
      this.past.anHourAgo((traffic) => traffic.ofSubscriptions(known.map(({ ref }) => ref))),
      this.deadLetters(projectId, documents, sources),
      Promise.all(documents.map((document) => this.push.stateOf(document))),
      Promise.all(known.map((one) => this.leased(one, now))),
    ]);
    return known.map(({ document, cursor, here }, index) => {
      const { name, topic, push, options } = document;
      return {
        name,
        topic,
        ackMode: options?.ackMode ?? 'cursor',
        push: push !== null,
        pushState: pushes[index]?.state ?? null,
        pushError: pushes[index]?.error ?? null,
        ...(backlogs[index] ?? NO_BACKLOG),
        outstanding: leased[index] ?? null,
        delivered: cursor.messages,
        deliveredLastHour: since(before, index, cursor.messages),
        pulledAt: cursor.lastPull,
        deadLetterTopic: deadLetterTopicOf(document, sources),
        deadLetters: letters[index] ?? null,
        deadLettersKept: here?.deadLetters.areBlocked ?? null,
      };
    });
  }
}
