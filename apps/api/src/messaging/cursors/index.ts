import type { Provider, Type } from '@nestjs/common';
import { offsetHandlers } from './commands.js';
import { CursorGateway } from './cursor-gateway.js';
import { OffsetsController } from './offsets.controller.js';
import { PullController } from './pull.controller.js';
import { PullMemory } from './pull-memory.js';
import { PullMessagesHandler } from './pull-messages.js';
import { SubscriptionLookup } from './subscription-lookup.js';

export const cursorControllers: readonly Type[] = [OffsetsController, PullController];

export const cursorProviders: readonly Provider[] = [CursorGateway, PullMemory, SubscriptionLookup, PullMessagesHandler, ...offsetHandlers];
