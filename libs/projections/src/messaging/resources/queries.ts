import { addRanges, type Ranges } from '#domain/messaging/deliveries/ranges.js';
import { hasLabel } from '#domain/messaging/resources/labels.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type DocumentFilter, type ListFilter, type ListPart, type Page, pageOf, readPage } from '#projections/messaging/newest-first.js';
import type { Collection } from '#projections/shared/collection.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import {
  acls,
  RESOURCES,
  type Resource,
  redriven,
  redrivenBlock,
  redrivenBlockStart,
  type SubscriptionDocument,
  subscriptions,
  type TopicDocument,
  type TotalsDocument,
  topics,
  totals,
} from './documents.js';

export type { SubscriptionDocument, TopicDocument, TotalsDocument } from './documents.js';
export { RESOURCES } from './documents.js';

export type SubscriptionReference = Readonly<{ projectId: string; subscriptionId: string }>;

/** A subscription whose messages are pushed. `leased`: its messages are acknowledged individually. */
type PushedSubscription = SubscriptionReference & Readonly<{ push: NonNullable<SubscriptionDocument['push']>; leased?: true }>;

/** A user as a member of a project. */
type Member = Readonly<{ projectId: string; userId: string }>;

/** Collections for listing a kind of resource. */
type Listed<Document extends Resource> = Readonly<{
  byName: Collection<Document, readonly [projectId: string, name: string]>;
  inOrder: Collection<Document, readonly [projectId: string, order: string]>;
  ofUser: Collection<string, readonly [projectId: string, userId: string, order: string]>;
}>;

/** ACL entries, documents or memberships that are looked up together. */
const ENTRIES_AT_ONCE = 250;

/** The entries under a prefix, newest first; only those from the first of the page on if the whole list is not counted. */
const newestUnder = (view: ReadView, { name }: Pick<Collection<unknown>, 'name'>, under: string, { first = 'g', counted }: Page) => {
  // `lt` excludes its key. No key has more digits than an order, so `~` includes it.
  const before = counted === false ? `${under}${first}~` : `${under}g`;
  return pagesOf(view, name, { gte: under, lt: before }, { slice: new TimeSlice(), reverse: true, most: ENTRIES_AT_ONCE });
};

/** Topics, subscriptions and ACLs. Every call except `pushed` and `expiring` reads one project only. */
export class ResourceQueries {
  private readonly view: ReadView;
  /** Current ACLs, for permissions. */
  private readonly rights: ReadView;

  /** @param live if `store` shows an earlier time: the current store, for permissions. Default: `store` */
  constructor(
    private readonly store: ReadStore,
    live: ReadStore = store,
  ) {
    this.view = store.view(RESOURCES);
    this.rights = live === store ? this.view : live.view(RESOURCES);
  }

  topic(projectId: string, name: string): Promise<TopicDocument | undefined> {
    return topics.byName.get(this.view, [projectId, name]);
  }

  topicById(projectId: string, topicId: string): Promise<TopicDocument | undefined> {
    return topics.byId.get(this.view, [projectId, topicId]);
  }

  subscription(projectId: string, name: string): Promise<SubscriptionDocument | undefined> {
    return subscriptions.byName.get(this.view, [projectId, name]);
  }

  subscriptionById({ projectId, subscriptionId }: SubscriptionReference): Promise<SubscriptionDocument | undefined> {
    return subscriptions.byId.get(this.view, [projectId, subscriptionId]);
  }

  /** Whether each subscription exists, in one round trip. */
  async areThere(references: readonly SubscriptionReference[]): Promise<readonly boolean[]> {
    const found = await this.view.getMany(
      subscriptions.byId.name,
      references.map(({ projectId, subscriptionId }) => subscriptions.byId.key([projectId, subscriptionId])),
    );
    return found.map((stored) => stored !== null);
  }

  topics(projectId: string, page: Page, wanted: ListFilter = {}): Promise<ListPart<TopicDocument>> {
    return this.list(topics, projectId, page, { ...wanted, labels: ({ settings }) => settings?.labels });
  }

