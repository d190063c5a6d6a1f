import { publishTimeText } from '#api/messaging/messages/message-texts.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import type { PushMessage } from '#infra/edges/push/delivery.js';

/** Bytes after which a delivery ends; it has at least one message. */
export const MOST_BYTES = 1024 * 1024;

export const pushMessage = ({ offset, attributes, data, publishTime, orderingKey }: StoredMessage): PushMessage => ({
  messageId: `${offset}`,
  attributes,
  data,
  publishTime: publishTimeText(publishTime),
  ...(orderingKey === undefined ? {} : { orderingKey }),
});
