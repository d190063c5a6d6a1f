import type { Provider, Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { CLOCK, CONFIGURATION, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/config/configuration.js';
import type { Logger } from '#infra/logging/logger.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { PushAvailability } from './push-availability.js';
import { pushCommandHandlers } from './push-commands.js';
import { PushConfigController } from './push-config.controller.js';
import { PushService } from './push-service.js';

export const pushControllers: readonly Type[] = [PushConfigController];

export const pushProviders: readonly Provider[] = [
  {
    provide: PushAvailability,
    useFactory: (store: ReadStore, clock: Clock, configuration: Configuration) => new PushAvailability({ store, clock, configuration }),
    inject: [READ_STORE, CLOCK, CONFIGURATION],
  },
  {
    provide: PushService,
    useFactory: (
      store: ReadStore,
      clock: Clock,
      logger: Logger,
      bus: CommandBus,
      lookup: SubscriptionLookup,
      offsets: OffsetQueries,
      log: MessageLog,
      availability: PushAvailability,
      resources: ResourceQueries,
      accounts: AccountQueries,
    ) => new PushService({ store, clock, logger, bus, lookup, offsets, log, availability, resources, accounts }),
    inject: [
      READ_STORE,
      CLOCK,
      LOGGER,
      CommandBus,
      SubscriptionLookup,
      OffsetQueries,
      MessageLog,
      PushAvailability,
      ResourceQueries,
      AccountQueries,
    ],
  },
  ...pushCommandHandlers,
];
