import { type Answers, answer } from '#api/shared/openapi/described.js';

import { component, doc, nullable, oneOf, type Shape, schema } from '#api/shared/openapi/shape.js';
import { INFO, JUDGEMENT, STATUS_VALUE } from './metric-data.js';

const THRESHOLD_MARK = schema({ type: 'boolean', const: true, description: 'with `view=details`: a threshold decided' });

export const CHANGE = component(
  'StatusChange',
  { timestamp: 'instant', value: STATUS_VALUE, 'affected_by_threshold_rule?': THRESHOLD_MARK },
  'A status, and from when on it holds; the last one closes the timeline',
);
export const CHANGE_OF_METRIC = component('StatusChangeOfMetric', {
  timestamp: 'instant',
  value: doc(STATUS_VALUE, 'may be empty where it is that of the day before'),
  ...JUDGEMENT,
});

const METRIC = component('StatusMetricTimeline', { name: 'text', statuses: [CHANGE_OF_METRIC] });
const ENDPOINT = component('StatusEndpointTimeline', { name: doc('text', 'host name'), 'info?': INFO, statuses: [CHANGE] });
const MONITORED = component('StatusMonitoredEndpoint', { name: doc('text', 'host name'), 'info?': INFO, metrics: [METRIC] });
const SERVICE_TYPE = oneOf('service');
const GROUP_TYPE = doc('text', 'type of the endpoint groups of the report');

/** Services, and what is below them. */
const servicesOf = (name: string, members: Readonly<Record<string, Shape>>): Shape =>
  component(name, { name: 'text', type: SERVICE_TYPE, ...members });

/** Endpoint groups, and what is below them. */
const groupsOf = (name: string, members: Readonly<Record<string, Shape>>): Shape =>
  component(name, { groups: [component(`${name}Item`, { name: 'text', type: GROUP_TYPE, ...members })] });

const GROUPS = groupsOf('StatusGroupTimelines', { statuses: [CHANGE] });
const SERVICES = groupsOf('StatusServiceTimelines', { services: [servicesOf('StatusServiceTimeline', { statuses: [CHANGE] })] });
const ENDPOINTS = groupsOf('StatusEndpointTimelines', { services: [servicesOf('StatusServiceWithEndpoints', { endpoints: [ENDPOINT] })] });
const METRICS = groupsOf('StatusMetricTimelines', { services: [servicesOf('StatusServiceWithMetrics', { endpoints: [MONITORED] })] });

/** A page of a list without levels. */
const paged = (name: string, member: string, item: Shape): Shape =>
  component(name, {
    [member]: [item],
    'nextPageToken?': doc('text', 'left out on the last page'),
    'pageSize?': doc('integer', 'as it was asked for'),
  });
export const FLAT = paged(
  'StatusReportEndpointTimelines',
  'endpoints',
  component('StatusReportEndpointTimeline', {
    name: doc('text', 'host name'),
    service: 'text',
    supergroup: doc('text', 'endpoint group'),
    'info?': INFO,
    statuses: [CHANGE],
  }),
);
export const FLAT_METRIC = paged(
  'StatusReportMetricTimelines',
  'endpoint_metrics',
  component('StatusReportMetricTimeline', {
    name: doc('text', 'host name'),
    service: 'text',
    supergroup: doc('text', 'endpoint group'),
    metric: 'text',
    'info?': INFO,
    statuses: [CHANGE_OF_METRIC],
  }),
);

export const WITH_ENDPOINTS = component(
  'StatusGroupTimelinesV3',
  {
    groups: nullable([
      {
        name: 'text',
        type: GROUP_TYPE,
        statuses: [CHANGE],
        endpoints: [{ hostname: 'text', service: 'text', 'info?': INFO, statuses: [CHANGE] }],
      },
    ]),
  },
  'extended contract 14',
);
export const OF_RESOURCE = component(
  'StatusResourceTimelinesV3',
  {
    id: doc('text', '`info.ID` of the endpoints'),
    endpoints: [{ hostname: 'text', service: 'text', group: 'text', 'info?': INFO, statuses: [CHANGE] }],
  },
  'extended contract 14',
);

export const CHANGES = [
  { timestamp: '2026-03-01T00:00:00Z', value: 'OK' },
  { timestamp: '2026-03-01T23:59:59Z', value: 'OK' },
];
export const SITE = { name: 'SITE-A', type: 'SITES' };
const WEB = { name: 'web', type: 'service' };
export const HOST = { name: 'web.example.org', info: { URL: 'https://web.example.org' } };

const described = (shape: Shape, example: object): Readonly<{ answers: Answers }> => ({ answers: { 200: answer(shape, example) } });
export const groups = described(GROUPS, { groups: [{ ...SITE, statuses: CHANGES }] });
export const services = described(SERVICES, { groups: [{ ...SITE, services: [{ ...WEB, statuses: CHANGES }] }] });
export const endpoints = described(ENDPOINTS, {
  groups: [{ ...SITE, services: [{ ...WEB, endpoints: [{ ...HOST, statuses: CHANGES }] }] }],
});
export const metrics = described(METRICS, {
  groups: [{ ...SITE, services: [{ ...WEB, endpoints: [{ ...HOST, metrics: [{ name: 'http', statuses: CHANGES }] }] }] }],
});

export const FOUND = { name: HOST.name, service: 'web', supergroup: 'SITE-A' };
