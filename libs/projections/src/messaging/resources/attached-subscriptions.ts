import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import { RESOURCES, type SubscriptionDocument, subscriptions, type TopicDocument, topics } from './documents.js';

/** A subscription of a project. */
export type SubscriptionOfProject = Readonly<{ projectId: string; document: SubscriptionDocument }>;

/** Subscriptions that are looked up together. */
const AT_ONCE = 500;

/** The subscriptions of all projects, and the current topics of these names. */
export class AttachedSubscriptions extends queriesOf(RESOURCES) {
  /** In pages. */
  async *pages(slice: Slice): AsyncGenerator<readonly SubscriptionOfProject[]> {
    for await (const page of pagesOf(this.view, subscriptions.byId.name, {}, { slice, most: AT_ONCE }))
      yield page.map(({ key, value }) => ({ projectId: key.slice(0, key.indexOf('/')), document: subscriptions.byId.parse(value) }));
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
