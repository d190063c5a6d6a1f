import type { Type } from '@nestjs/common';
import { MembersController } from '#api/messaging/accounts/members.controller.js';
import { ProjectsController } from '#api/messaging/accounts/projects.controller.js';
import { RegistrationsController } from '#api/messaging/accounts/registrations.controller.js';
import { UsersController } from '#api/messaging/accounts/users.controller.js';
import { OffsetsController } from '#api/messaging/cursors/offsets.controller.js';
import { PullController } from '#api/messaging/cursors/pull.controller.js';
import { PublishController } from '#api/messaging/messages/publish.controller.js';
import { PushConfigController } from '#api/messaging/push/push-config.controller.js';
import { AclsController } from '#api/messaging/resources/acls.controller.js';
import { SchemasController } from '#api/messaging/resources/schemas.controller.js';
import { SubscriptionsController } from '#api/messaging/resources/subscriptions.controller.js';
import { TopicsController } from '#api/messaging/resources/topics.controller.js';
import { MetricsController } from '#api/messaging/traffic/metrics.controller.js';
import { UsageController } from '#api/messaging/traffic/usage.controller.js';
import { ServiceInfoController } from './service-info.controller.js';

/** Every controller of the messaging service. */
export const messagingControllers: readonly Type[] = [
  AclsController,
  MembersController,
  MetricsController,
  OffsetsController,
  ProjectsController,
  PublishController,
  PullController,
  PushConfigController,
  RegistrationsController,
  SchemasController,
  ServiceInfoController,
  SubscriptionsController,
  TopicsController,
  UsageController,
  UsersController,
];
