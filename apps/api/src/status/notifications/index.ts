import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { CLOCK, EVENT_STORE, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Day } from '#domain/shared/time.js';
import { statusChanges, streamOfStatusChanges } from '#domain/status/notifications/status-changes.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { NotificationQueries } from '#projections/status/notifications/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { BACKGROUND_RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { causeOfChanges } from './cause-of-changes.js';
import * as notificationCommands from './commands.js';
import { NoticePublisher } from './notice-publisher.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsService } from './notifications-service.js';
import { StatusWatcher, type WatcherParts } from './status-watcher.js';

/** Commands that record findings. */
const recordWith =
  (gateway: CommandGateway, log: EventStore, points: PointQueries, clock: Clock): WatcherParts['record'] =>
  async (command, reader) => {
    const sources = { log, points, plan: (day: Day) => reader.plan(day) };
    const context = systemContext('status-watcher', 'status', clock(), await causeOfChanges(sources, command));
    const stream = streamOfStatusChanges(command);
    const { events, readable } = await gateway.execute({ stream, decider: statusChanges, command, context });
    return events.length > 0 && readable;
  };

const watcherProvider: Provider = {
  provide: StatusWatcher,
  inject: [CommandGateway, NotificationQueries, ReportQueries, BACKGROUND_RESULTS, READ_STORE, EVENT_STORE, CLOCK],
  useFactory: (
    gateway: CommandGateway,
    queries: NotificationQueries,
    reports: ReportQueries,
    results: Results,
    store: ReadStore,
    log: EventStore,
    clock: Clock,
  ) => new StatusWatcher({ queries, reports, results, store, clock, record: recordWith(gateway, log, new PointQueries(store), clock) }),
};

export const notificationsFeature: Feature = {
  controllers: [NotificationsController],
  providers: [
    queriesProvider(NotificationQueries),
    watcherProvider,
    NoticePublisher,
    NotificationsService,
    ...handlersOf(notificationCommands),
  ],
};
