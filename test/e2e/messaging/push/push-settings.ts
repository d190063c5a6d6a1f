import { expect } from '@jest/globals';
import { type ErrorLine, PULLED } from '#test/e2e/messaging/calls.js';
import type { Answer } from '#test/support/status-client.js';

/** Push settings and what is wrong with them, written down independently of the implementation (messaging contract 3.7, 4.9). */

export const BAD_BODY: ErrorLine = 'INVALID_ARGUMENT: Invalid Subscription Arguments';
export const MISSING: ErrorLine = "NOT_FOUND: Subscription doesn't exist";
export const NOT_HTTPS: ErrorLine = 'INVALID_ARGUMENT: Push endpoint should be addressed by a valid https url';
export const BAD_TYPE: ErrorLine = "INVALID_ARGUMENT: Push configuration type can only be of 'http_endpoint' or 'mattermost'";
export const BAD_POLICY: ErrorLine = "INVALID_ARGUMENT: Retry policy can only be of 'linear' or 'slowstart' type";
export const BAD_AUTHORIZATION: ErrorLine = "INVALID_ARGUMENT: Authorization header type can only be of 'autogen' or 'disabled' type";
export const NO_MATTERMOST_URL: ErrorLine = 'INVALID_ARGUMENT: Field mattermostUrl cannot be empty';
export const DISABLED: ErrorLine = 'CONFLICT: Push functionality is currently disabled';
export const NOT_PUSHED: ErrorLine = 'CONFLICT: Subscription is not in http push mode';

/** Hashes and authorization values. */
export const SECRET = /^[0-9a-f]{64}$/;
export const ENDPOINT = 'https://receiver.example.org:8443/in?a=1';

/** `pushConfig` of a subscription, as responses show it. */
export type Settings = Omit<typeof PULLED, 'authorizationHeader'> & { authorizationHeader: { type?: string; value?: string } };

/** Of a subscription in an answer. */
export const settingsOf = ({ json }: Answer): Settings => (json as { pushConfig: Settings }).pushConfig;

/** What is shown of an HTTP endpoint and of mattermost, with all defaults. */
export const HTTP = {
  ...PULLED,
  type: 'http_endpoint',
  pushEndpoint: ENDPOINT,
  maxMessages: 1,
  authorizationHeader: { type: 'autogen', value: expect.stringMatching(SECRET) },
  retryPolicy: { type: 'linear', period: 3000 },
  verificationHash: expect.stringMatching(SECRET),
};
export const CHAT = {
  ...PULLED,
  type: 'mattermost',
  maxMessages: 1,
  retryPolicy: { type: 'linear', period: 3000 },
  verified: true,
  mattermostUrl: 'https://chat.example.org/hooks/x',
};
/** The least that asks for them. */
export const http = { type: 'http_endpoint', pushEndpoint: ENDPOINT };
export const chat = { type: 'mattermost', mattermostUrl: 'https://chat.example.org/hooks/x' };

/** Malformed wherever settings are expected. */
export const MALFORMED = ['"x"', '{"maxMessages":1.5}', '{"authorizationHeader":{"type":1}}', '{"retryPolicy":{"period":"300"}}'];

/** Settings that are none. */
export const NONE: readonly unknown[] = [undefined, null, {}, { type: '' }, { maxMessages: 0, retryPolicy: {}, verified: false }, PULLED];

/** Wrong settings; where several things are wrong, which of them a creation tells, and which a modification. */
export const WRONG: readonly (readonly [object, ErrorLine, ErrorLine?])[] = [
  [{ ...http, pushEndpoint: 'http://receiver.example.org' }, NOT_HTTPS],
  [{ ...http, authorizationHeader: { type: 'basic' } }, BAD_AUTHORIZATION],
  [{ type: 'mattermost' }, NO_MATTERMOST_URL],
  [{ type: 'other', pushEndpoint: ENDPOINT }, BAD_TYPE],
  [{ verified: true }, BAD_TYPE],
  [{ ...http, retryPolicy: { type: 'exponential' } }, BAD_POLICY],
  [{ ...http, authorizationHeader: { type: 'basic' }, retryPolicy: { type: 'x' } }, BAD_AUTHORIZATION, BAD_POLICY],
  [{ type: 'other', retryPolicy: { type: 'x' } }, BAD_TYPE, BAD_POLICY],
  [{ type: 'mattermost', retryPolicy: { type: 'x' } }, NO_MATTERMOST_URL, BAD_POLICY],
];
