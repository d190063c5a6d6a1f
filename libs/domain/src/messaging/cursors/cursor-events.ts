import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { none } from '#domain/shared/resource-change.js';

/** Where a subscription stands: every event carries the whole cursor, so that the last one is enough to go on. */
export const CURSORS_CATEGORY = 'messaging.cursor';
export const cursorStream = (subscriptionId: string): string => `${CURSORS_CATEGORY}-${subscriptionId}`;

/**
 * `offset`: the next message to deliver. `nextOffset`: end (exclusive) of the batch that is out, 0 = none. `pendingAck`: when it went out,
 * seconds since 1970-01-01 UTC, or `null`. `streamed`: it went out by streams, part by part, and is acknowledged so. `topicId`: the log these offsets belong to. Counters are totals over the life of the subscription (messaging contract 4.10).
 */
export type Cursor = Readonly<{
  topicId: string;
  offset: number;
  nextOffset: number;
  pendingAck: number | null;
  streamed?: true;
  messages: number;
  bytes: number;
  /** Instant of the last pull, `null` before the first. */
  lastPull: string | null;
  /** Messages per second between the last two pulls. */
  rate: number;
  /** How often the subscription was moved by a call or, where messages are acknowledged one by one, began anew with its topic; left out where it never was. */
  seeks?: number;
}>;

export type CursorEvent = Readonly<{
  type: 'BatchDelivered' | 'BatchAcknowledged' | 'OffsetModified';
  data: Readonly<{ subscriptionId: string; projectId: string; cursor: Cursor }>;
}>;

export const cursorEvents: CatalogueOf<CursorEvent> = {
  BatchDelivered: { resource: none },
  BatchAcknowledged: { resource: none },
  OffsetModified: { resource: none },
};
