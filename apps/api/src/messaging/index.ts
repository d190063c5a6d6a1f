import type { Type } from '@nestjs/common';
import { accountControllers } from '#api/messaging/accounts/index.js';
import { OffsetsController } from '#api/messaging/cursors/offsets.controller.js';
import { PullController } from '#api/messaging/cursors/pull.controller.js';
import { PublishController } from '#api/messaging/messages/publish.controller.js';
import { pushControllers } from '#api/messaging/push/index.js';
import { resourceControllers } from '#api/messaging/resources/index.js';
import { MetricsController } from '#api/messaging/traffic/metrics.controller.js';
import { UsageController } from '#api/messaging/traffic/usage.controller.js';
import { ServiceInfoController } from './service-info.controller.js';

/** Every controller of the messaging service. */
export const messagingControllers: readonly Type[] = [
  ...accountControllers,
  ...resourceControllers,
  PullController,
  PublishController,
  MetricsController,
  OffsetsController,
  ...pushControllers,
  ServiceInfoController,
  UsageController,
];
