import { Module } from '@nestjs/common';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, SchemaQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { MessagingAccess } from './access.js';
import { accountProviders } from './accounts/index.js';
import { cursorProviders } from './cursors/index.js';
import { SubscriptionLookup } from './cursors/subscription-lookup.js';
import { MessagingHttpPolicy } from './http-policy.js';
import { messagingControllers } from './index.js';
import { messageProviders } from './messages/index.js';
import { MessageLog } from './messages/message-log.js';
import { pushProviders } from './push/index.js';
import { resourceProviders } from './resources/index.js';
import { trafficProviders } from './traffic/index.js';

/** `/v1`: projects, users, topics, subscriptions, schemas, messages, push. */
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
  ],
  // For what the status service takes from topics and publishes to them.
  exports: [AccountQueries, MessageLog, OffsetQueries, ResourceQueries, SchemaQueries, SubscriptionLookup],
})
export class MessagingModule {}