  subscriptions(projectId: string, page: Page, wanted: ListFilter = {}): Promise<ListPart<SubscriptionDocument>> {
    return this.list(subscriptions, projectId, page, { ...wanted, labels: ({ options }) => options?.labels });
  }

  /** Names of the subscriptions attached to a topic name, in order of creation. */
  subscriptionsOf(projectId: string, topic: string): Promise<readonly string[]> {
    return subscriptions.ofTopic.range(this.view, keysUnder(projectId, topic));
  }

  /** Which messages of a topic, from one offset to another (exclusive), are dead letters that were sent back: ranges of offsets. */
  async redriven(projectId: string, topicId: string, from: number, to: number): Promise<readonly number[]> {
    const ids: (readonly [projectId: string, topicId: string, block: number])[] = [];
    for (let block = redrivenBlock(from); redrivenBlockStart(block) < to; block += 1) ids.push([projectId, topicId, block]);
    if (ids.length === 0) return [];
    const ranges: Ranges = [];
    for (const block of await redriven.getMany(this.view, ids)) addRanges(ranges, block ?? []);
    return ranges;
  }

  /** Ids of the users in the ACL of a topic or subscription, in the order in which they were given. */
  async acl(projectId: string, id: string): Promise<readonly string[]> {
    return (await acls.get(this.view, [projectId, id])) ?? [];
  }

  /** Whether the current ACL of a topic or subscription has the user. */
  async isInAcl(projectId: string, id: string, userId: string): Promise<boolean> {
    return (await acls.get(this.rights, [projectId, id]))?.includes(userId) ?? false;
  }

  /** For each membership, the names of the topics with the user in their ACL. */
  accessibleTopics(members: readonly Member[], slice: Slice): Promise<readonly (readonly string[])[]> {
    return this.accessible(topics.ofUser, members, slice);
  }

  /** For each membership, the names of the subscriptions with the user in their ACL. */
  accessibleSubscriptions(members: readonly Member[], slice: Slice): Promise<readonly (readonly string[])[]> {
    return this.accessible(subscriptions.ofUser, members, slice);
  }

  /** The subscriptions of all projects whose messages are pushed. */
  async pushed(slice: Slice): Promise<readonly PushedSubscription[]> {
    const found: PushedSubscription[] = [];
    for await (const page of pagesOf(this.view, subscriptions.pushed.name, {}, { slice }))
      for (const { key, value } of page) {
        const { subscriptionId, push, options } = subscriptions.pushed.parse(value);
        if (!push) continue;
        const leased = options?.ackMode === 'message' ? ({ leased: true } as const) : {};
        found.push({ projectId: key.slice(0, key.indexOf('/')), subscriptionId, push, ...leased });
      }
    return found;
  }

  /** The subscriptions of all projects that expire when they are unused, in pages. */
  async *expiring(slice: Slice): AsyncGenerator<readonly SubscriptionReference[]> {
    for await (const page of pagesOf(this.view, subscriptions.expiring.name, {}, { slice }))
      yield page.map(({ key }) => {
        const [projectId = '', subscriptionId = ''] = key.split('/');
        return { projectId, subscriptionId };
      });
  }

  /** Calls the listener after every change of the read model. @returns function that stops the calls */
  onCommit(listener: () => void): () => void {
    return this.store.onCommit(RESOURCES, listener);
  }

  private async accessible(
    ofUser: Listed<Resource>['ofUser'],
    members: readonly Member[],
    slice: Slice,
  ): Promise<readonly (readonly string[])[]> {
    const names: (readonly string[])[] = [];
    for (let start = 0; start < members.length; start += ENTRIES_AT_ONCE) {
      const ranges = members.slice(start, start + ENTRIES_AT_ONCE).map(({ projectId, userId }) => keysUnder(projectId, userId));
      for (const entries of await this.view.ranges(ofUser.name, ranges)) names.push(entries.map(({ value }) => ofUser.parse(value)));
      if (slice.isOver) await slice.next();
    }
    return names;
  }

