import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { none } from '#domain/shared/resource-change.js';

/** What became of the messages of a subscription whose messages are acknowledged one by one (messaging contract 7.1). */
export const DELIVERIES_CATEGORY = 'messaging.deliveries';
export const deliveriesStream = (subscriptionId: string): string => `${DELIVERIES_CATEGORY}-${subscriptionId}`;

/**
 * `cursor.offset`: everything before it is settled, that is acknowledged, not wanted by the filter, or expired; nothing of it is outstanding.
 * `settled`: ranges behind it that are settled, from and to (exclusive) in turns. `attempts`: offsets of messages that came back, each followed by
 * how often they have been delivered.
 */
export type WholeDeliveries = Readonly<{
  subscriptionId: string;
  projectId: string;
  /** Names the process that serves the subscription: nobody else records what becomes of its messages. */
  server: string;
  cursor: Cursor;
  settled: readonly number[];
  attempts: readonly number[];
}>;

export type DeliveryEvent =
  /** All that is known; so that nothing older has to be read, it comes again after a while. */
  | Readonly<{ type: 'DeliveriesRecorded'; data: WholeDeliveries }>
  /** The subscription was moved: what lies before the offset counts as settled, the rest as not. */
  | Readonly<{ type: 'DeliveriesSought'; data: WholeDeliveries }>
  /** `settled` and `attempts` are what has changed. `deadLettered`: how many of the settled messages went to the dead letter topic. */
  | Readonly<{
      type: 'DeliveriesSettled';
      data: Omit<WholeDeliveries, 'server'> & Readonly<{ deadLettered?: number }>;
    }>;

export const deliveryEvents: CatalogueOf<DeliveryEvent> = {
  DeliveriesRecorded: { resource: none },
  DeliveriesSought: { resource: none },
  DeliveriesSettled: { resource: none },
};
