import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { LIVE_READ_STORE, READ_STORE } from '#api/shared/tokens.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { SchemaQueries } from '#projections/messaging/resources/schema-queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import * as aclCommands from './acl-commands.js';
import { AclsController } from './acls.controller.js';
import * as schemaCommands from './schema-commands.js';
import { SchemasController } from './schemas.controller.js';
import * as subscriptionCommands from './subscription-commands.js';
import { SubscriptionExpiry } from './subscription-expiry.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import * as topicCommands from './topic-commands.js';
import { TopicsController } from './topics.controller.js';

export const resourcesFeature: Feature = {
  controllers: [AclsController, SchemasController, SubscriptionsController, TopicsController],
  providers: [
    {
      provide: ResourceQueries,
      useFactory: (store: ReadStore, live: ReadStore) => new ResourceQueries(store, live),
      inject: [READ_STORE, LIVE_READ_STORE],
    },
    queriesProvider(SchemaQueries),
    SubscriptionExpiry,
    ...handlersOf(aclCommands, schemaCommands, subscriptionCommands, topicCommands),
  ],
};
