import { component, either } from '#api/shared/openapi/shape.js';

export const MEMBERSHIP = component('MessagingMembership', {
  name: 'text',
  created_on: 'instant',
  modified_on: 'instant',
  'created_by?': 'text',
  'description?': 'text',
});
export const REGISTRATION = component('MessagingRegistration', {
  uuid: 'text',
  name: 'text',
  first_name: 'text',
  last_name: 'text',
  organization: 'text',
  description: 'text',
  email: 'text',
  status: 'text',
  activation_token: 'text',
  registered_at: 'instant',
});
export const USER_REGISTRATION = component('MessagingUserRegistration', {
  uuid: 'text',
  name: 'text',
  first_name: 'text',
  last_name: 'text',
  organization: 'text',
  description: 'text',
  email: 'text',
  status: 'text',
  'activation_token?': 'text',
  registered_at: 'instant',
  'modified_at?': 'instant',
  'modified_by?': 'text',
  'decline_comment?': 'text',
});
export const USER_PROJECT = component('MessagingUserProject', {
  project: 'text',
  roles: ['text'],
  topics: ['text'],
  subscriptions: ['text'],
});
export const MEMBER = component('MessagingMember', {
  uuid: 'text',
  name: 'text',
  'token?': 'text',
  email: 'text',
  service_roles: ['text'],
  created_on: 'instant',
  modified_on: 'instant',
  'first_name?': 'text',
  'last_name?': 'text',
  'organization?': 'text',
  'description?': 'text',
  'created_by?': 'text',
  'projects?': [USER_PROJECT],
});
export const USER = component('MessagingUser', { users: [MEMBER], nextPageToken: 'text', totalSize: 'integer' });
export const METRIC = component('MessagingMetric', {
  metric: 'text',
  metric_type: 'text',
  value_type: 'text',
  resource_type: 'text',
  resource_name: 'text',
  timeseries: [{ timestamp: 'text', value: 'number' }],
  description: 'text',
});
export const PROJECT_USAGE = component('MessagingProjectUsage', {
  project: 'text',
  message_count: 'integer',
  average_daily_messages: 'number',
  topics_count: 'integer',
  subscriptions_count: 'integer',
  users_count: 'integer',
});
export const PROJECTS_USAGE = component('MessagingProjectsUsage', {
  projects: [PROJECT_USAGE],
  total_message_count: 'integer',
  average_daily_messages: 'number',
});
export const USAGE_REPORT = component('MessagingUsageReport', {
  projects_metrics: PROJECTS_USAGE,
  total_users_count: 'integer',
  total_topics_count: 'integer',
  total_subscriptions_count: 'integer',
});
export const PUSH_CONFIG = component('MessagingPushConfig', {
  type: 'text',
  pushEndpoint: 'text',
  maxMessages: 'integer',
  authorizationHeader: { 'type?': 'text', 'value?': 'text' },
  retryPolicy: { 'type?': 'text', 'period?': 'integer' },
  verificationHash: 'text',
  verified: 'flag',
  mattermostUrl: 'text',
  mattermostUsername: 'text',
  mattermostChannel: 'text',
  base64Decode: 'flag',
});
export const SUBSCRIPTION = component('MessagingSubscription', {
  name: 'text',
  topic: 'text',
  pushConfig: PUSH_CONFIG,
  ackDeadlineSeconds: 'integer',
  createdOn: 'instant',
});
export const TOPIC = component('MessagingTopic', { name: 'text', 'schema?': 'text', created_on: 'instant' });
export const MEMBER2 = component('MessagingMember2', {
  uuid: 'text',
  projects: [USER_PROJECT],
  name: 'text',
  email: 'text',
  service_roles: ['any'],
  created_on: 'instant',
  modified_on: 'instant',
  'token?': 'text',
});
export const MEMBER_MEMBER = component('MessagingMemberMember', {
  uuid: 'text',
  projects: [USER_PROJECT],
  name: 'text',
  'first_name?': 'text',
  'token?': 'text',
  email: 'text',
  service_roles: ['text'],
  created_on: 'instant',
  modified_on: 'instant',
  'created_by?': 'text',
});
export const SCHEMA = component('MessagingSchema', {
  uuid: 'text',
  name: 'text',
  type: 'text',
  schema: {
    '*': either('text', 'integer', [either('text', { name: 'text', type: 'text' })], {
      'id?': { type: 'text' },
      'site?': { type: 'text' },
      '9?': ['any'],
      '10?': 'integer',
      'Z?': { '*': 'any' },
    }),
  },
});
export const SUBSCRIPTION2 = component('MessagingSubscription2', {
  name: 'text',
  topic: 'text',
  pushConfig: PUSH_CONFIG,
  ackDeadlineSeconds: 'integer',
  createdOn: 'instant',
  'pushStatus?': 'text',
});
