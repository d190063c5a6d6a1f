import { largeBodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';
import {
  described,
  dictionary,
  due,
  type Infer,
  limited,
  list,
  named,
  type ReceivedBody,
  struct,
  text,
  unsaid,
} from '#api/shared/bodies/body-shape.js';
import { base64Fault } from '#domain/messaging/messages/base64.js';
import type { Message } from '#domain/messaging/messages/message-events.js';
import { sizeOf } from '#domain/messaging/messages/messages.js';
import { doc } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';

/** Clients that publish pulled messages send `messageId` and `publishTime`. Their types are checked; otherwise they are ignored. */
const messageShape = named(
  'MessagingNewMessage',
  limited(
    struct({
      messageId: unsaid(text),
      data: described(text, doc('base64', 'base64 in the standard alphabet with padding', { maxLength: LIMITS.messageData.value })),
      attributes: described(dictionary(text), doc({ '*': 'text' }, 'any texts', { maxProperties: LIMITS.attributesPerMessage.value })),
      publishTime: unsaid(text),
      orderingKey: limited(text, { maxLength: LIMITS.orderingKey.value }),
      deduplicationId: limited(text, { maxLength: LIMITS.deduplicationId.value }),
    }),
    { minProperties: 1 },
  ),
  'Has `data`, attributes, or both (messaging contract 3.6)',
);
export const publishBody = named(
  'MessagingPublishRequest',
  struct({ messages: due(limited(list(messageShape), { minItems: 1, maxItems: LIMITS.messagesPerPublish.value })) }),
);

const messageOf = ({ data, attributes, orderingKey, deduplicationId }: Infer<typeof messageShape>): Message => {
  const content = Object.keys(attributes).length > 0 ? { data, attributes } : { data };
  if (orderingKey === '' && deduplicationId === '') return content;
  return { ...content, ...(orderingKey === '' ? {} : { orderingKey }), ...(deduplicationId === '' ? {} : { deduplicationId }) };
};

const hasLongKey = ({ orderingKey = '', deduplicationId = '' }: Message): boolean =>
  sizeOf(orderingKey) > LIMITS.orderingKey.value || sizeOf(deduplicationId) > LIMITS.deduplicationId.value;

const isTooLarge = ({ data, attributes = {} }: Message): boolean => {
  const entries = Object.entries(attributes);
  const bytes = sizeOf(data);
  const { attributesPerMessage, messageData, messageBytes } = LIMITS;
  if (entries.length > attributesPerMessage.value || bytes > messageData.value) return true;
  return entries.reduce((sum, [key, value]) => sum + sizeOf(key) + sizeOf(value), bytes) > messageBytes.value;
};

/**
 * Messages of a publish call, each checked before anything else happens.
 * @param lenient allows an empty list and empty messages
 * @throws MessagingError B16, L01
 */
export const readMessages = async (body: ReceivedBody | undefined, lenient = false): Promise<readonly Message[]> => {
  const messages = (await largeBodyAs(body, publishBody, errors.invalidMessage)).messages.map(messageOf);
  const isEmpty = messages.length === 0 || messages.some(({ data, attributes }) => data === '' && !attributes);
  if (isEmpty && !lenient) throw errors.invalidMessage();
  if (messages.length > LIMITS.messagesPerPublish.value) throw errors.tooManyMessages(LIMITS.messagesPerPublish.value);
  const slice = new TimeSlice();
  for (const message of messages) {
    if (hasLongKey(message)) throw errors.invalidMessage();
    if (isTooLarge(message)) throw errors.messageTooLarge();
    if (slice.isOver) await slice.next();
  }
  return messages;
};

/** Large data is checked in slices. @throws MessagingError B16 */
export const requireBase64 = async (messages: readonly Message[]): Promise<void> => {
  const slice = new TimeSlice();
  for (const { data } of messages) {
    if (base64Fault(data) !== undefined) throw errors.invalidMessage();
    if (slice.isOver) await slice.next();
  }
};
