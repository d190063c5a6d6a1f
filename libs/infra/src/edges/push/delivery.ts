import { base64Fault } from '#domain/messaging/messages/base64.js';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import type { HttpSender } from '#infra/platform/outgoing/http-sender.js';
import { attributesMember } from '#projections/messaging/layout.js';

/** A message in the form of a pull (messaging contract 3.8). */
export type PushMessage = Readonly<{
  messageId: string;
  attributes?: Readonly<Record<string, string>>;
  data: string;
  publishTime: string;
  orderingKey?: string;
}>;

/** Request to an endpoint, and the statuses that mean success. */
type Delivery = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  accepted: ReadonlySet<number>;
}>;

const ENDPOINT_ACCEPTS: ReadonlySet<number> = new Set([200, 201, 204, 102]);
const MATTERMOST_ACCEPTS: ReadonlySet<number> = new Set([200]);
const JSON_TYPE = { 'content-type': 'application/json' };

/** Decodes base64 as accepted at publish (messaging contract 5.3); returns other text unchanged. */
const decoded = (data: string): string => (base64Fault(data) === undefined ? Buffer.from(data, 'base64').toString('utf8') : data);

const messageText = ({ messageId, attributes, ...rest }: PushMessage): string =>
  `{"messageId":"${messageId}",${attributesMember(attributes)}${JSON.stringify(rest).slice(1)}`;

/** Request that delivers at least one message (messaging contract 4.9). `subscription`: full name, `projects/<p>/subscriptions/<s>`. */
export const deliveryOf = (push: PushConfiguration, subscription: string, messages: readonly PushMessage[]): Delivery => {
  const readable = push.base64Decode ? messages.map((message) => ({ ...message, data: decoded(message.data) })) : messages;
  if (push.type === 'mattermost') {
    const { mattermostUrl: url, mattermostUsername, mattermostChannel } = push;
    const text = { text: readable[0]?.data, username: mattermostUsername || undefined, channel: mattermostChannel || undefined };
    return { url, headers: JSON_TYPE, body: JSON.stringify(text), accepted: MATTERMOST_ACCEPTS };
  }
  const wrapped = readable.map((message) => `{"message":${messageText(message)},"subscription":${JSON.stringify(subscription)}}`);
  const { value } = push.authorization;
  return {
    url: push.pushEndpoint,
    headers: value === '' ? JSON_TYPE : { ...JSON_TYPE, authorization: value },
    body: push.maxMessages > 1 ? `{"messages":[${wrapped.join()}]}` : (wrapped[0] ?? ''),
    accepted: ENDPOINT_ACCEPTS,
  };
};

/** No answer within 30 s is a failure (messaging contract 4.9). */
const DELIVERY_TIMEOUT_MS = 30_000;

export type DeliverySending = Readonly<{
  sender: Pick<HttpSender, 'send'>;
  /** Counts sent batches by outcome. Default: no callback. */
  sent?: (outcome: 'delivered' | 'failed') => void;
}>;

/** Sends a delivery of a project, the `owner`. A delivery aborted by the signal is not counted. @throws unless the endpoint accepted it */
export const sendDelivery = async (
  { url, headers, body, accepted }: Delivery,
  { sender, sent }: DeliverySending,
  signal: AbortSignal,
  owner: string,
): Promise<void> => {
  try {
    const { status } = await sender.send({ method: 'POST', url, headers, body, timeoutMs: DELIVERY_TIMEOUT_MS, signal, owner });
    if (!accepted.has(status)) throw new Error(`the endpoint answered ${status}`);
    sent?.('delivered');
  } catch (error) {
    if (!signal.aborted) sent?.('failed');
    throw error;
  }
};
