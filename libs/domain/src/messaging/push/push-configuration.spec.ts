import { describe, expect, it } from '@jest/globals';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { DomainError } from '#domain/shared/decider.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { newPushConfiguration, type PushRequest, replacedPushConfiguration } from './push-configuration.js';

const secrets = { verificationHash: 'new-hash', authorizationValue: 'new-value' };
const rules = { plainHttp: false };

const nothing: PushRequest = {
  type: '',
  pushEndpoint: '',
  maxMessages: 0,
  authorizationType: '',
  retryPolicyType: '',
  retryPeriod: 0,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: undefined,
};
const http: PushRequest = { ...nothing, type: 'http_endpoint', pushEndpoint: 'https://example.org/in' };
const chat: PushRequest = { ...nothing, type: 'mattermost', mattermostUrl: 'https://chat.example.org/hook' };

const created: PushConfiguration = { ...pushSample, authorization: { type: 'autogen', value: 'new-value' }, verificationHash: 'new-hash' };
const createdChat: PushConfiguration = {
  ...created,
  type: 'mattermost',
  pushEndpoint: '',
  authorization: { type: '', value: '' },
  verificationHash: '',
  verified: true,
  mattermostUrl: 'https://chat.example.org/hook',
};

const codeOf = (act: () => unknown): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

describe('a new push configuration', () => {
  it.each<[string, PushRequest, PushConfiguration]>([
    ['has defaults', http, created],
    ['treats a lone endpoint as an HTTP endpoint', { ...http, type: '' }, created],
    ['uses the given values', { ...http, maxMessages: 5, base64Decode: true }, { ...created, maxMessages: 5, base64Decode: true }],
    ['has no negative number of messages', { ...http, maxMessages: -2 }, created],
    [
      'has no authorization if it is disabled',
      { ...http, authorizationType: 'disabled' },
      { ...created, authorization: { type: 'disabled', value: '' } },
    ],
    ['accepts an explicit autogen', { ...http, authorizationType: 'autogen' }, created],
    [
      'uses the period of a linear policy',
      { ...http, retryPolicyType: 'linear', retryPeriod: 50 },
      { ...created, retryPolicy: { type: 'linear', period: 50 } },
    ],
    ['has no negative period', { ...http, retryPeriod: -50 }, created],
    [
      'has no period with a slow start',
      { ...http, retryPolicyType: 'slowstart', retryPeriod: 50 },
      { ...created, retryPolicy: { type: 'slowstart', period: 0 } },
    ],
    ['drops mattermost settings of an HTTP endpoint', { ...http, mattermostUrl: 'x', mattermostChannel: 'y' }, created],
    ['is verified from the start for mattermost', chat, createdChat],
    [
      'has one message at a time for mattermost',
      { ...chat, maxMessages: 9, pushEndpoint: 'https://example.org', mattermostUsername: 'bot', mattermostChannel: 'ops' },
      { ...createdChat, mattermostUsername: 'bot', mattermostChannel: 'ops' },
    ],
    ['does not validate the URL of mattermost', { ...chat, mattermostUrl: 'anything' }, { ...createdChat, mattermostUrl: 'anything' }],
  ])('%s', (_what, request, expected) => expect(newPushConfiguration(request, secrets, rules)).toEqual(expected));

  it.each<[string, PushRequest, string]>([
    ['an unknown type', { ...http, type: 'HTTP_ENDPOINT' }, 'PUSH_TYPE_INVALID'],
    ['neither type nor endpoint', { ...nothing, maxMessages: 3 }, 'PUSH_TYPE_INVALID'],
    [
      'an invalid endpoint before the authorization',
      { ...http, pushEndpoint: 'x', authorizationType: 'x', retryPolicyType: 'x' },
      'PUSH_ENDPOINT_INVALID',
    ],
    [
      'an invalid authorization before the retry policy',
      { ...http, authorizationType: 'Autogen', retryPolicyType: 'x' },
      'PUSH_AUTHORIZATION_INVALID',
    ],
    ['an invalid retry policy', { ...http, retryPolicyType: 'x' }, 'PUSH_RETRY_POLICY_INVALID'],
    [
      'mattermost without a URL before the retry policy',
      { ...chat, mattermostUrl: '', retryPolicyType: 'x' },
      'PUSH_MATTERMOST_URL_MISSING',
    ],
    ['an invalid retry policy of mattermost', { ...chat, retryPolicyType: 'x' }, 'PUSH_RETRY_POLICY_INVALID'],
  ])('refuses %s', (_what, request, code) => expect(codeOf(() => newPushConfiguration(request, secrets, rules))).toBe(code));

  it.each([
    'https://example.org',
    'https://example.org:8443/in?a=b#c',
    'HTTPS://EXAMPLE.ORG',
    'https://user:secret@example.org/',
    'https://[2001:db8::1]/in',
    'https://bücher.example/in',
    'https://example.org/a%20b',
  ])('accepts the endpoint %s', (pushEndpoint) =>
    expect(newPushConfiguration({ ...http, pushEndpoint }, secrets, rules)).toMatchObject({ pushEndpoint }),
  );

  it.each([
    '',
    'http://example.org/in',
    'ftp://example.org',
    'https:',
    'https://',
    'https:///in',
    'https:/example.org',
    'https:example.org',
    'example.org/in',
    '//example.org',
    ' https://example.org',
    'https://example.org/a b',
    'https://exa\nmple.org',
    'https://example.org:port',
    'https://:443/in',
    'https://example.org/%zz',
    'https://\\example.org',
  ])('refuses the endpoint %j', (pushEndpoint) =>
    expect(codeOf(() => newPushConfiguration({ ...http, pushEndpoint }, secrets, rules))).toBe('PUSH_ENDPOINT_INVALID'),
  );

  it('accepts an http endpoint if that is allowed, but no other scheme', () => {
    const plain = { plainHttp: true };
    expect(newPushConfiguration({ ...http, pushEndpoint: 'http://127.0.0.1:90/in' }, secrets, plain)).toMatchObject({ verified: false });
    expect(codeOf(() => newPushConfiguration({ ...http, pushEndpoint: 'ftp://127.0.0.1' }, secrets, plain))).toBe('PUSH_ENDPOINT_INVALID');
  });
});

