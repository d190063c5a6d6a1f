import { expect, it } from '@jest/globals';
import { settingsOfPast } from './past-settings.js';
import { settingsFacts } from './settings.js';

const PULLED = {
  type: '',
  pushEndpoint: '',
  maxMessages: 0,
  authorizationHeader: {},
  retryPolicy: {},
  verificationHash: '',
  verified: false,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: false,
} as const;
const subscription = {
  name: '/projects/monitoring/subscriptions/workers',
  topic: '/projects/monitoring/topics/alerts',
  pushConfig: PULLED,
  ackDeadlineSeconds: 60,
  createdOn: '2026-11-01T12:00:00Z',
} as const;
const factsOf = (more: object) => Object.fromEntries(settingsFacts(settingsOfPast({ ...subscription, ...more })));

it('settings of the past have their defaults in words', () => {
  expect(settingsOfPast(subscription).settings).toMatchObject({ createdAt: subscription.createdOn, deadLetterPolicy: null });
  expect(factsOf({})).toMatchObject({
    Delivery: 'consumers pull',
    Acknowledgement: 'all messages up to an offset',
    Deadline: '1 min',
    Filter: 'none: all messages of the topic',
    'Messages are kept': 'as long as those of the topic',
    'Deleted unused': 'never',
    Labels: 'none',
  });
});

it('settings of the past that were given are in words, durations too', () => {
  const deadLetterPolicy = { deadLetterTopic: 'projects/monitoring/topics/lost', maxDeliveryAttempts: 5 };
  const retryPolicy = { minimumBackoff: '10s', maximumBackoff: '60s' };
  const given = { ackMode: 'message', deadLetterPolicy, retryPolicy, expirationPolicy: { ttl: '86400s' }, labels: { site: 'A' } };
  expect(settingsOfPast({ ...subscription, deadLetterPolicy }).settings.deadLetterPolicy).toEqual({
    topic: 'lost',
    maxDeliveryAttempts: 5,
  });
  expect(factsOf(given)).toMatchObject({
    Acknowledgement: 'each message by itself',
    'Delivered again': 'after 10 s to 1 min',
    'Deleted unused': 'after 1 d',
    Labels: 'site: A',
  });
});

it('push settings of the past have no host of Mattermost, which is secret with its URL', () => {
  const common = { maxMessages: 1, authorizationHeader: { type: 'autogen' }, retryPolicy: { type: 'linear', period: 3_000 } };
  const push = { ...PULLED, ...common, type: 'http_endpoint', pushEndpoint: 'https://example.org/?[secret]' };
  expect(factsOf({ pushConfig: push })).toMatchObject({
    'Push to': 'https://example.org/?[secret], not verified',
    Authorization: 'a generated authorization header is sent',
  });
  const chat = { ...push, type: 'mattermost', mattermostUrl: '[secret]', mattermostChannel: 'operations' };
  expect(factsOf({ pushConfig: chat })['Push to']).toBe('Mattermost operations');
});
