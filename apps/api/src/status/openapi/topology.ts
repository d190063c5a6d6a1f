import type { Catalogue, Described } from '#api/shared/openapi/described.js';
import { bounded, type Component, component, doc, nullable, oneOf, type Shape } from '#api/shared/openapi/shape.js';
import { envelopeOf, lists, says, saysCreated, saysPlainly, shows } from './envelopes.js';

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

const ENDPOINT = component('StatusTopologyEndpoint', listed(ENDPOINT_MEMBERS), 'extended contract 3.1');
const GROUP = component('StatusTopologyGroup', listed(GROUP_MEMBERS), 'extended contract 3.1');
const SERVICE_TYPE = component(
  'StatusServiceType',
  { date: doc('day', 'of the list'), name: 'text', title: 'text', description: 'text', 'tags?': ['text'], ...OF_TENANT },
  'extended contract 3.1',
);

const LIMIT = { maxItems: 200_000 };
const NEW_ENDPOINTS = bounded([component('StatusNewTopologyEndpoint', sent(ENDPOINT_MEMBERS))], LIMIT);
const NEW_GROUPS = bounded([component('StatusNewTopologyGroup', sent(GROUP_MEMBERS))], LIMIT);
const NEW_SERVICE_TYPES = bounded(
  [component('StatusNewServiceType', { name: 'text', 'title?': 'text', 'description?': 'text', 'tags?': ['text'] })],
  LIMIT,
);

