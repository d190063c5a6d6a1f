import type { Provider, Type } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { ResourceQueries, SchemaQueries } from '#projections/messaging/resources/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { aclCommandHandlers } from './acl-commands.js';
import { AclsController } from './acls.controller.js';
import { schemaCommandHandlers } from './schema-commands.js';
import { SchemasController } from './schemas.controller.js';
import { subscriptionCommandHandlers } from './subscription-commands.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { topicCommandHandlers } from './topic-commands.js';
import { TopicsController } from './topics.controller.js';

export const resourceControllers: readonly Type[] = [AclsController, SchemasController, SubscriptionsController, TopicsController];

export const resourceProviders: readonly Provider[] = [
  { provide: ResourceQueries, useFactory: (store: ReadStore) => new ResourceQueries(store), inject: [READ_STORE] },
  { provide: SchemaQueries, useFactory: (store: ReadStore) => new SchemaQueries(store), inject: [READ_STORE] },
  ...topicCommandHandlers,
  ...subscriptionCommandHandlers,
  ...schemaCommandHandlers,
  ...aclCommandHandlers,
];
