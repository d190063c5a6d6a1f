import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { NotificationQueries } from '#projections/status/notifications/queries.js';
import { notificationHandlers } from './commands.js';
import { NoticePublisher } from './notice-publisher.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsService } from './notifications-service.js';
import { StatusWatcher } from './status-watcher.js';

export const notificationControllers: readonly Type[] = [NotificationsController];
export const notificationProviders: readonly Provider[] = [
  queriesProvider(NotificationQueries),
  StatusWatcher,
  NoticePublisher,
  NotificationsService,
  ...notificationHandlers,
];