const SENT_ENDPOINT = { group: 'SITE-A', type: 'SITES', service: 'web', hostname: 'web.example.org', tags: { production: '1' } };
const SENT_GROUP = { group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A', tags: { scope: 'EGI' } };
const SENT_SERVICE_TYPE = { name: 'web', title: 'Web server', description: 'answers HTTP', tags: ['public'] };

const DAY = '2026-03-01';

/** A list of a day. */
const list = (path: string, record: Component, request: Shape, item: object, what: string): Catalogue => ({
  [`get ${path}`]: { answers: lists(record, { date: DAY, ...item }) },
  [`post ${path}`]: {
    answers: saysPlainly(201, `Topology of 1 ${what} created for date: ${DAY}`),
    request,
    ignores: ['date', 'tenant'],
    body: [item],
  },
  [`delete ${path}`]: { answers: saysPlainly(200, `Topology of 1 ${what} deleted for date: ${DAY}`) },
});

const TAG_VALUES = component('StatusTagValues', {
  name: oneOf('endpoints', 'groups'),
  values: [{ name: doc('text', 'the tag'), values: ['text'] }],
});
const STATISTICS = component('StatusTopologyStatistics', {
  group_count: 'count',
  group_type: 'text',
  group_list: ['text'],
  endpoint_group_count: 'count',
  endpoint_group_type: 'text',
  endpoint_group_list: ['text'],
  service_count: 'count',
  service_list: ['text'],
});

const LISTS: Catalogue = {
  ...list('/api/v2/topology/endpoints', ENDPOINT, NEW_ENDPOINTS, SENT_ENDPOINT, 'endpoints'),
  ...list('/api/v2/topology/groups', GROUP, NEW_GROUPS, SENT_GROUP, 'groups'),
  ...list('/api/v2/topology/service-types', SERVICE_TYPE, NEW_SERVICE_TYPES, SENT_SERVICE_TYPE, 'service types'),
  'get /api/v2/topology/endpoints/by_report/{report}': { answers: lists(ENDPOINT, { date: DAY, ...SENT_ENDPOINT }) },
  'get /api/v2/topology/groups/by_report/{report}': { answers: lists(GROUP, { date: DAY, ...SENT_GROUP }) },
  'get /api/v2/topology/tags': {
    answers: lists(TAG_VALUES, { name: 'endpoints', values: [{ name: 'production', values: ['1'] }] }),
  },
  'get /api/v2/topology/stats/{report}': {
    answers: shows(envelopeOf('StatusTopologyStatisticsOfReport', STATISTICS), {
      group_count: 1,
      group_type: 'NGI',
      group_list: ['NGI-A'],
      endpoint_group_count: 1,
      endpoint_group_type: 'SITES',
      endpoint_group_list: ['SITE-A'],
      service_count: 1,
      service_list: ['web'],
    }),
  },
};

const DOWNTIME = component('StatusDowntime', {
  hostname: 'text',
  service: 'text',
  start_time: doc('text', 'as it was sent, usually as RFC 3339'),
  end_time: doc('text', 'as it was sent, usually as RFC 3339'),
  'description?': 'text',
  'classification?': doc('text', 'such as `scheduled`, `unscheduled`'),
  'severity?': doc('text', 'such as `outage`, `warning`'),
});
const DOWNTIMES = component('StatusDowntimes', { date: 'day', endpoints: [DOWNTIME] });
const SENT_DOWNTIME = {
  hostname: 'web.example.org',
  service: 'web',
  start_time: '2026-03-01T10:00:00Z',
  end_time: '2026-03-01T12:00:00Z',
  severity: 'outage',
};

const DOWNTIME_ANSWERS: Catalogue = {
  'get /api/v2/downtimes': { answers: lists(DOWNTIMES, { date: DAY, endpoints: [SENT_DOWNTIME] }) },
  'post /api/v2/downtimes': {
    answers: saysCreated(`Downtimes set created for date: ${DAY}`),
    request: component('StatusNewDowntimes', { endpoints: bounded([DOWNTIME], LIMIT) }),
    ignores: ['date'],
    body: { endpoints: [SENT_DOWNTIME] },
  },
  'delete /api/v2/downtimes': { answers: says(`Downtimes set deleted for date: ${DAY}`) },
};

/** The same list in answer to an update, with another message. */
const said = (message: string, answers: Described['answers'], data: readonly object[]): Described['answers'] => ({
  200: { ...answers[200], example: { status: { message, code: '200' }, data } },
});

/** The one feed of a kind that a tenant has. Requests may leave out members, which are then empty. */
const feed = (path: string, name: string, members: Readonly<Record<string, Shape>>, example: object): Catalogue => {
  const record = component(name, members);
  const optional = Object.fromEntries(Object.entries(members).map(([member, shape]) => [`${member}?`, shape]));
  const answers = lists(record, example);
  return {
    [`get ${path}`]: { answers },
    [`put ${path}`]: {
      answers: said('Feeds resource succesfully updated', answers, [example]),
      request: component(`${name}Request`, optional),
      body: example,
    },
  };
};

const FEEDS: Catalogue = {
  ...feed(
    '/api/v2/feeds/topology',
    'StatusTopologyFeed',
    { type: 'text', feed_url: 'text', paginated: doc('text', 'a flag as text'), fetch_type: ['text'], uid_endpoints: 'text' },
    { type: 'gocdb', feed_url: 'https://topology.example.org', paginated: 'true', fetch_type: ['Sites'], uid_endpoints: 'endpoint' },
  ),
  ...feed(
    '/api/v2/feeds/weights',
    'StatusWeightsFeed',
    { type: 'text', feed_url: 'text', weight_type: 'text', group_type: 'text' },
    { type: 'vapor', feed_url: 'https://weights.example.org', weight_type: 'hepspec', group_type: 'SITES' },
  ),
  ...feed(
    '/api/v2/feeds/data',
    'StatusDataFeed',
    { tenants: doc(['text'], 'names of tenants whose topology is shown in combined lists', { maxItems: 100 }) },
    { tenants: ['EGI'] },
  ),
  ...feed(
    '/api/v2/feeds/data/readers',
    'StatusDataFeedReaders',
    { tenants: doc(['text'], 'names of tenants that may show the topology of the tenant in combined lists', { maxItems: 100 }) },
    { tenants: ['EOSC'] },
  ),
};

const METRIC_MEMBERS = { name: 'text', tags: ['text'] } as const;
const METRIC = component('StatusMonitoredMetric', METRIC_MEMBERS, 'A metric of all tenants, and its tags');
const SENT_METRICS = [{ name: 'http', tags: ['network'] }];
const metrics = lists(METRIC, ...SENT_METRICS);

const METRICS: Catalogue = {
  'get /api/v2/admin/metrics': { answers: metrics },
  'put /api/v2/admin/metrics': {
    answers: said('Metrics resource succesfully updated', metrics, SENT_METRICS),
    request: [component('StatusMonitoredMetricRequest', { name: 'text', 'tags?': ['text'] })],
    body: SENT_METRICS,
  },
  'get /api/v2/metrics': { answers: metrics },
  'get /api/v2/metrics/by_report/{report}': { answers: metrics },
};

export const TOPOLOGY: Catalogue = { ...LISTS, ...DOWNTIME_ANSWERS, ...FEEDS, ...METRICS };
