import type { Provider } from '@nestjs/common';
import { AcknowledgeMessagesHandler, ModifyOffsetHandler, RaiseOffsetHandler } from './commands.js';
import { CursorGateway } from './cursor-gateway.js';
import { PullMemory } from './pull-memory.js';
import { PullMessagesHandler } from './pull-messages.js';
import { SubscriptionLookup } from './subscription-lookup.js';

/** What pulling and acknowledging messages works with. */
export const cursorProviders: readonly Provider[] = [
  CursorGateway,
  PullMemory,
  SubscriptionLookup,
  PullMessagesHandler,
  AcknowledgeMessagesHandler,
  ModifyOffsetHandler,
  RaiseOffsetHandler,
];
