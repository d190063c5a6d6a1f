import { Injectable } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { selectionOf } from '#domain/messaging/resources/subscription-options.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';

/** A subscription with the reference that commands to its cursor need. */
export type FoundSubscription = Readonly<{ subscription: SubscriptionDocument; ref: SubscriptionRef }>;

/** Finds subscriptions, with the topic that currently has the name they are attached to. */
@Injectable()
export class SubscriptionLookup {
  constructor(private readonly resources: ResourceQueries) {}

  /** @throws MessagingError N04 */
  async byName({ projectId }: ProjectReference, name: string): Promise<FoundSubscription> {
    return this.withTopic(projectId, found(await this.resources.subscription(projectId, name), errors.subscriptionNotFound));
  }

  /** `undefined` if no subscription has this id. */
  async byId(projectId: string, subscriptionId: string): Promise<FoundSubscription | undefined> {
    const subscription = await this.resources.subscriptionById({ projectId, subscriptionId });
    return subscription && this.withTopic(projectId, subscription);
  }

  private async withTopic(projectId: string, subscription: SubscriptionDocument): Promise<FoundSubscription> {
    const { subscriptionId, topicId, startOffset } = subscription;
    const topic = await this.resources.topic(projectId, subscription.topic);
    const selection = selectionOf(subscription.options);
    const ref = {
      ...{ projectId, subscriptionId, start: { topicId, startOffset }, topicId: topic?.topicId ?? null },
      ...(topic && { topicOrder: topic.order }),
      ...(selection && { selection }),
    };
    return { subscription, ref };
  }
}
