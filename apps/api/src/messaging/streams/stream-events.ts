import { deliveryId } from '#api/messaging/deliveries/ack-ids.js';
import type { Delivered } from '#api/messaging/deliveries/leased-messages.js';
import type { MessagingError } from '#api/messaging/errors.js';
import { ackIdPrefix, type WireMessage } from '#api/messaging/messages/message-texts.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';

/** Parts of a stream of server-sent events (messaging contract 7.5). */
export const KEEP_ALIVE = ': keep-alive\n\n';

/** The server ends the stream; clients reconnect for more. It has data, because clients ignore events without. */
export const END = 'event: end\ndata: {}\n\n';

/** The stream cannot continue. The data has the shape of an error answer. */
export const errorEvent = (error: MessagingError): string => `event: error\ndata: ${JSON.stringify(JSON.parse(error.body))}\n\n`;

/** A delivered message. `item`: its form in a pull, without line breaks. */
const messageEvent = (ackId: string, item: string): string => `id: ${ackId}\nevent: message\ndata: ${item}\n\n`;

/** A message behind a cursor. */
export const cursorEvent = (project: ProjectReference, subscription: string, { offset, text }: WireMessage): string => {
  const ackId = `${ackIdPrefix(project, subscription)}${offset}`;
  return messageEvent(ackId, `{"ackId":"${ackId}","message":${text}}`);
};

/** A leased message. */
export const leaseEvent = (project: ProjectReference, subscription: string, delivered: Delivered<WireMessage>): string => {
  const { message, attempt } = delivered;
  const ackId = deliveryId(project, subscription, delivered);
  return messageEvent(ackId, `{"ackId":"${ackId}","message":${message.text},"deliveryAttempt":${attempt}}`);
};
