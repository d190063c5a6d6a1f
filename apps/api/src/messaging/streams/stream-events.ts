import { deliveryId } from '#api/messaging/deliveries/ack-ids.js';
import type { Delivered } from '#api/messaging/deliveries/leased-messages.js';
import type { MessagingError } from '#api/messaging/errors.js';
import { ackIdText, type WireMessage } from '#api/messaging/messages/message-texts.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';

/** Parts of a stream of server-sent events (messaging contract 7.5). */
export const KEEP_ALIVE = ': keep-alive\n\n';

/** The server ends the stream; clients reconnect for more. It has data, because clients ignore events without. */
export const END = 'event: end\ndata: {}\n\n';

/** The stream cannot continue. The data has the shape of an error answer. */
export const errorEvent = (error: MessagingError): string => `event: error\ndata: ${JSON.stringify(JSON.parse(error.body))}\n\n`;

/** A delivered message. `ackId`: as it stands within a JSON text, so without line breaks. `after`: members after the message. */
const messageEvent = (ackId: string, { text }: WireMessage, after: string): string =>
  `id: ${ackId}\nevent: message\ndata: {"ackId":"${ackId}","message":${text}${after}}\n\n`;

/** A message behind a cursor. */
export const cursorEvent = (project: ProjectReference, subscription: string, message: WireMessage): string =>
  messageEvent(`${ackIdText(project, subscription)}${message.offset}`, message, '');

/** A leased message. */
export const leaseEvent = (project: ProjectReference, subscription: string, delivered: Delivered<WireMessage>): string =>
  messageEvent(`${ackIdText(project, subscription)}${deliveryId(delivered)}`, delivered.message, `,"deliveryAttempt":${delivered.attempt}`);
