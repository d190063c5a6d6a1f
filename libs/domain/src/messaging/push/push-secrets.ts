import type { Json, JsonObject } from '#domain/shared/events.js';
import { ERASED, isJsonObject, SECRET, secretText, withoutUserInfo } from '#domain/shared/marks.js';

/** An endpoint without the user info and query, which may carry credentials. */
const withoutCredentials = (endpoint: string): string =>
  withoutUserInfo(endpoint).replace(/^([^?#]*)\?([^#]*)/, (_, place, query) => `${place}${query && `?${SECRET}`}`);

/** Push settings (`PushConfiguration`) with placeholders for their secrets (operations contract 4). */
export const withoutPushSecrets = (push: Json): Json => {
  if (!isJsonObject(push)) return push;
  const { authorization, pushEndpoint } = push;
  const concealed: Record<string, Json> = { ...push };
  for (const member of ['verificationHash', 'mattermostUrl']) if (member in concealed) concealed[member] = secretText(concealed[member]);
  if (typeof pushEndpoint === 'string') concealed.pushEndpoint = withoutCredentials(pushEndpoint);
  if (isJsonObject(authorization) && 'value' in authorization)
    concealed.authorization = { ...authorization, value: secretText(authorization.value) };
  return concealed;
};

/** Placeholder for erased settings, in the form of settings. */
export const ERASED_PUSH: JsonObject = {
  type: ERASED,
  pushEndpoint: ERASED,
  maxMessages: 0,
  authorization: { type: ERASED, value: ERASED },
  retryPolicy: { type: ERASED, period: 0 },
  verificationHash: ERASED,
  verified: false,
  mattermostUrl: ERASED,
  mattermostUsername: ERASED,
  mattermostChannel: ERASED,
  base64Decode: false,
};
