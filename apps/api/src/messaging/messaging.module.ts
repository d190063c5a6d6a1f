import { Module } from '@nestjs/common';
import { CONFIGURATION, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Configuration } from '#infra/config/configuration.js';
import type { Logger } from '#infra/logging/logger.js';
import { Completeness } from '#infra/projection-runner/completeness.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { MessagingAccess } from './access.js';
import { accountProviders } from './accounts/index.js';
import { cursorProviders } from './cursors/index.js';
import { MessagingHttpPolicy } from './http-policy.js';
import { messagingControllers } from './index.js';
import { messageProviders } from './messages/index.js';
import { pushProviders } from './push/index.js';
import { resourceProviders } from './resources/index.js';
import { trafficProviders } from './traffic/index.js';

/** `/v1`: projects, users, topics, subscriptions, schemas, messages, push. */
@Module({
  controllers: [...messagingControllers],
  providers: [
    {
      provide: MessagingAccess,
      useFactory: (store: ReadStore, completeness: Completeness) => new MessagingAccess(store, completeness),
      inject: [READ_STORE, Completeness],
    },
    {
      provide: MessagingHttpPolicy,
      useFactory: (access: MessagingAccess, logger: Logger, { corsOrigins }: Configuration) =>
        new MessagingHttpPolicy(access, logger, corsOrigins.messaging),
      inject: [MessagingAccess, LOGGER, CONFIGURATION],
    },
    ...accountProviders,
    ...messageProviders,
    ...cursorProviders,
    ...trafficProviders,
    ...pushProviders,
    ...resourceProviders,
  ],
})
export class MessagingModule {}
