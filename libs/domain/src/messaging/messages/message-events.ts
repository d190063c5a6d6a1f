import type { EventCatalogue } from '#domain/shared/catalogue.js';

/** The log of a topic: nothing but its messages, so that the revision of an event is the offset and the id of its message. */
export const MESSAGES_CATEGORY = 'messaging.messages';
export const messagesStream = (topicId: string): string => `${MESSAGES_CATEGORY}-${topicId}`;

/** What a publisher sends: `data` as it was sent, base64 text; `attributes` left out when empty. */
export type Message = Readonly<{ data: string; attributes?: Readonly<Record<string, string>> }>;

/** `publishTime`: `YYYY-MM-DDTHH:MM:SS.sssZ`, never before that of an earlier message of the topic. The project is named for its counters. */
export type MessagePublished = Readonly<{
  type: 'MessagePublished';
  data: Message & Readonly<{ projectId: string; publishTime: string }>;
}>;

/** Where a subscription stands: every event carries the whole cursor, so that the last one is enough to go on. */
export const CURSORS_CATEGORY = 'messaging.cursor';
export const cursorStream = (subscriptionId: string): string => `${CURSORS_CATEGORY}-${subscriptionId}`;

/**
 * `offset`: the next message to deliver. `nextOffset`: end (exclusive) of the batch that is out, 0 = none. `pendingAck`: when it went out,
 * seconds since 1970-01-01 UTC, or `null`. `topicId`: the log these offsets belong to. Counters are totals over the life of the subscription (messaging contract 4.10).
 */
export type Cursor = Readonly<{
  topicId: string;
  offset: number;
  nextOffset: number;
  pendingAck: number | null;
  messages: number;
  bytes: number;
  /** Instant of the last pull, `null` before the first. */
  lastPull: string | null;
  /** Messages per second between the last two pulls. */
  rate: number;
}>;

export type CursorEvent = Readonly<{
  type: 'BatchDelivered' | 'BatchAcknowledged' | 'OffsetModified';
  data: Readonly<{ subscriptionId: string; projectId: string; cursor: Cursor }>;
}>;

export const messageEvents: EventCatalogue = { MessagePublished: {} };
export const cursorEvents: EventCatalogue = { BatchDelivered: {}, BatchAcknowledged: {}, OffsetModified: {} };
