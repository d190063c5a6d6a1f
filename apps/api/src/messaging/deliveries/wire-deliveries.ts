import { isPlain, type WireMessage } from '#api/messaging/messages/message-texts.js';
import type { PiecedBody } from '#api/messaging/streamed-body.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { deliveryId } from './ack-ids.js';
import type { Delivered } from './leased-messages.js';

/** The body of the answer to a pull: each message with its attempt, from 1 (messaging contract 7.1). */
export const deliveriesAnswer = (
  project: ProjectReference,
  subscription: string,
  delivered: readonly Delivered<WireMessage>[],
): PiecedBody => {
  const [beginning, end] = ['{"receivedMessages":[', ']}'];
  const before = (one: Delivered<WireMessage>): string => `{"ackId":"${deliveryId(project, subscription, one)}","message":`;
  const after = ({ attempt }: Delivered<WireMessage>): string => `,"deliveryAttempt":${attempt}}`;
  let bytes = beginning.length + end.length + Math.max(0, delivered.length - 1);
  for (const one of delivered) bytes += before(one).length + one.message.size + after(one).length;
  const pieces = function* (): Generator<string> {
    yield beginning;
    for (const [index, one] of delivered.entries()) {
      yield `${index === 0 ? '' : ','}${before(one)}`;
      yield one.message.text;
      yield after(one);
    }
    yield end;
  };
  return { bytes, pieces: { [Symbol.iterator]: pieces }, plain: delivered.every(({ message }) => isPlain(message)) };
};
