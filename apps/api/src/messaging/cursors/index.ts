import type { Feature } from '#api/shared/feature.js';
import { offsetHandlers } from './commands.js';
import { CursorGateway } from './cursor-gateway.js';
import { PullMessagesHandler } from './pull-messages.js';
import { SubscriptionLookup } from './subscription-lookup.js';

export const cursorsFeature: Feature = {
  controllers: [],
  providers: [CursorGateway, SubscriptionLookup, PullMessagesHandler, ...offsetHandlers],
};
