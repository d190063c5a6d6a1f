import { PULLED } from '#api/messaging/answers/answers.js';

/** Last members of the last page of a list. */
export const LAST_PAGE = { nextPageToken: '', totalSize: 1 };

const CREATED = '2026-03-01T12:00:00Z';

export const PROJECT = { name: 'EGI', created_on: CREATED, modified_on: CREATED, created_by: 'ada', description: 'news of sites' };

export const PUBLIC_USER = {
  uuid: '5b23e589-0fea-4a9d-b627-84f575fbfc0a',
  name: 'ada',
  email: 'ada@example.org',
  service_roles: [],
  created_on: CREATED,
  modified_on: CREATED,
};
export const USER = {
  uuid: PUBLIC_USER.uuid,
  projects: [{ project: 'EGI', roles: ['publisher'], topics: ['news'], subscriptions: [] }],
  name: 'ada',
  first_name: 'Ada',
  last_name: 'Lovelace',
  organization: 'Example Lab',
  token: '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684',
  email: 'ada@example.org',
  service_roles: [],
  created_on: CREATED,
  modified_on: CREATED,
  created_by: 'boss',
};

export const REGISTRATION = {
  uuid: '4e5ffc39-2a80-463e-bf59-87ef803dfa93',
  name: 'grace',
  first_name: 'Grace',
  last_name: 'Hopper',
  organization: 'Example Lab',
  description: 'publishes downtimes',
  email: 'grace@example.org',
  status: 'pending',
  activation_token: '55df7a621288b61eec59479e147887146f9225d0198e7a38ec48fcdf9a7c44e9',
  registered_at: CREATED,
} as const;

export const TOPIC = { name: '/projects/EGI/topics/news', schema: 'projects/EGI/schemas/downtime', created_on: CREATED };

const PUSHED = {
  type: 'http_endpoint' as const,
  pushEndpoint: 'https://receiver.example.org/in',
  maxMessages: 1,
  authorizationHeader: { type: 'autogen' as const, value: '96c21b190e31657a6e7a15bcb570c5a541e15cf37e44a8edb67bc6bcc9c7d92a' },
  retryPolicy: { type: 'linear' as const, period: 3000 },
  verificationHash: 'bc6ff64b5958696701f579f7c757b2452ee8b7612f6a40f306d4df93237b6fc2',
  verified: true,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: false,
};
const READER = { name: '/projects/EGI/subscriptions/reader', topic: TOPIC.name };

export const SUBSCRIPTION = { ...READER, pushConfig: PULLED, ackDeadlineSeconds: 10, createdOn: CREATED };
export const PUSHED_SUBSCRIPTION = {
  ...READER,
  pushConfig: PUSHED,
  ackDeadlineSeconds: 10,
  pushStatus: 'Subscription /projects/EGI/subscriptions/reader is currently active',
  createdOn: CREATED,
};

const DOCUMENT = { type: 'object', properties: { site: { type: 'string' } }, required: ['site'] };
export const NEW_SCHEMA = { type: 'json', schema: DOCUMENT } as const;
export const SCHEMA = { uuid: '28ceaa98-638e-457a-ab46-092c08160c98', name: 'projects/EGI/schemas/downtime', ...NEW_SCHEMA };

export const CPU_USAGE = {
  metric: 'ams_node.cpu_usage',
  metric_type: 'percentage',
  value_type: 'float64',
  resource_type: 'ams_node',
  resource_name: 'node-1',
  timeseries: [{ timestamp: CREATED, value: 14.2 }],
  description: 'Percentage value that displays the CPU usage of ams service in the specific node',
};

export const USAGE_REPORT = {
  projects_metrics: {
    projects: [{ project: 'EGI', message_count: 7, average_daily_messages: 0.01, topics_count: 2, subscriptions_count: 1, users_count: 1 }],
    total_message_count: 7,
    average_daily_messages: 0.01,
  },
  total_users_count: 1,
  total_topics_count: 2,
  total_subscriptions_count: 1,
};
