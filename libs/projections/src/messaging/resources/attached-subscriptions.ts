import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import { RESOURCES, type SubscriptionDocument, subscriptions, type TopicDocument, topics } from './documents.js';

/** A subscription whose topic exists. */
type AttachedSubscription = SubscriptionRef &
  Pick<SubscriptionDocument, 'name' | 'push' | 'options'> &
  Readonly<{ topicId: string; topic: TopicDocument }>;

/** Subscriptions that are looked up together. */
const AT_ONCE = 500;

/** The attached subscriptions of all projects, with the current topics of these names. */
export class AttachedSubscriptions extends queriesOf(RESOURCES) {
  /** In pages. `all`: number of subscriptions read for the page, including those without a topic. */
  async *pages(slice: Slice): AsyncGenerator<Readonly<{ all: number; attached: readonly AttachedSubscription[] }>> {
    for await (const page of pagesOf(this.view, subscriptions.byId.name, {}, { slice, most: AT_ONCE })) {
      const found = page.map(({ key, value }) => ({
        projectId: key.slice(0, key.indexOf('/')),
        document: subscriptions.byId.parse(value),
      }));
      const named = await this.topicsOf(found);
      const attached = found.flatMap(({ projectId, document }, index): AttachedSubscription[] => {
        const { subscriptionId, topicId, startOffset, name, push, options } = document;
        const topic = named[index];
        if (!topic) return [];
        return [{ projectId, subscriptionId, start: { topicId, startOffset }, topicId: topic.topicId, name, push, options, topic }];
      });
      yield { all: found.length, attached };
    }
  }

  /** Subscriptions by id, in the given order, in one round trip. `undefined`: there is none. */
  async byIds(
    references: readonly Readonly<{ projectId: string; subscriptionId: string }>[],
  ): Promise<readonly (SubscriptionDocument | undefined)[]> {
    if (references.length === 0) return [];
    return subscriptions.byId.getMany(
      this.view,
      references.map(({ projectId, subscriptionId }) => [projectId, subscriptionId] as const),
    );
  }

  /** The current topic to which each subscription is attached, in one round trip. `undefined`: there is none. */
  async topicsOf(
    found: readonly Readonly<{ projectId: string; document: Pick<SubscriptionDocument, 'topic'> }>[],
  ): Promise<readonly (TopicDocument | undefined)[]> {
    if (found.length === 0) return [];
    return topics.byName.getMany(
      this.view,
      found.map(({ projectId, document }) => [projectId, document.topic] as const),
    );
  }
}
