import { newPushConfiguration, replacedPushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { ResourceCommand, SchemaCommand, SchemaContent, SubscriptionCommand, TopicCommand } from './resource-commands.js';
import type { PushConfiguration, ResourceEvent } from './resource-events.js';
import { RESOURCE_LIMITS, shownSize } from './resource-limits.js';

type Topic = { readonly id: string; readonly name: string; schemaId: string | null; users: readonly string[] };
type Subscription = {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  ackDeadlineSeconds: number;
  push: PushConfiguration | null;
  /** Whether it ever had push settings. */
  pushed: boolean;
  users: readonly string[];
};
/** `size`: characters of its document, as it is shown. */
type Schema = Readonly<{ id: string; name: string; content: SchemaContent; size: number }>;

/** Records of one kind, found by name and by id. */
class Register<Item extends Readonly<{ id: string; name: string }>> {
  private readonly byName = new Map<string, Item>();
  private readonly byId = new Map<string, Item>();

  /** @param missing code of the error where there is no such name */
  constructor(private readonly missing: string) {}

  get size(): number {
    return this.byId.size;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** @throws DomainError */
  named(name: string): Item {
    const item = this.byName.get(name);
    if (!item) throw new DomainError(this.missing);
    return item;
  }

  /** Of an item that an earlier event made. */
  withId(id: string): Item {
    const item = this.byId.get(id);
    if (!item) throw new Error(`there is no ${id}: ${this.missing}`);
    return item;
  }

  /** In place of the item with its id, if there is one. */
  put(item: Item): void {
    const before = this.byId.get(item.id);
    if (before) this.byName.delete(before.name);
    this.byId.set(item.id, item);
    this.byName.set(item.name, item);
  }

  remove(id: string): void {
    this.byName.delete(this.withId(id).name);
    this.byId.delete(id);
  }

  values(): Iterable<Item> {
    return this.byId.values();
  }
}

/** The topics, subscriptions and schemas of a project. */
export type ResourcesState = Readonly<{ topics: Register<Topic>; subscriptions: Register<Subscription>; schemas: Register<Schema> }>;

/** Plain JSON with the same members in the same order. */
const same = (a: object | null, b: object | null): boolean => JSON.stringify(a) === JSON.stringify(b);
const distinct = (users: readonly string[]): readonly string[] => [...new Set(users)];

/** @throws DomainError */
const requireRoom = (register: Readonly<{ size: number }>, limit: Readonly<{ value: number; unit: string }>): void => {
  if (register.size >= limit.value) throw new DomainError('PROJECT_FULL', limit);
};

/** @throws DomainError when an ACL of so many users instead of those it has would be too much */
const requireAclRoom = ({ topics, subscriptions }: ResourcesState, before: readonly string[], users: readonly string[]): void => {
  const { usersPerAcl, aclUsersPerProject } = RESOURCE_LIMITS;
  if (users.length <= before.length) return;
  if (users.length > usersPerAcl.value) throw new DomainError('ACL_TOO_LARGE', usersPerAcl);
  let total = users.length - before.length;
  for (const register of [topics, subscriptions]) for (const item of register.values()) total += item.users.length;
  if (total > aclUsersPerProject.value) throw new DomainError('PROJECT_FULL', { ...aclUsersPerProject, unit: 'users in ACLs' });
};

/** @throws DomainError when a document of this size, in the place of one that has `before`, would be too much */
const requireSchemaRoom = ({ schemas }: ResourcesState, before: number, size: number): void => {
  const { schemaText, schemaTextPerProject } = RESOURCE_LIMITS;
  if (size <= before) return;
  if (size > schemaText.value) throw new DomainError('SCHEMA_TOO_LARGE', schemaText);
  let total = size - before;
  for (const schema of schemas.values()) total += schema.size;
  if (total > schemaTextPerProject.value) throw new DomainError('PROJECT_FULL', { ...schemaTextPerProject, unit: 'characters of schemas' });
};

const decideTopic = (command: TopicCommand, state: ResourcesState): readonly ResourceEvent[] => {
  const { topics, schemas } = state;
  switch (command.type) {
    case 'CreateTopic': {
      const { topicId, name, schema } = command;
      const schemaId = schema === null ? null : schemas.named(schema).id;
      if (topics.has(name)) throw new DomainError('TOPIC_EXISTS');
      requireRoom(topics, RESOURCE_LIMITS.topicsPerProject);
      return [{ type: 'TopicCreated', data: { topicId, name, schemaId } }];
    }
    case 'DeleteTopic': {
      const { id, name } = topics.named(command.name);
      return [{ type: 'TopicDeleted', data: { topicId: id, name } }];
    }
    case 'AttachSchema': {
      const topic = topics.named(command.topic);
      const schemaId = schemas.named(command.schema).id;
      return topic.schemaId === schemaId ? [] : [{ type: 'TopicSchemaAttached', data: { topicId: topic.id, schemaId } }];
    }
    case 'DetachSchema': {
      const { id, schemaId } = topics.named(command.topic);
      return schemaId === null ? [] : [{ type: 'TopicSchemaDetached', data: { topicId: id } }];
    }
    case 'ReplaceTopicAcl': {
      const topic = topics.named(command.topic);
      const users = distinct(command.users);
      requireAclRoom(state, topic.users, users);
      return same(topic.users, users) ? [] : [{ type: 'TopicAclReplaced', data: { topicId: topic.id, users } }];
    }
  }
};

const createSubscription = (
  { topics, subscriptions }: ResourcesState,
  command: Extract<SubscriptionCommand, { type: 'CreateSubscription' }>,
): ResourceEvent => {
  const { subscriptionId, name, topic, ackDeadlineSeconds } = command;
  const topicId = topics.named(topic).id;
  const push = command.push && newPushConfiguration(command.push.request, command.push.secrets, command.push.rules);
  if (subscriptions.has(name)) throw new DomainError('SUBSCRIPTION_EXISTS');
  requireRoom(subscriptions, RESOURCE_LIMITS.subscriptionsPerProject);
  const startOffset = command.topicId === topicId ? command.startOffset : 0;
  return { type: 'SubscriptionCreated', data: { subscriptionId, name, topic, startOffset, topicId, ackDeadlineSeconds, push } };
};

const verifyEndpoint = ({ id, push }: Subscription, verificationHash: string): ResourceEvent => {
  if (push?.type !== 'http_endpoint') throw new DomainError('NOT_IN_HTTP_PUSH_MODE');
  if (push.verified) throw new DomainError('PUSH_ENDPOINT_VERIFIED');
  if (push.verificationHash !== verificationHash) throw new DomainError('VERIFICATION_HASH_WRONG');
  return { type: 'PushEndpointVerified', data: { subscriptionId: id } };
};

const decideSubscription = (command: SubscriptionCommand, state: ResourcesState): readonly ResourceEvent[] => {
  const { subscriptions } = state;
  switch (command.type) {
    case 'CreateSubscription':
      return [createSubscription(state, command)];
    case 'DeleteSubscription': {
      const { id, name, pushed } = subscriptions.named(command.name);
      return [{ type: 'SubscriptionDeleted', data: { subscriptionId: id, name, pushed } }];
    }
    case 'ModifyAckDeadline': {
      const subscription = subscriptions.named(command.subscription);
      const { ackDeadlineSeconds } = command;
      if (subscription.ackDeadlineSeconds === ackDeadlineSeconds) return [];
      return [{ type: 'AckDeadlineModified', data: { subscriptionId: subscription.id, ackDeadlineSeconds } }];
    }
    case 'ReplacePushConfiguration': {
      const subscription = subscriptions.named(command.subscription);
      const { push: asked } = command;
      const push = asked && replacedPushConfiguration(asked.request, subscription.push, asked.secrets, asked.rules);
      return same(subscription.push, push) ? [] : [{ type: 'PushConfigurationReplaced', data: { subscriptionId: subscription.id, push } }];
    }
    case 'VerifyPushEndpoint':
      return [verifyEndpoint(subscriptions.named(command.subscription), command.verificationHash)];
    case 'ReplaceSubscriptionAcl': {
      const subscription = subscriptions.named(command.subscription);
      const users = distinct(command.users);
      if (same(subscription.users, users)) return [];
      requireAclRoom(state, subscription.users, users);
      return [{ type: 'SubscriptionAclReplaced', data: { subscriptionId: subscription.id, users } }];
    }
  }
};

const decideSchema = (command: SchemaCommand, state: ResourcesState): readonly ResourceEvent[] => {
  const { schemas } = state;
  switch (command.type) {
    case 'CreateSchema': {
      const { schemaId, name, content } = command;
      if (schemas.has(name)) throw new DomainError('SCHEMA_EXISTS');
      requireRoom(schemas, RESOURCE_LIMITS.schemasPerProject);
      requireSchemaRoom(state, 0, shownSize(content.document));
      return [{ type: 'SchemaCreated', data: { schemaId, name, type: content.type, document: content.document } }];
    }
    case 'ReviseSchema': {
      const before = schemas.named(command.name);
      const { newName: name = before.name, content: { type, document } = before.content } = command;
      if (name !== before.name && schemas.has(name)) throw new DomainError('SCHEMA_EXISTS');
      if (name === before.name && type === before.content.type && same(document, before.content.document)) return [];
      if (document !== before.content.document) requireSchemaRoom(state, before.size, shownSize(document));
      return [{ type: 'SchemaRevised', data: { schemaId: before.id, name, type, document } }];
    }
    case 'DeleteSchema': {
      const { id, name } = schemas.named(command.name);
      return [{ type: 'SchemaDeleted', data: { schemaId: id, name } }];
    }
  }
};

const decide = (command: ResourceCommand, state: ResourcesState): readonly ResourceEvent[] => {
  switch (command.type) {
    case 'CreateTopic':
    case 'DeleteTopic':
    case 'AttachSchema':
    case 'DetachSchema':
    case 'ReplaceTopicAcl':
      return decideTopic(command, state);
    case 'CreateSubscription':
    case 'DeleteSubscription':
    case 'ModifyAckDeadline':
    case 'ReplacePushConfiguration':
    case 'VerifyPushEndpoint':
    case 'ReplaceSubscriptionAcl':
      return decideSubscription(command, state);
    case 'CreateSchema':
    case 'ReviseSchema':
    case 'DeleteSchema':
      return decideSchema(command, state);
  }
};

const setPush = (subscription: Subscription, push: PushConfiguration | null): void => {
  subscription.push = push;
  if (push) subscription.pushed = true;
};

const evolve = (state: ResourcesState, { type, data }: ResourceEvent): ResourcesState => {
  const { topics, subscriptions, schemas } = state;
  switch (type) {
    case 'TopicCreated':
      topics.put({ id: data.topicId, name: data.name, schemaId: data.schemaId, users: [] });
      return state;
    case 'TopicDeleted':
      topics.remove(data.topicId);
      return state;
    case 'TopicSchemaAttached':
      topics.withId(data.topicId).schemaId = data.schemaId;
      return state;
    case 'TopicSchemaDetached':
      topics.withId(data.topicId).schemaId = null;
      return state;
    case 'TopicAclReplaced':
      topics.withId(data.topicId).users = data.users;
      return state;
    case 'SubscriptionCreated': {
      const { subscriptionId: id, name, topic, ackDeadlineSeconds, push } = data;
      subscriptions.put({ id, name, topic, ackDeadlineSeconds, push, pushed: push !== null, users: [] });
      return state;
    }
    case 'SubscriptionDeleted':
      subscriptions.remove(data.subscriptionId);
      return state;
    case 'AckDeadlineModified':
      subscriptions.withId(data.subscriptionId).ackDeadlineSeconds = data.ackDeadlineSeconds;
      return state;
    case 'PushConfigurationReplaced':
      setPush(subscriptions.withId(data.subscriptionId), data.push);
      return state;
    case 'PushEndpointVerified': {
      const subscription = subscriptions.withId(data.subscriptionId);
      if (subscription.push) subscription.push = { ...subscription.push, verified: true };
      return state;
    }
    case 'SubscriptionAclReplaced':
      subscriptions.withId(data.subscriptionId).users = data.users;
      return state;
    case 'SchemaCreated':
    case 'SchemaRevised':
      schemas.put({
        id: data.schemaId,
        name: data.name,
        content: { type: data.type, document: data.document },
        size: shownSize(data.document),
      });
      return state;
    case 'SchemaDeleted':
      schemas.remove(data.schemaId);
      for (const topic of topics.values()) if (topic.schemaId === data.schemaId) topic.schemaId = null;
      return state;
  }
};

/**
 * The rules of a project's topics, subscriptions and schemas (messaging contract 3.5, 3.7, 3.10, 4.8). Rejects with `TOPIC_NOT_FOUND`,
 * `SUBSCRIPTION_NOT_FOUND`, `SCHEMA_NOT_FOUND`, `TOPIC_EXISTS`, `SUBSCRIPTION_EXISTS`, `SCHEMA_EXISTS`, `NOT_IN_HTTP_PUSH_MODE`,
 * `PUSH_ENDPOINT_VERIFIED` and `VERIFICATION_HASH_WRONG`, `PROJECT_FULL`, `ACL_TOO_LARGE` and `SCHEMA_TOO_LARGE` (details: the limit), and what push
 * settings are refused with. What something refers to must exist and
 * its settings be right before its own name is looked at. A command that changes nothing makes no event.
 */
export const resources: Decider<ResourcesState, ResourceCommand, ResourceEvent> = {
  initialState: () => ({
    topics: new Register('TOPIC_NOT_FOUND'),
    subscriptions: new Register('SUBSCRIPTION_NOT_FOUND'),
    schemas: new Register('SCHEMA_NOT_FOUND'),
  }),
  decide,
  evolve,
};