describe('a push configuration that replaces another', () => {
  const before: PushConfiguration = {
    ...created,
    authorization: { type: 'autogen', value: 'old-value' },
    verificationHash: 'old-hash',
    verified: true,
    maxMessages: 7,
    base64Decode: true,
    retryPolicy: { type: 'slowstart', period: 0 },
  };
  const disabled: PushConfiguration = { ...before, authorization: { type: 'disabled', value: '' } };

  it.each<[string, PushRequest, PushConfiguration | null, Partial<PushConfiguration>]>([
    ['keeps hash and verification of the same endpoint', http, before, { verificationHash: 'old-hash', verified: true }],
    [
      'must be verified for another endpoint',
      { ...http, pushEndpoint: 'https://example.org/on' },
      before,
      { verificationHash: 'new-hash', verified: false },
    ],
    ['must be verified after mattermost', http, createdChat, { verificationHash: 'new-hash', verified: false }],
    [
      'has a new value with every autogen',
      { ...http, authorizationType: 'autogen' },
      before,
      { authorization: { type: 'autogen', value: 'new-value' } },
    ],
    [
      'has no value if authorization is disabled',
      { ...http, authorizationType: 'disabled' },
      before,
      { authorization: { type: 'disabled', value: '' } },
    ],
    ['keeps a generated value', http, before, { authorization: { type: 'autogen', value: 'old-value' } }],
    ['keeps authorization disabled', http, disabled, { authorization: { type: 'disabled', value: '' } }],
    ['has authorization disabled after mattermost', http, createdChat, { authorization: { type: 'disabled', value: '' } }],
    ['has a generated value after pull', http, null, { authorization: { type: 'autogen', value: 'new-value' } }],
    ['keeps the number of messages', http, before, { maxMessages: 7 }],
    ['changes the number of messages', { ...http, maxMessages: 2 }, before, { maxMessages: 2 }],
    ['has one message at a time after pull', http, null, { maxMessages: 1 }],
    ['resets the retry policy to its default', http, before, { retryPolicy: { type: 'linear', period: 3000 } }],
    ['keeps the decoding', http, before, { base64Decode: true }],
    ['changes the decoding', { ...http, base64Decode: false }, before, { base64Decode: false }],
    ['can change to mattermost', chat, before, { ...createdChat, base64Decode: true }],
    [
      'resets the fields of mattermost to their defaults',
      chat,
      { ...createdChat, mattermostUsername: 'bot', mattermostChannel: 'ops' },
      createdChat,
    ],
  ])('%s', (_what, request, previous, expected) =>
    expect(replacedPushConfiguration(request, previous, secrets, rules)).toMatchObject(expected),
  );

  it.each<[string, PushRequest, string]>([
    ['an invalid retry policy before everything else', { ...nothing, type: 'x', retryPolicyType: 'x' }, 'PUSH_RETRY_POLICY_INVALID'],
    ['a type', { ...nothing, type: 'x' }, 'PUSH_TYPE_INVALID'],
    ['settings without an endpoint', { ...nothing, maxMessages: 3 }, 'PUSH_TYPE_INVALID'],
    ['an endpoint', { ...http, pushEndpoint: 'x', authorizationType: 'x' }, 'PUSH_ENDPOINT_INVALID'],
    ['an authorization', { ...http, authorizationType: 'x' }, 'PUSH_AUTHORIZATION_INVALID'],
    ['mattermost without a URL', { ...chat, mattermostUrl: '' }, 'PUSH_MATTERMOST_URL_MISSING'],
  ])('refuses %s', (_what, request, code) => expect(codeOf(() => replacedPushConfiguration(request, before, secrets, rules))).toBe(code));
});
