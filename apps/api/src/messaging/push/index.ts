import type { Provider, Type } from '@nestjs/common';
import { PushAvailability } from './push-availability.js';
import { pushHandlers } from './push-commands.js';
import { PushConfigController } from './push-config.controller.js';
import { PushService } from './push-service.js';
import { PushedSubscriptions } from './push-source.js';

export const pushControllers: readonly Type[] = [PushConfigController];

export const pushProviders: readonly Provider[] = [PushAvailability, PushedSubscriptions, PushService, ...pushHandlers];
