import type { PiecedBody } from '#api/messaging/answers/streamed-body.js';
import type { Deliverable, StoredMessage } from '#api/shared/messaging-client.js';
import { isPlainBase64 } from '#domain/messaging/messages/base64.js';
import { sizeOf } from '#domain/messaging/messages/messages.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { attributesMember, jc } from '#projections/messaging/layout.js';

/** Characters that may need escaping. */
const ESCAPABLE = /[^A-Za-z0-9+/=]/;

/** A text as JSON. Most data is base64, which needs no escaping. */
const quoted = (text: string): string => (isPlainBase64(text) || !ESCAPABLE.test(text) ? `"${text}"` : jc(text));

/** An instant `YYYY-MM-DDTHH:MM:SS.sssZ` without the zeros at the end of its fraction (messaging contract 0.3). */
export const publishTimeText = (instant: string): string => instant.replace(/\.?0*Z$/, 'Z');

/** A message for consumers, with exactly these members (messaging contract 3.8, 7.4). */
export const messageText = ({ offset, attributes, data, publishTime, orderingKey }: StoredMessage): string => {
  const ordered = orderingKey === undefined ? '' : `,"orderingKey":${jc(orderingKey)}`;
  return `{"messageId":"${offset}",${attributesMember(attributes)}"data":${quoted(data)},"publishTime":"${publishTimeText(publishTime)}"${ordered}}`;
};

/** `projects/<project>/subscriptions/<subscription>:<offset>` (messaging contract 0.5). */
export const ackIdPrefix = (project: ProjectReference, subscription: string): string =>
  `projects/${project.name}/subscriptions/${subscription}:`;

/** The same as it stands within a JSON text: a project may have been renamed to any text. */
export const ackIdText = (project: ProjectReference, subscription: string): string => jc(ackIdPrefix(project, subscription)).slice(1, -1);

/** A message with its text for consumers, and the size of that text in bytes of UTF-8. */
export type WireMessage = Deliverable & Readonly<{ text: string; size: number }>;

export const wireMessage = (message: StoredMessage): WireMessage => {
  const text = messageText(message);
  return { offset: message.offset, bytes: message.bytes, text, size: sizeOf(text) };
};

/** Returns whether the text has only ASCII characters. */
export const isPlain = ({ text, size }: WireMessage): boolean => text.length === size;

/** A message in an answer. `id`: last part of its ackId, in ASCII. `after`: members after the message, in ASCII. */
type Received = Readonly<{ message: WireMessage; id: string; after: string }>;

/** The body of the answer to a pull (messaging contract 4.5). */
export const pullAnswer = (project: ProjectReference, subscription: string, received: readonly Received[]): PiecedBody => {
  const before = `{"ackId":"${ackIdText(project, subscription)}`;
  const [beginning, between, end] = ['{"receivedMessages":[', '","message":', ']}'];
  const beforeSize = sizeOf(before);
  let bytes = beginning.length + end.length + Math.max(0, received.length - 1);
  for (const { message, id, after } of received) bytes += beforeSize + id.length + between.length + message.size + after.length + 1;
  const pieces = function* (): Generator<string> {
    yield beginning;
    for (const [index, { message, id, after }] of received.entries()) {
      yield `${index === 0 ? '' : ','}${before}${id}${between}`;
      yield message.text;
      yield `${after}}`;
    }
    yield end;
  };
  const plain = before.length === beforeSize && received.every(({ message }) => isPlain(message));
  return { bytes, pieces: { [Symbol.iterator]: pieces }, plain };
};

/** A message behind a cursor. */
export const inOrder = (message: WireMessage): Received => ({ message, id: `${message.offset}`, after: '' });

/** Ids read between two checks of the time. */
const IDS_A_LOOK = 1_000;
const OFFSET = /^[+-]?\d{1,100}$/;
const LARGEST = 2n ** 63n;

/** A signed 64-bit integer in decimal digits. */
const offsetIn = (text: string): bigint | undefined => {
  if (!OFFSET.test(text)) return undefined;
  const offset = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return offset >= -LARGEST && offset < LARGEST ? offset : undefined;
};

/**
 * The largest offset in message ids of a subscription; `undefined` if there are no ids, or one of them is invalid (messaging contract 4.6).
 * Many ids are read in slices.
 */
export const highestOffset = async (
  project: ProjectReference,
  subscription: string,
  ackIds: readonly string[],
): Promise<number | undefined> => {
  const prefix = ackIdPrefix(project, subscription);
  const slice = new TimeSlice();
  let highest: bigint | undefined;
  for (const [index, ackId] of ackIds.entries()) {
    const offset = ackId.startsWith(prefix) ? offsetIn(ackId.slice(prefix.length)) : undefined;
    if (offset === undefined) return undefined;
    if (highest === undefined || offset > highest) highest = offset;
    if (index % IDS_A_LOOK === IDS_A_LOOK - 1 && slice.isOver) await slice.next();
  }
  return highest === undefined ? undefined : Number(highest);
};
