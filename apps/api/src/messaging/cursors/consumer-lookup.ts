import type { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import {
  resourceCollections,
  resourceKey,
  type SubscriptionDocument,
  type TopicDocument,
} from '#projections/messaging/resources/resource-documents.js';
import type { Consumer } from './consumption.js';

/** A subscription as documents have it, and as consumption wants it. */
export type FoundConsumer = Readonly<{ subscription: SubscriptionDocument; consumer: Consumer }>;

/** A subscription, and the topic that has now the name it is attached to. */
export const consumerOf = async (reader: ResourceReader, projectId: string, subscription: SubscriptionDocument): Promise<Consumer> => {
  const { subscriptionId, topicId, startOffset } = subscription;
  const bytes = await reader.view.get(resourceCollections.topics, resourceKey(projectId, subscription.topic));
  const topic = bytes ? (JSON.parse(bytes.toString('utf8')) as TopicDocument) : undefined;
  return { projectId, subscriptionId, start: { topicId, startOffset }, topicId: topic?.topicId ?? null };
};

/** The subscription of this name. @throws MessagingError N04 */
export const findConsumer = async (reader: ResourceReader, project: ProjectReference, name: string): Promise<FoundConsumer> => {
  const subscription = await reader.subscription(project, name);
  return { subscription, consumer: await consumerOf(reader, project.projectId, subscription) };
};
