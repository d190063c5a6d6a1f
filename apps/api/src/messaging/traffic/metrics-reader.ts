import { rangeInParts } from '#api/shared/http/range-parts.js';
import type { Day } from '#domain/shared/time.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import {
  RESOURCES_PROJECTION,
  resourceCollections,
  type SubscriptionDocument,
  type TopicDocument,
  type TotalsDocument,
} from '#projections/messaging/resources/resource-documents.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';

const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;
/** How many there are of everything. */
export class MetricsReader {
  private readonly resources: ReadView;

  constructor(store: ReadStore) {
    this.resources = store.view(RESOURCES_PROJECTION);
  }

  async totals({ projectId }: ProjectReference): Promise<TotalsDocument> {
    const stored = await this.resources.get(resourceCollections.totals, projectId);
    return stored ? parse(stored) : { topics: 0, subscriptions: 0 };
  }

  /** How many topics or subscriptions of a project have a user in their ACL, by the user's id. */
  async accessible({ projectId }: ProjectReference, kind: 'topics' | 'subscriptions'): Promise<ReadonlyMap<string, number>> {
    const collection = kind === 'topics' ? resourceCollections.topicsOfUser : resourceCollections.subscriptionsOfUser;
    const counts = new Map<string, number>();
    for await (const part of rangeInParts(this.resources, collection, keysUnder(projectId))) {
      for (const { key } of part) {
        const [, userId = ''] = key.split('/');
        counts.set(userId, (counts.get(userId) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** How many topics and subscriptions a project has that were created from one day to another, both included. */
  async createdBetween(projectId: string, first: Day, last: Day): Promise<TotalsDocument> {
    const countIn = async (collection: string): Promise<number> => {
      let count = 0;
      for await (const part of rangeInParts(this.resources, collection, keysUnder(projectId))) {
        const days = part.map(({ value }) => parse<TopicDocument | SubscriptionDocument>(value).createdOn.slice(0, first.length));
        count += days.filter((day) => day >= first && day <= last).length;
      }
      return count;
    };
    const topics = await countIn(resourceCollections.topicsInOrder);
    return { topics, subscriptions: await countIn(resourceCollections.subscriptionsInOrder) };
  }
}
