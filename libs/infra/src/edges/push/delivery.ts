import { base64Fault } from '#domain/messaging/messages/base64.js';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import type { HttpSender } from '#infra/platform/outgoing/http-sender.js';
import { attributesMember } from '#projections/messaging/layout.js';

/** A message as a pull hands it out (messaging contract 3.8). */
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

/** Decodes base64 as it is taken at publish (messaging contract 5.3); text in another form is returned as it is. */
const decoded = (data: string): string => (base64Fault(data) === undefined ? Buffer.from(data, 'base64').toString('utf8') : data);

const messageText = ({ messageId, attributes, ...rest }: PushMessage): string =>
  `{"messageId":"${messageId}",${attributesMember(attributes)}${JSON.stringify(rest).slice(1)}`;

/** The request that delivers messages, at least one (messaging contract 4.9). `subscription`: its full name, `projects/<p>/subscriptions/<s>`. */
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

export type Sending = Readonly<{
  sender: Pick<HttpSender, 'send'>;
  /** Counts batches that were sent, by outcome. Default: nobody does. */
  sent?: (outcome: 'delivered' | 'failed') => void;
}>;

/** Sends a delivery. What the signal ends counts neither way. @throws unless the endpoint took it */
export const sendDelivery = async (
  { url, headers, body, accepted }: Delivery,
  { sender, sent }: Sending,
  signal: AbortSignal,
): Promise<void> => {
  try {
    const { status } = await sender.send({ method: 'POST', url, headers, body, timeoutMs: DELIVERY_TIMEOUT_MS, signal });
    if (!accepted.has(status)) throw new Error(`the endpoint answered ${status}`);
    sent?.('delivered');
  } catch (error) {
    if (!signal.aborted) sent?.('failed');
    throw error;
  }
};
