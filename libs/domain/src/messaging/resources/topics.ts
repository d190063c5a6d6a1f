import { rangesOf } from '#domain/messaging/deliveries/ranges.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { DomainError } from '#domain/shared/decider.js';
import { ended, none } from '#domain/shared/resource-change.js';
import { type AclHolders, distinct, requireAclRoom } from './acls.js';
import { type Changes, inProject, type NamedIndex, type Rules, requireRoom, sameJson } from './kind.js';
import { RESOURCE_LIMITS } from './resource-limits.js';
import { changedSettings, type TopicChanges, type TopicSettings } from './topic-settings.js';

/** Topics keep their id for life. A topic recreated under an old name has a new id and a new message log. */
export type TopicEvent =
  | Readonly<{
      type: 'TopicCreated';
      /** `settings`: absent if none were given. */
      data: Readonly<{ topicId: string; name: string; schemaId: string | null; settings?: TopicSettings }>;
    }>
  | Readonly<{ type: 'TopicDeleted'; data: Readonly<{ topicId: string; name: string }> }>
  | Readonly<{ type: 'TopicSchemaAttached'; data: Readonly<{ topicId: string; schemaId: string }> }>
  | Readonly<{ type: 'TopicSchemaDetached'; data: Readonly<{ topicId: string }> }>
  /** All settings from now on. */
  | Readonly<{ type: 'TopicSettingsReplaced'; data: Readonly<{ topicId: string; settings: TopicSettings }> }>
  /** The ids of all users that may publish from now on. */
  | Readonly<{ type: 'TopicAclReplaced'; data: Readonly<{ topicId: string; users: readonly string[] }> }>
  /** Dead letters of the topic were sent back to the topics they came from. `messages`: their offsets as ranges, from and to (exclusive) in turns. */
  | Readonly<{ type: 'DeadLettersRedriven'; data: Readonly<{ topicId: string; messages: readonly number[] }> }>;

const topic = inProject('topic', 'topicId');

/** ACLs are not part of topics. */
export const topicEvents: CatalogueOf<TopicEvent> = {
  TopicCreated: { resource: topic },
  TopicDeleted: { resource: ended(topic) },
  TopicSchemaAttached: { resource: topic },
  TopicSchemaDetached: { resource: topic },
  TopicSettingsReplaced: { resource: topic },
  TopicAclReplaced: { resource: none },
  DeadLettersRedriven: { resource: none },
};

/** Topics and schemas are identified by their current names. `topicId` is new, `users` are ids. */
export type TopicCommand =
  /** `schema`: name of a schema, `null` = none. */
  | Readonly<{ type: 'CreateTopic'; topicId: string; name: string; schema: string | null; settings?: TopicSettings }>
  | Readonly<{ type: 'DeleteTopic'; name: string }>
  | Readonly<{ type: 'AttachSchema'; topic: string; schema: string }>
  | Readonly<{ type: 'DetachSchema'; topic: string }>
  | Readonly<{ type: 'ChangeTopic'; topic: string; changes: TopicChanges }>
  | Readonly<{ type: 'ReplaceTopicAcl'; topic: string; users: readonly string[] }>
  /** `offsets` of messages of this very topic; a topic that is gone has nothing to record. */
  | Readonly<{ type: 'RecordRedrive'; topicId: string; offsets: readonly number[] }>;

export type Topic = {
  readonly id: string;
  readonly name: string;
  schemaId: string | null;
  settings: TopicSettings;
  users: readonly string[];
};

type Schemas = Readonly<{ named(name: string): Readonly<{ id: string }> }>;
type State = AclHolders & Readonly<{ topics: NamedIndex<Topic>; schemas: Schemas }>;

export const topicRules: Rules<State, TopicCommand, TopicEvent> = {
  CreateTopic: ({ topicId, name, schema, settings }, { topics, schemas }) => {
    const schemaId = schema === null ? null : schemas.named(schema).id;
    if (topics.has(name)) throw new DomainError('TOPIC_EXISTS');
    requireRoom(topics, RESOURCE_LIMITS.topicsPerProject);
    return [{ type: 'TopicCreated', data: { topicId, name, schemaId, ...(settings && { settings }) } }];
  },
  DeleteTopic: (command, { topics }) => {
    const { id, name } = topics.named(command.name);
    return [{ type: 'TopicDeleted', data: { topicId: id, name } }];
  },
  AttachSchema: (command, { topics, schemas }) => {
    const topic = topics.named(command.topic);
    const schemaId = schemas.named(command.schema).id;
    return topic.schemaId === schemaId ? [] : [{ type: 'TopicSchemaAttached', data: { topicId: topic.id, schemaId } }];
  },
  DetachSchema: (command, { topics }) => {
    const { id, schemaId } = topics.named(command.topic);
    return schemaId === null ? [] : [{ type: 'TopicSchemaDetached', data: { topicId: id } }];
  },
  ChangeTopic: (command, { topics }) => {
    const { id, settings: before } = topics.named(command.topic);
    const settings = changedSettings(before, command.changes);
    return sameJson(before, settings) ? [] : [{ type: 'TopicSettingsReplaced', data: { topicId: id, settings } }];
  },
  ReplaceTopicAcl: (command, state) => {
    const topic = state.topics.named(command.topic);
    const users = distinct(command.users);
    requireAclRoom(state, topic.users, users);
    return sameJson(topic.users, users) ? [] : [{ type: 'TopicAclReplaced', data: { topicId: topic.id, users } }];
  },
  RecordRedrive: ({ topicId, offsets }, { topics }) =>
    topics.all.has(topicId) && offsets.length > 0 ? [{ type: 'DeadLettersRedriven', data: { topicId, messages: rangesOf(offsets) } }] : [],
};

export const topicChanges: Changes<State, TopicEvent> = {
  TopicCreated: ({ topics }, { topicId: id, name, schemaId, settings = {} }) => topics.put({ id, name, schemaId, settings, users: [] }),
  TopicDeleted: ({ topics }, { topicId }) => topics.remove(topicId),
  TopicSchemaAttached: ({ topics }, { topicId, schemaId }) => {
    topics.withId(topicId).schemaId = schemaId;
  },
  TopicSchemaDetached: ({ topics }, { topicId }) => {
    topics.withId(topicId).schemaId = null;
  },
  TopicSettingsReplaced: ({ topics }, { topicId, settings }) => {
    topics.withId(topicId).settings = settings;
  },
  TopicAclReplaced: ({ topics }, { topicId, users }) => {
    topics.withId(topicId).users = users;
  },
  DeadLettersRedriven: () => undefined,
};
