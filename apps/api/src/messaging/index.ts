import type { Type } from '@nestjs/common';
import { AclsController } from './acls.controller.js';
import { ConsumptionController } from './consumption.controller.js';
import { MembersController } from './members.controller.js';
import { MessagesController } from './messages.controller.js';
import { MetricsController } from './metrics.controller.js';
import { OffsetsController } from './offsets.controller.js';
import { ProjectsController } from './projects.controller.js';
import { PushConfigController } from './push-config.controller.js';
import { RegistrationsController } from './registrations.controller.js';
import { SchemasController } from './schemas.controller.js';
import { ServiceInfoController } from './service-info.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { TopicsController } from './topics.controller.js';
import { UsageController } from './usage.controller.js';
import { UsersController } from './users.controller.js';

/** Every controller of the messaging service. */
export const messagingControllers: readonly Type[] = [
  AclsController,
  ConsumptionController,
  MembersController,
  MessagesController,
  MetricsController,
  OffsetsController,
  ProjectsController,
  PushConfigController,
  RegistrationsController,
  SchemasController,
  ServiceInfoController,
  SubscriptionsController,
  TopicsController,
  UsageController,
  UsersController,
];
