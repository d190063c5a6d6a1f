import { Injectable } from '@nestjs/common';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import type { SubscriptionDocument } from '#projections/messaging/resources/queries.js';

/** A subscription, and what commands to its cursor need to know of it. */
export type FoundSubscription = Readonly<{ subscription: SubscriptionDocument; ref: SubscriptionRef }>;

/** Finds subscriptions with the topic that currently has the name they are attached to. */
@Injectable()
export class SubscriptionLookup {
  constructor(private readonly reader: ResourceReader) {}

  /** @throws MessagingError N04 */
  async byName(project: ProjectReference, name: string): Promise<FoundSubscription> {
    return this.withTopic(project.projectId, await this.reader.subscription(project, name));
  }

  /** `undefined` if there is no subscription with this id. */
  async byId(projectId: string, subscriptionId: string): Promise<FoundSubscription | undefined> {
    const subscription = await this.reader.queries.subscriptionById({ projectId, subscriptionId });
    return subscription && this.withTopic(projectId, subscription);
  }

  private async withTopic(projectId: string, subscription: SubscriptionDocument): Promise<FoundSubscription> {
    const { subscriptionId, topicId, startOffset } = subscription;
    const topic = await this.reader.queries.topic(projectId, subscription.topic);
    return { subscription, ref: { projectId, subscriptionId, start: { topicId, startOffset }, topicId: topic?.topicId ?? null } };
  }
}
