import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { CLOCK, CONFIGURATION, EVENT_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { MessageValidator } from '#infra/edges/schemas/validation/message-validator.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { LogRetention } from './log-retention.js';
import { MessageArrivals, PatientArrivals } from './message-arrivals.js';
import { MessageLog } from './message-log.js';
import { MessageValidation } from './message-validation.js';
import { ProjectQuota } from './project-quota.js';
import { PublishController } from './publish.controller.js';
import { PublishMemory } from './publish-memory.js';
import * as publishing from './publish-messages.js';
import { MessageScanner } from './selection/message-scanner.js';
import { SubscribedMessages } from './selection/selected-messages.js';
import { TopicEnds } from './topic-ends.js';
import { WireMessageCache } from './wire-message-cache.js';

export const messagesFeature: Feature = {
  controllers: [PublishController],
  providers: [
    MessageLog,
    TopicEnds,
    MessageArrivals,
    PatientArrivals,
    MessageValidation,
    PublishMemory,
    {
      provide: ProjectQuota,
      useFactory: ({ projectQuota }: Configuration, now: Clock, telemetry: Telemetry) =>
        new ProjectQuota(projectQuota, { word: 'messages', now, onRefused: () => telemetry.quotaRefusals.inc() }),
      inject: [CONFIGURATION, CLOCK, Telemetry],
    },
    ...handlersOf(publishing),
    { provide: MessageValidator, useFactory: () => new MessageValidator() },
    {
      provide: WireMessageCache,
      useFactory: (log: MessageLog, events: OpeningEventStore) => {
        const cache = new WireMessageCache(log);
        events.onInterruption(() => cache.clear());
        return cache;
      },
      inject: [MessageLog, EVENT_STORE],
    },
    {
      provide: MessageScanner,
      useFactory: (log: MessageLog, offsets: OffsetQueries, clock: Clock, events: OpeningEventStore) => {
        const scanner = new MessageScanner(log, offsets, clock);
        events.onInterruption(() => scanner.clear());
        return scanner;
      },
      inject: [MessageLog, OffsetQueries, CLOCK, EVENT_STORE],
    },
    SubscribedMessages,
    {
      provide: LogRetention,
      useFactory: (events: OpeningEventStore, { messagingRetentionSeconds }: Configuration, resources: ResourceQueries) => {
        const retention = new LogRetention(events, messagingRetentionSeconds, resources);
        events.onInterruption(() => retention.reset());
        return retention;
      },
      inject: [EVENT_STORE, CONFIGURATION, ResourceQueries],
    },
  ],
};
