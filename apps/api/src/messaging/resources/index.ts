import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { ResourceQueries, SchemaQueries } from '#projections/messaging/resources/queries.js';
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
  queriesProvider(ResourceQueries),
  queriesProvider(SchemaQueries),
  ...topicCommandHandlers,
  ...subscriptionCommandHandlers,
  ...schemaCommandHandlers,
  ...aclCommandHandlers,
];
