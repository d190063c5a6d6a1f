import { flag, type Infer, integer, optional, struct, text } from '#api/shared/bodies/body-shape.js';
import { newKey } from '#api/shared/commands/new-key.js';
import type { PushRequest, PushSecrets } from '#domain/messaging/push/push-configuration.js';

/** Member `pushConfig` of bodies (messaging contract 4.9). What the server sets is checked for its type and otherwise ignored. */
export const pushConfigBody = struct({
  type: text,
  pushEndpoint: text,
  maxMessages: integer,
  authorizationHeader: struct({ type: text, value: text }),
  retryPolicy: struct({ type: text, period: integer }),
  verificationHash: text,
  verified: flag,
  mattermostUrl: text,
  mattermostUsername: text,
  mattermostChannel: text,
  base64Decode: optional(flag),
});

/** Whether every member has its default value: such a configuration counts as absent, whatever keys it has. */
const isDefault = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isDefault) : !value;

/** The push settings that a body asks for; `null` if the subscription is to be pulled. */
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

/** New secrets, for a command that may need them. */
export const newPushSecrets = (): PushSecrets => ({ verificationHash: newKey(), authorizationValue: newKey() });
