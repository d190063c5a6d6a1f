import { ACCOUNTS_CATEGORY, accountEvents } from '#domain/messaging/accounts/account-events.js';
import { CURSORS_CATEGORY, cursorEvents } from '#domain/messaging/cursors/cursor-events.js';
import { MESSAGES_CATEGORY, messageEvents } from '#domain/messaging/messages/message-events.js';
import { RESOURCES_CATEGORY, resourceEvents } from '#domain/messaging/resources/resources.js';
import { TRAFFIC_CATEGORY, trafficEvents } from '#domain/messaging/traffic/traffic.js';
import type { EventCatalogue } from '#domain/shared/catalogue.js';

/** Every event type of the messaging service, by stream category. */
export const messagingCatalogues: Readonly<Record<string, EventCatalogue>> = {
  [ACCOUNTS_CATEGORY]: accountEvents,
  [RESOURCES_CATEGORY]: resourceEvents,
  [MESSAGES_CATEGORY]: messageEvents,
  [CURSORS_CATEGORY]: cursorEvents,
  [TRAFFIC_CATEGORY]: trafficEvents,
};
