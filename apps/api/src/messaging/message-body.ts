import type { FastifyRequest } from 'fastify';
import type { Message } from '#domain/messaging/message-events.js';
import { sizeOf } from '#domain/messaging/messages.js';
import { base64Fault } from '#infra/schemas/base64.js';
import { dictionary, type Infer, list, struct, text } from '../shared/body-shape.js';
import { bodyAs } from './bodies.js';
import * as errors from './errors.js';

/** The most bytes of `data` in one message, as base64 text (messaging contract 4.3). */
export const MAX_DATA_BYTES = 10 * 1024 * 1024;
/** The most messages in one call. Besides, the whole body is limited (`LOGBOOK_BODY_LIMIT`). */
export const MAX_MESSAGES = 10_000;

/** `messageId` and `publishTime` come from clients that publish what they pulled: checked for their type, and otherwise ignored. */
const messageShape = struct({ messageId: text, attributes: dictionary(text), data: text, publishTime: text });
export const publishBody = struct({ messages: list(messageShape) });

const messageOf = ({ data, attributes }: Infer<typeof messageShape>): Message =>
  Object.keys(attributes).length > 0 ? { data, attributes } : { data };

/** The messages of a publish call, each checked before anything else happens. @throws MessagingError B16, L01 */
export const readMessages = (request: FastifyRequest): readonly Message[] => {
  const messages = bodyAs(request, publishBody, errors.invalidMessage).messages.map(messageOf);
  if (messages.length === 0 || messages.some(({ data, attributes }) => data === '' && !attributes)) throw errors.invalidMessage();
  if (messages.length > MAX_MESSAGES || messages.some(({ data }) => sizeOf(data) > MAX_DATA_BYTES)) throw errors.messageTooLarge();
  return messages;
};

/** @throws MessagingError B16 */
export const requireBase64 = (messages: readonly Message[]): void => {
  if (messages.some(({ data }) => base64Fault(data) !== undefined)) throw errors.invalidMessage();
};
