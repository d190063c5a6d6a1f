import type { EventCatalogue } from '../shared/catalogue.js';
import { ACCOUNTS_CATEGORY, accountEvents } from './account-events.js';
import { CURSORS_CATEGORY, cursorEvents, MESSAGES_CATEGORY, messageEvents } from './message-events.js';
import { RESOURCES_CATEGORY, resourceEvents } from './resource-events.js';
import { TRAFFIC_CATEGORY, trafficEvents } from './traffic.js';

/** Every event type of the messaging service, by stream category. */
export const messagingCatalogues: Readonly<Record<string, EventCatalogue>> = {
  [ACCOUNTS_CATEGORY]: accountEvents,
  [RESOURCES_CATEGORY]: resourceEvents,
  [MESSAGES_CATEGORY]: messageEvents,
  [CURSORS_CATEGORY]: cursorEvents,
  [TRAFFIC_CATEGORY]: trafficEvents,
};
