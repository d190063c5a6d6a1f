import { described, flag, type Infer, integer, limited, named, optional, struct, text, unsaid } from '#api/shared/bodies/body-shape.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import { doc, oneOf } from '#domain/shared/shape.js';

const PUSH_TEXT = { maxLength: 2048 };

/** Member `pushConfig` of bodies (messaging contract 4.9). Members set by the server are checked for their type and otherwise ignored. */
export const pushConfigBody = named(
  'MessagingPushSettings',
  struct({
    type: described(
      text,
      doc(oneOf('http_endpoint', 'mattermost'), 'required unless the settings are empty: the subscription is pulled then'),
    ),
    pushEndpoint: described(text, doc('uri', 'https; of `http_endpoint`', PUSH_TEXT)),
    maxMessages: described(integer, doc('integer', 'messages of one delivery, default 1')),
    authorizationHeader: struct({
      type: described(text, doc(oneOf('autogen', 'disabled'), 'default autogen')),
      value: unsaid(text),
    }),
    retryPolicy: struct({
      type: described(text, doc(oneOf('linear', 'slowstart'), 'default linear')),
      period: described(integer, doc('integer', 'milliseconds, of `linear`; default 3000')),
    }),
    verificationHash: unsaid(text),
    verified: unsaid(flag),
    mattermostUrl: described(text, doc('uri', 'of `mattermost`', PUSH_TEXT)),
    mattermostUsername: limited(text, PUSH_TEXT),
    mattermostChannel: limited(text, PUSH_TEXT),
    base64Decode: described(optional(flag), doc('flag', 'whether `data` is delivered decoded')),
  }),
  'messaging contract 4.9',
);

/** Returns whether every member has its default value: such a configuration counts as absent, whatever keys it has. */
const isDefault = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isDefault) : !value;

/** Requested push settings of a body; `null` for a pull subscription. */
export const requestedPush = (body: Infer<typeof pushConfigBody>): PushRequest | null => {
  if (isDefault(body)) return null;
  const { type, pushEndpoint, maxMessages, authorizationHeader, retryPolicy, base64Decode } = body;
  const { mattermostUrl, mattermostUsername, mattermostChannel } = body;
  return {
    type,
    pushEndpoint,
    maxMessages,
    authorizationType: authorizationHeader.type,
    retryPolicyType: retryPolicy.type,
    retryPeriod: retryPolicy.period,
    mattermostUrl,
    mattermostUsername,
    mattermostChannel,
    base64Decode,
  };
};
