import type { CatalogueOf, Mentions } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { type Changes, NamedIndex, type Rules } from './kind.js';
import { type Schema, type SchemaCommand, type SchemaEvent, schemaChanges, schemaEvents, schemaRules } from './schemas.js';
import {
  pushSubjectsIn,
  type Subscription,
  type SubscriptionCommand,
  type SubscriptionEvent,
  subscriptionChanges,
  subscriptionEvents,
  subscriptionRules,
  subscriptionSubject,
} from './subscriptions.js';
import { type Topic, type TopicCommand, type TopicEvent, topicChanges, topicEvents, topicRules } from './topics.js';

/** One stream per project for its topics, subscriptions and schemas, because names are unique in it and they refer to each other. */
export const RESOURCES_CATEGORY = 'messaging.resources';
export const resourcesStream = (projectId: string): string => `${RESOURCES_CATEGORY}-${projectId}`;

export type ResourceEvent = TopicEvent | SubscriptionEvent | SchemaEvent;
export type ResourceCommand = TopicCommand | SubscriptionCommand | SchemaCommand;

export const resourceEvents: CatalogueOf<ResourceEvent> = { ...topicEvents, ...subscriptionEvents, ...schemaEvents };

/** The encryption subjects of all subscriptions of a project that ever had push settings. */
export const pushedSubscriptionsOf = (projectId: string): Mentions => ({
  in: { stream: resourcesStream(projectId) },
  subjects: pushSubjectsIn,
});

type ResourcesState = Readonly<{
  topics: NamedIndex<Topic>;
  subscriptions: NamedIndex<Subscription>;
  schemas: NamedIndex<Schema>;
}>;

/** By id. */
type SavedResources = Readonly<{
  topics: ReadonlyMap<string, Topic>;
  subscriptions: ReadonlyMap<string, Subscription>;
  schemas: ReadonlyMap<string, Schema>;
}>;

const resourcesOf = (topics?: Iterable<Topic>, subscriptions?: Iterable<Subscription>, schemas?: Iterable<Schema>): ResourcesState => ({
  topics: new NamedIndex('TOPIC_NOT_FOUND', topics),
  subscriptions: new NamedIndex('SUBSCRIPTION_NOT_FOUND', subscriptions),
  schemas: new NamedIndex('SCHEMA_NOT_FOUND', schemas),
});

const rules: Rules<ResourcesState, ResourceCommand, ResourceEvent> = { ...topicRules, ...subscriptionRules, ...schemaRules };
const changes: Changes<ResourcesState, ResourceEvent> = { ...topicChanges, ...subscriptionChanges, ...schemaChanges };

/**
 * The rules of a project's topics, subscriptions and schemas (messaging contract 3.5, 3.7, 3.10, 4.8). Rejects with `TOPIC_NOT_FOUND`,
 * `SUBSCRIPTION_NOT_FOUND`, `SCHEMA_NOT_FOUND`, `TOPIC_EXISTS`, `SUBSCRIPTION_EXISTS`, `SCHEMA_EXISTS`, `SCHEMA_CHANGED`, `NOT_IN_HTTP_PUSH_MODE`,
 * `PUSH_ENDPOINT_VERIFIED` and `VERIFICATION_HASH_WRONG`, with `PROJECT_FULL`, `ACL_TOO_LARGE` and `SCHEMA_TOO_LARGE` (details: the limit), and with
 * the errors of push settings. For a new resource, references are checked first, then settings, then the name. A command that changes nothing records
 * no event.
 */
export const resources: Decider<ResourcesState, ResourceCommand, ResourceEvent> = {
  keepsKeys: true,
  snapshots: {
    name: 'resources',
    version: 2,
    save: ({ topics, subscriptions, schemas }): SavedResources => ({
      topics: topics.all,
      subscriptions: subscriptions.all,
      schemas: schemas.all,
    }),
    restore: (saved) => {
      const { topics, subscriptions, schemas } = saved as SavedResources;
      return resourcesOf(topics.values(), subscriptions.values(), schemas.values());
    },
    subjects: ({ subscriptions }) => [...subscriptions.values()].flatMap(({ id, push }) => (push ? [subscriptionSubject(id)] : [])),
  },
  initialState: () => resourcesOf(),
  decide: (command, state) => {
    const rule = rules[command.type] as (command: ResourceCommand, state: ResourcesState) => readonly ResourceEvent[];
    return rule(command, state);
  },
  evolve: (state, { type, data }) => {
    const change = changes[type] as (state: ResourcesState, data: ResourceEvent['data']) => void;
    change(state, data);
    return state;
  },
};