  private async list<Document extends Resource>(
    { byName, inOrder, ofUser }: Listed<Document>,
    projectId: string,
    page: Page,
    { userId, label, labels }: DocumentFilter<Document>,
  ): Promise<ListPart<Document>> {
    if (label) {
      const all =
        userId === undefined ? this.newestFirst(inOrder, projectId, page) : this.earlier({ inOrder, ofUser }, { projectId, userId }, page);
      return pageOf(all, page, (document) => hasLabel(labels(document), label));
    }
    if (userId === undefined) {
      const part = await readPage(this.view, inOrder, `${projectId}/`, page);
      return { ...part, items: part.items.map(({ value }) => inOrder.parse(value)) };
    }
    if (this.rights !== this.view) return pageOf(this.earlier({ inOrder, ofUser }, { projectId, userId }, page), page);
    const part = await readPage(this.view, ofUser, `${projectId}/${userId}/`, page);
    const names = part.items.map(({ value }) => [projectId, ofUser.parse(value)] as const);
    const found = names.length > 0 ? await byName.getMany(this.view, names) : [];
    return { ...part, items: found.filter((document) => document !== undefined) };
  }

  private async *newestFirst<Document extends Resource>(
    inOrder: Listed<Document>['inOrder'],
    projectId: string,
    page: Page,
  ): AsyncGenerator<Document> {
    for await (const found of newestUnder(this.view, inOrder, `${projectId}/`, page))
      for (const { value } of found) yield inOrder.parse(value);
  }

  /**
   * Resources of an earlier time whose current ACL has the user, newest first. An order always belongs to the same resource, so the current entries
   * select the user's earlier documents. Resources that were created later or already deleted at that time are not included.
   */
  private async *earlier<Document extends Resource>(
    { inOrder, ofUser }: Pick<Listed<Document>, 'inOrder' | 'ofUser'>,
    { projectId, userId }: Member,
    page: Page,
  ): AsyncGenerator<Document> {
    const under = `${projectId}/${userId}/`;
    for await (const entries of newestUnder(this.rights, ofUser, under, page)) {
      const found = await inOrder.getMany(
        this.view,
        entries.map(({ key }) => [projectId, key.slice(under.length)] as const),
      );
      yield* found.filter((document) => document !== undefined);
    }
  }
}

/** Numbers of topics and subscriptions. Every call reads one project only. */
export class ResourceCounts extends queriesOf(RESOURCES) {
  async totals(projectId: string): Promise<TotalsDocument> {
    return (await totals.get(this.view, projectId)) ?? { topics: 0, subscriptions: 0 };
  }

  /** Number of topics with a user in their ACL, by user id. */
  topicsByUser(projectId: string, slice: Slice): Promise<ReadonlyMap<string, number>> {
    return this.byUser(topics.ofUser, projectId, slice);
  }

  /** Number of subscriptions with a user in their ACL, by user id. */
  subscriptionsByUser(projectId: string, slice: Slice): Promise<ReadonlyMap<string, number>> {
    return this.byUser(subscriptions.ofUser, projectId, slice);
  }

  /** Numbers of existing topics and subscriptions that were created from one UTC day to another, both inclusive. */
  async createdBetween(projectId: string, first: Day, last: Day, slice: Slice): Promise<TotalsDocument> {
    const countIn = async <Document extends Resource>(inOrder: Listed<Document>['inOrder']): Promise<number> => {
      let count = 0;
      for await (const page of pagesOf(this.view, inOrder.name, keysUnder(projectId), { slice })) {
        const days = page.map(({ value }) => inOrder.parse(value).createdOn.slice(0, first.length));
        count += days.filter((day) => day >= first && day <= last).length;
      }
      return count;
    };
    return { topics: await countIn(topics.inOrder), subscriptions: await countIn(subscriptions.inOrder) };
  }

  private async byUser({ name }: Listed<Resource>['ofUser'], projectId: string, slice: Slice): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for await (const page of pagesOf(this.view, name, keysUnder(projectId), { slice })) {
      for (const { key } of page) {
        const [, userId = ''] = key.split('/');
        counts.set(userId, (counts.get(userId) ?? 0) + 1);
      }
    }
    return counts;
  }
}
