import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type SubscriptionDocument, type TopicDocument } from '#projections/messaging/resources/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Lookups of topics and subscriptions that must exist. */
export class ResourceReader {
  readonly queries: ResourceQueries;

  constructor(store: ReadStore) {
    this.queries = new ResourceQueries(store);
  }

  /** @throws MessagingError N03 */
  async topic({ projectId }: ProjectReference, name: string): Promise<TopicDocument> {
    return found(await this.queries.topic(projectId, name), errors.topicNotFound);
  }

  /** @throws MessagingError N04 */
  async subscription({ projectId }: ProjectReference, name: string): Promise<SubscriptionDocument> {
    return found(await this.queries.subscription(projectId, name), errors.subscriptionNotFound);
  }

  subscriptionsOf({ projectId }: ProjectReference, topic: string): Promise<readonly string[]> {
    return this.queries.subscriptionsOf(projectId, topic);
  }

  acl({ projectId }: ProjectReference, id: string): Promise<readonly string[]> {
    return this.queries.acl(projectId, id);
  }
}
