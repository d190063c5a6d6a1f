import { Injectable } from '@nestjs/common';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import {
  resourceCollections,
  resourceKey,
  type SubscriptionDocument,
  type TopicDocument,
} from '#projections/messaging/resources/resource-documents.js';

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
    const bytes = await this.reader.view.get(resourceCollections.subscriptionsById, resourceKey(projectId, subscriptionId));
    return bytes ? this.withTopic(projectId, JSON.parse(bytes.toString('utf8')) as SubscriptionDocument) : undefined;
  }

  private async withTopic(projectId: string, subscription: SubscriptionDocument): Promise<FoundSubscription> {
    const { subscriptionId, topicId, startOffset } = subscription;
    const bytes = await this.reader.view.get(resourceCollections.topics, resourceKey(projectId, subscription.topic));
    const topic = bytes ? (JSON.parse(bytes.toString('utf8')) as TopicDocument) : undefined;
    return { subscription, ref: { projectId, subscriptionId, start: { topicId, startOffset }, topicId: topic?.topicId ?? null } };
  }
}
