import * as errors from '#api/messaging/errors.js';
import { type ListPart, type Page, readPage } from '#api/messaging/pagination.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import {
  RESOURCES_PROJECTION,
  resourceCollections,
  resourceKey,
  type SchemaDocument,
  type SubscriptionDocument,
  type TopicDocument,
} from '#projections/messaging/resources/resource-documents.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';

const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

/** The collections by which a kind of resource is listed. */
type Listed = Readonly<{ byName: string; inOrder: string; ofUser: string }>;
const TOPICS: Listed = {
  byName: resourceCollections.topics,
  inOrder: resourceCollections.topicsInOrder,
  ofUser: resourceCollections.topicsOfUser,
};
const SUBSCRIPTIONS: Listed = {
  byName: resourceCollections.subscriptions,
  inOrder: resourceCollections.subscriptionsInOrder,
  ofUser: resourceCollections.subscriptionsOfUser,
};

/** Lookups of topics, subscriptions and schemas that several calls need. */
export class ResourceReader {
  readonly view: ReadView;

  constructor(store: ReadStore) {
    this.view = store.view(RESOURCES_PROJECTION);
  }

  /** @throws MessagingError N03 */
  async topic({ projectId }: ProjectReference, name: string): Promise<TopicDocument> {
    const bytes = await this.view.get(resourceCollections.topics, resourceKey(projectId, name));
    if (!bytes) throw errors.topicNotFound();
    return parse(bytes);
  }

  /** @throws MessagingError N04 */
  async subscription({ projectId }: ProjectReference, name: string): Promise<SubscriptionDocument> {
    const bytes = await this.view.get(resourceCollections.subscriptions, resourceKey(projectId, name));
    if (!bytes) throw errors.subscriptionNotFound();
    return parse(bytes);
  }

  /** By id; schemas that have been deleted are left out. */
  async schemas({ projectId }: ProjectReference, ids: Iterable<string | null>): Promise<ReadonlyMap<string, SchemaDocument>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    if (wanted.length === 0) return new Map();
    const keys = wanted.map((id) => resourceKey(projectId, id));
    const found = await this.view.getMany(resourceCollections.schemasById, keys);
    return new Map(
      found.flatMap((bytes): [string, SchemaDocument][] => {
        const schema = bytes && parse<SchemaDocument>(bytes);
        return schema ? [[schema.schemaId, schema]] : [];
      }),
    );
  }

  /** With `userId`: only those whose ACL has the user. */
  topics(project: ProjectReference, page: Page, userId?: string): Promise<ListPart<TopicDocument>> {
    return this.list(TOPICS, project, page, userId);
  }

  /** With `userId`: only those whose ACL has the user. */
  subscriptions(project: ProjectReference, page: Page, userId?: string): Promise<ListPart<SubscriptionDocument>> {
    return this.list(SUBSCRIPTIONS, project, page, userId);
  }

  /** The names of the subscriptions attached to a topic's name, in the order of their creation. */
  async subscriptionsOf({ projectId }: ProjectReference, topic: string): Promise<readonly string[]> {
    const entries = await this.view.range(resourceCollections.subscriptionsOfTopic, keysUnder(projectId, topic));
    return entries.map(({ value }) => parse<string>(value));
  }

  /** The ids of the users in the ACL of a topic or subscription, in the order in which they were given. */
  async acl({ projectId }: ProjectReference, id: string): Promise<readonly string[]> {
    const bytes = await this.view.get(resourceCollections.acls, resourceKey(projectId, id));
    return bytes ? parse(bytes) : [];
  }

  private async list<Document>(
    { byName, inOrder, ofUser }: Listed,
    { projectId }: ProjectReference,
    page: Page,
    userId: string | undefined,
  ): Promise<ListPart<Document>> {
    if (userId === undefined) {
      const part = await readPage(this.view, { collection: inOrder, prefix: `${projectId}/` }, page);
      return { ...part, items: part.items.map(({ value }) => parse(value)) };
    }
    const part = await readPage(this.view, { collection: ofUser, prefix: `${projectId}/${userId}/` }, page);
    const keys = part.items.map(({ value }: StoredDocument) => resourceKey(projectId, parse(value)));
    const found = keys.length > 0 ? await this.view.getMany(byName, keys) : [];
    return { ...part, items: found.flatMap((bytes) => (bytes ? [parse<Document>(bytes)] : [])) };
  }
}
