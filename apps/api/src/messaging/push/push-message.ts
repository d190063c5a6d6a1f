import { publishTimeText } from '#api/messaging/messages/message-texts.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import type { PushMessage } from '#infra/edges/push/delivery.js';

export const pushMessage = ({ offset, attributes, data, publishTime, orderingKey }: StoredMessage): PushMessage => ({
  messageId: `${offset}`,
  attributes,
  data,
  publishTime: publishTimeText(publishTime),
  ...(orderingKey === undefined ? {} : { orderingKey }),
});
