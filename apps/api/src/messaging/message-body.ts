import type { FastifyRequest } from 'fastify';
import type { Message } from '#domain/messaging/message-events.js';
import { sizeOf } from '#domain/messaging/messages.js';
import { base64Fault } from '#infra/schemas/base64.js';
import { dictionary, type Infer, list, struct, text } from '../shared/body-shape.js';
import { bodyAs } from './bodies.js';
import * as errors from './errors.js';
import { LIMITS } from './limits.js';

/** `messageId` and `publishTime` come from clients that publish what they pulled: checked for their type, and otherwise ignored. */
const messageShape = struct({ messageId: text, attributes: dictionary(text), data: text, publishTime: text });
export const publishBody = struct({ messages: list(messageShape) });

const messageOf = ({ data, attributes }: Infer<typeof messageShape>): Message =>
  Object.keys(attributes).length > 0 ? { data, attributes } : { data };

/** The messages of a publish call, each checked before anything else happens. @throws MessagingError B16, L01 */
export const readMessages = (request: FastifyRequest): readonly Message[] => {
  const messages = bodyAs(request, publishBody, errors.invalidMessage).messages.map(messageOf);
  if (messages.length === 0 || messages.some(({ data, attributes }) => data === '' && !attributes)) throw errors.invalidMessage();
  const { messagesPerPublish, messageData } = LIMITS;
  if (messages.length > messagesPerPublish.value || messages.some(({ data }) => sizeOf(data) > messageData.value))
    throw errors.messageTooLarge();
  return messages;
};

/** @throws MessagingError B16 */
export const requireBase64 = (messages: readonly Message[]): void => {
  if (messages.some(({ data }) => base64Fault(data) !== undefined)) throw errors.invalidMessage();
};
