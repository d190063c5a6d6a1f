import { ACCOUNTS_CATEGORY, type AccountEvent, accountEvents } from '#domain/messaging/accounts/account-events.js';
import { CURSORS_CATEGORY, type CursorEvent, cursorEvents } from '#domain/messaging/cursors/cursor-events.js';
import { DELIVERIES_CATEGORY, type DeliveryEvent, deliveryEvents } from '#domain/messaging/deliveries/delivery-events.js';
import { MESSAGES_CATEGORY, type MessagePublished, messageEvents } from '#domain/messaging/messages/message-events.js';
import { RESOURCES_CATEGORY, type ResourceEvent, resourceEvents } from '#domain/messaging/resources/resources.js';
import { TRAFFIC_CATEGORY, type TrafficEvent, trafficEvents } from '#domain/messaging/traffic/traffic.js';
import type { CataloguesOf } from '#domain/shared/catalogue.js';

/** The events of the messaging service, by stream category. */
export type MessagingEvents = {
  [ACCOUNTS_CATEGORY]: AccountEvent;
  [RESOURCES_CATEGORY]: ResourceEvent;
  [MESSAGES_CATEGORY]: MessagePublished;
  [CURSORS_CATEGORY]: CursorEvent;
  [DELIVERIES_CATEGORY]: DeliveryEvent;
  [TRAFFIC_CATEGORY]: TrafficEvent;
};

export const messagingCatalogues: CataloguesOf<MessagingEvents> = {
  [ACCOUNTS_CATEGORY]: accountEvents,
  [RESOURCES_CATEGORY]: resourceEvents,
  [MESSAGES_CATEGORY]: messageEvents,
  [CURSORS_CATEGORY]: cursorEvents,
  [DELIVERIES_CATEGORY]: deliveryEvents,
  [TRAFFIC_CATEGORY]: trafficEvents,
};
