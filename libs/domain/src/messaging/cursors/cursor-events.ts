import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { none } from '#domain/shared/resource-change.js';

/** Cursor of a subscription. Every event carries the whole cursor, so that the last one is enough to continue. */
export const CURSORS_CATEGORY = 'messaging.cursor';
export const cursorStream = (subscriptionId: string): string => `${CURSORS_CATEGORY}-${subscriptionId}`;

/**
 * `offset`: the next message to deliver. `nextOffset`: end (exclusive) of the outstanding batch, 0 = none. `pendingAck`: delivery time of that batch,
 * seconds since 1970-01-01 UTC, or `null`. `streamed`: streams delivered it part by part, and it is acknowledged the same way. `topicId`: the log of
 * these offsets. `topicOrder`: order of creation of that topic, once the topic was recreated. Counters are totals over the life of the subscription (messaging contract 4.10).
 */
export type Cursor = Readonly<{
  topicId: string;
  topicOrder?: string;
  offset: number;
  nextOffset: number;
  pendingAck: number | null;
  streamed?: true;
  messages: number;
  bytes: number;
  /** Instant of the last pull. `null` before the first. */
  lastPull: string | null;
  /** Messages per second between the last two pulls. */
  rate: number;
  /** Number of offset changes by a call or, with individual acknowledgement, by a restart after the topic was replaced. Absent for 0. */
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
