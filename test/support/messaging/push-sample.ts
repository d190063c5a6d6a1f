import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';

/** Push settings to an endpoint that is not verified yet. */
export const pushSample: PushConfiguration = {
  type: 'http_endpoint',
  pushEndpoint: 'https://example.org/in',
  maxMessages: 1,
  authorization: { type: 'autogen', value: 'value' },
  retryPolicy: { type: 'linear', period: 3_000 },
  verificationHash: 'hash',
  verified: false,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: false,
};
