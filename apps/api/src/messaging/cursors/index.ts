import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import * as offsetCommands from './commands.js';
import { CursorGateway } from './cursor-gateway.js';
import { PullMessagesHandler } from './pull-messages.js';
import { SubscriptionLookup } from './subscription-lookup.js';

export const cursorsFeature: Feature = {
  controllers: [],
  providers: [CursorGateway, SubscriptionLookup, PullMessagesHandler, ...handlersOf(offsetCommands)],
};
