import { Global, Module } from '@nestjs/common';
import { MessagingClient } from '#api/shared/messaging-client.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, SchemaQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { MessagingAccess } from './access.js';
import { accountProviders } from './accounts/index.js';
import { cursorProviders } from './cursors/index.js';
import { MessagingHttpPolicy } from './http-policy.js';
import { messagingControllers } from './index.js';
import { messageProviders } from './messages/index.js';
import { OwnMessagingClient } from './own-messaging-client.js';
import { pushProviders } from './push/index.js';
import { resourceProviders } from './resources/index.js';
import { trafficProviders } from './traffic/index.js';

/** `/v1`: projects, users, topics, subscriptions, schemas, messages, push. */
@Global()
@Module({
  controllers: [...messagingControllers],
  providers: [
    MessagingAccess,
    MessagingHttpPolicy,
    ...accountProviders,
    ...messageProviders,
    ...cursorProviders,
    ...trafficProviders,
    ...pushProviders,
    ...resourceProviders,
    { provide: MessagingClient, useClass: OwnMessagingClient },
  ],
  // For other services; what they look up they ask the read models, which messaging keeps.
  exports: [MessagingClient, AccountQueries, OffsetQueries, ResourceQueries, SchemaQueries],
})
export class MessagingModule {}
