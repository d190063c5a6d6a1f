import { Global, Module } from '@nestjs/common';
import { together } from '#api/shared/feature.js';
import { MessagingClient } from '#api/shared/messaging-client.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { SchemaQueries } from '#projections/messaging/resources/schema-queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { MessagingAccess } from './access.js';
import { accountsFeature } from './accounts/index.js';
import { certificatesFeature } from './certificates/index.js';
import { cursorsFeature } from './cursors/index.js';
import { DeadLetterLog } from './deliveries/dead-letters/dead-letter-log.js';
import { Redrive } from './deliveries/dead-letters/redrive.js';
import { Deliveries } from './deliveries/deliveries.js';
import { deliveriesFeature } from './deliveries/index.js';
import { ServingNodes } from './deliveries/serving-nodes.js';
import { MessagingHttpPolicy } from './http-policy.js';
import { messagesFeature } from './messages/index.js';
import { OwnMessagingClient } from './own-messaging-client.js';
import { pullFeature } from './pull/index.js';
import { pushFeature } from './push/index.js';
import { PushAvailability } from './push-availability.js';
import { resourcesFeature } from './resources/index.js';
import { ServiceInfoController } from './service-info.controller.js';
import { streamsFeature } from './streams/index.js';
import { OpenStreams } from './streams/open-streams.js';
import { trafficFeature } from './traffic/index.js';

const features = together(
  accountsFeature,
  certificatesFeature,
  resourcesFeature,
  messagesFeature,
  cursorsFeature,
  deliveriesFeature,
  pullFeature,
  streamsFeature,
  pushFeature,
  trafficFeature,
);

export const messagingControllers = [...features.controllers, ServiceInfoController];

/** `/v1`: projects, users, topics, subscriptions, schemas, messages, push. */
@Global()
@Module({
  controllers: messagingControllers,
  providers: [
    MessagingAccess,
    MessagingHttpPolicy,
    PushAvailability,
    ...features.providers,
    { provide: MessagingClient, useClass: OwnMessagingClient },
  ],
  // Used by other services. Their lookups go to the read models, which messaging keeps.
  exports: [
    ...[Deliveries, DeadLetterLog, OpenStreams, PushAvailability, Redrive, ServingNodes],
    ...[MessagingClient, AccountQueries, OffsetQueries, ResourceQueries, SchemaQueries],
  ],
})
export class MessagingModule {}
