import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { none } from '#domain/shared/resource-change.js';

/** The log of a topic: nothing but its messages, so that the revision of an event is the offset and the id of its message. */
export const MESSAGES_CATEGORY = 'messaging.messages';
export const messagesStream = (topicId: string): string => `${MESSAGES_CATEGORY}-${topicId}`;

/** What a publisher sends: `data` as it was sent, base64 text; `attributes` left out when empty. */
export type Message = Readonly<{
  data: string;
  attributes?: Readonly<Record<string, string>>;
  /** Messages with the same key are in order for each other (messaging contract 7.4). */
  orderingKey?: string;
  /** A second message of the topic with this id is not stored within ten minutes (messaging contract 7.6). */
  deduplicationId?: string;
}>;

/** `publishTime`: `YYYY-MM-DDTHH:MM:SS.sssZ`, never before that of an earlier message of the topic. The project is named for its counters. */
export type MessagePublished = Readonly<{
  type: 'MessagePublished';
  data: Message & Readonly<{ projectId: string; publishTime: string }>;
}>;

export const messageEvents: CatalogueOf<MessagePublished> = {
  MessagePublished: { resource: none, marks: { data: 'digest', attributes: 'digest' } },
};
