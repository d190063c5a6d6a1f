import type { Feature } from '#api/shared/feature.js';
import { offsetHandlers } from './commands.js';
import { CursorGateway } from './cursor-gateway.js';
import { OffsetsController } from './offsets.controller.js';
import { PullController } from './pull.controller.js';
import { PullMemory } from './pull-memory.js';
import { PullMessagesHandler } from './pull-messages.js';
import { PullRights } from './pull-rights.js';
import { SubscriptionExpiry } from './subscription-expiry.js';
import { SubscriptionLookup } from './subscription-lookup.js';

export const cursorsFeature: Feature = {
  controllers: [OffsetsController, PullController],
  providers: [CursorGateway, PullMemory, PullRights, SubscriptionLookup, SubscriptionExpiry, PullMessagesHandler, ...offsetHandlers],
};
