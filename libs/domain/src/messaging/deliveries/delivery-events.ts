import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { none } from '#domain/shared/resource-change.js';

/** Outcomes of the messages of a subscription with individual acknowledgement (messaging contract 7.1). */
export const DELIVERIES_CATEGORY = 'messaging.deliveries';
export const deliveriesStream = (subscriptionId: string): string => `${DELIVERIES_CATEGORY}-${subscriptionId}`;

/**
 * `cursor.offset`: everything before it is settled, that is, acknowledged, excluded by the filter, or expired. The cursor has no outstanding batch.
 * `settled`: settled ranges after it, as alternating starts and ends (exclusive). `attempts`: offsets of returned messages, each followed by its
 * number of attempts.
 */
export type WholeDeliveries = Readonly<{
  subscriptionId: string;
  projectId: string;
  /** Id of the process that serves the subscription. No other process records outcomes. */
  server: string;
  cursor: Cursor;
  settled: readonly number[];
  attempts: readonly number[];
}>;

export type DeliveryEvent =
  /** The whole state. It is recorded repeatedly, so that no older event has to be read. */
  | Readonly<{ type: 'DeliveriesRecorded'; data: WholeDeliveries }>
  /** The subscription was moved: messages before the offset count as settled, all others as unsettled. */
  | Readonly<{ type: 'DeliveriesSought'; data: WholeDeliveries }>
  /** `settled` and `attempts` contain only the changes. `deadLettered`: number of settled messages that went to the dead letter topic. */
  | Readonly<{
      type: 'DeliveriesSettled';
      data: Omit<WholeDeliveries, 'server'> & Readonly<{ deadLettered?: number }>;
    }>;

export const deliveryEvents: CatalogueOf<DeliveryEvent> = {
  DeliveriesRecorded: { resource: none },
  DeliveriesSought: { resource: none },
  DeliveriesSettled: { resource: none },
};
