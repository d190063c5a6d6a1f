import type { Answers } from '#api/shared/openapi/described.js';
import { bounded, component, doc, nullable, oneOf, type Shape } from '#api/shared/openapi/shape.js';
import { lists } from './envelopes.js';

const NOTIFICATIONS = component('StatusContacts', { 'contacts?': ['text'], 'enabled?': 'flag' }, 'Who is told of changes');
const TAGS = { '*': 'text' } as const;
const OF_TENANT = {
  'tenant?': doc('text', 'name of the tenant that the item is of; in combined lists, of others than the own one'),
} as const;

const ENDPOINT_MEMBERS = {
  group: 'text',
  type: doc('text', 'of the group'),
  service: doc('text', 'service type'),
  hostname: 'text',
} as const;
const GROUP_MEMBERS = { group: 'text', type: doc('text', 'of the group'), subgroup: doc('text', 'the group that belongs to it') } as const;

/** Items with the day of their list, and who is told of changes. */
const listed = (members: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> => ({
  date: doc('day', 'of the list'),
  ...members,
  'notifications?': NOTIFICATIONS,
  tags: nullable(TAGS),
  ...OF_TENANT,
});
const sent = (members: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> => ({
  ...members,
  'notifications?': NOTIFICATIONS,
  'tags?': TAGS,
});

export const ENDPOINT = component('StatusTopologyEndpoint', listed(ENDPOINT_MEMBERS), 'extended contract 3.1');
export const GROUP = component('StatusTopologyGroup', listed(GROUP_MEMBERS), 'extended contract 3.1');
export const SERVICE_TYPE = component(
  'StatusServiceType',
  { date: doc('day', 'of the list'), name: 'text', title: 'text', description: 'text', 'tags?': ['text'], ...OF_TENANT },
  'extended contract 3.1',
);

export const LIMIT = { maxItems: 200_000 };
export const NEW_ENDPOINTS = bounded([component('StatusNewTopologyEndpoint', sent(ENDPOINT_MEMBERS))], LIMIT);
export const NEW_GROUPS = bounded([component('StatusNewTopologyGroup', sent(GROUP_MEMBERS))], LIMIT);
export const NEW_SERVICE_TYPES = bounded(
  [component('StatusNewServiceType', { name: 'text', 'title?': 'text', 'description?': 'text', 'tags?': ['text'] })],
  LIMIT,
);

export const SENT_ENDPOINT = { group: 'SITE-A', type: 'SITES', service: 'web', hostname: 'web.example.org', tags: { production: '1' } };
export const SENT_GROUP = { group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A', tags: { scope: 'EGI' } };
export const SENT_SERVICE_TYPE = { name: 'web', title: 'Web server', description: 'answers HTTP', tags: ['public'] };

export const DAY = '2026-03-01';

export const TAG_VALUES = component('StatusTagValues', {
  name: oneOf('endpoints', 'groups'),
  values: [{ name: doc('text', 'the tag'), values: ['text'] }],
});
export const STATISTICS = component('StatusTopologyStatistics', {
  group_count: 'count',
  group_type: 'text',
  group_list: ['text'],
  endpoint_group_count: 'count',
  endpoint_group_type: 'text',
  endpoint_group_list: ['text'],
  service_count: 'count',
  service_list: ['text'],
});

export const DOWNTIME = component('StatusDowntime', {
  hostname: 'text',
  service: 'text',
  start_time: doc('text', 'as it was sent, usually as RFC 3339'),
  end_time: doc('text', 'as it was sent, usually as RFC 3339'),
  'description?': 'text',
  'classification?': doc('text', 'such as `scheduled`, `unscheduled`'),
  'severity?': doc('text', 'such as `outage`, `warning`'),
});
export const DOWNTIMES = component('StatusDowntimes', { date: 'day', endpoints: [DOWNTIME] });
export const SENT_DOWNTIME = {
  hostname: 'web.example.org',
  service: 'web',
  start_time: '2026-03-01T10:00:00Z',
  end_time: '2026-03-01T12:00:00Z',
  severity: 'outage',
};

/** The same list in answer to an update, with another message. */
export const said = (message: string, answers: Answers, data: readonly object[]): Answers => ({
  200: { ...answers[200], example: { status: { message, code: '200' }, data } },
});

/** The one feed of a kind that a tenant has. Requests may leave out members, which are then empty. */
const feed = (name: string, members: Readonly<Record<string, Shape>>, example: object) => {
  const record = component(name, members);
  const optional = Object.fromEntries(Object.entries(members).map(([member, shape]) => [`${member}?`, shape]));
  const answers = lists(record, example);
  return {
    shown: answers,
    set: {
      answers: said('Feeds resource succesfully updated', answers, [example]),
      request: component(`${name}Request`, optional),
      example,
    },
  };
};

export const TOPOLOGY_FEED = feed(
  'StatusTopologyFeed',
  { type: 'text', feed_url: 'text', paginated: doc('text', 'a flag as text'), fetch_type: ['text'], uid_endpoints: 'text' },
  { type: 'gocdb', feed_url: 'https://topology.example.org', paginated: 'true', fetch_type: ['Sites'], uid_endpoints: 'endpoint' },
);
export const WEIGHTS_FEED = feed(
  'StatusWeightsFeed',
  { type: 'text', feed_url: 'text', weight_type: 'text', group_type: 'text' },
  { type: 'vapor', feed_url: 'https://weights.example.org', weight_type: 'hepspec', group_type: 'SITES' },
);
export const DATA_FEED = feed(
  'StatusDataFeed',
  { tenants: doc(['text'], 'names of tenants whose topology is shown in combined lists', { maxItems: 100 }) },
  { tenants: ['EGI'] },
);
export const DATA_FEED_READERS = feed(
  'StatusDataFeedReaders',
  { tenants: doc(['text'], 'names of tenants that may show the topology of the tenant in combined lists', { maxItems: 100 }) },
  { tenants: ['EOSC'] },
);

const METRIC_MEMBERS = { name: 'text', tags: ['text'] } as const;
const METRIC = component('StatusMonitoredMetric', METRIC_MEMBERS, 'A metric of all tenants, and its tags');
export const SENT_METRICS = [{ name: 'http', tags: ['network'] }];
export const metrics = lists(METRIC, ...SENT_METRICS);
