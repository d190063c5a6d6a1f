import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { none } from '#domain/shared/resource-change.js';

/** The log of a topic. It contains only messages, so the revision of an event is the offset and id of its message. */
export const MESSAGES_CATEGORY = 'messaging.messages';
export const messagesStream = (topicId: string): string => `${MESSAGES_CATEGORY}-${topicId}`;

/** A message as sent by a publisher. `data`: base64 text as sent. `attributes`: absent if empty. */
export type Message = Readonly<{
  data: string;
  attributes?: Readonly<Record<string, string>>;
  /** Messages with the same key are delivered in order (messaging contract 7.4). */
  orderingKey?: string;
  /** A second message with this id is not stored in the topic within ten minutes (messaging contract 7.6). */
  deduplicationId?: string;
}>;

/** `publishTime`: `YYYY-MM-DDTHH:MM:SS.sssZ`, never before that of an earlier message of the topic. `projectId` is used by the project's counters. */
export type MessagePublished = Readonly<{
  type: 'MessagePublished';
  data: Message & Readonly<{ projectId: string; publishTime: string }>;
}>;

export const messageEvents: CatalogueOf<MessagePublished> = {
  MessagePublished: { resource: none, marks: { data: 'digest', attributes: 'digest' } },
};
