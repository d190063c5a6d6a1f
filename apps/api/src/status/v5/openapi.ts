import { type Component, component, nullable, oneOf, type Shape } from '#api/shared/openapi/shape.js';
import { shownOf } from '#api/status/openapi/envelopes.js';
import { HOST, INFO, JUDGEMENT, SITE, STATUS_VALUE, WEB } from '#api/status/openapi/statuses.js';
import { item, PERIOD, resultsOf } from '#api/status/results/openapi.js';
import { CHANGE, CHANGE_OF_METRIC } from '#api/status/timelines/openapi.js';

const DAY = { timestamp: '2026-03-01', availability: 98.26, reliability: 99.1, unknown: 0, uptime: 0.98, downtime: 0.01 };
const CHANGES = [{ timestamp: '2026-03-01T00:00:00Z', value: 'OK' }];
const siteWith = (...types: readonly object[]): object => ({ ...SITE, 'service-types': types });

const MEANS = { 'timestamp?': PERIOD, availability: 'number', reliability: 'number' } as const;
const FIGURES = component('StatusFiguresV5', { ...MEANS, unknown: 'number', uptime: 'number', downtime: 'number' });

export const SUPERGROUP_RESULTS_V5 = resultsOf(
  'StatusSupergroupResultsV5',
  item('StatusSupergroupResultV5', { results: [component('StatusSupergroupFiguresV5', MEANS)] }),
).shownAs({
  results: [{ name: 'NGI-A', type: 'NGI', results: [{ timestamp: '2026-03-01', availability: 98.26, reliability: 99.1 }] }],
});
export const GROUP_RESULTS_V5 = resultsOf(
  'StatusGroupResultsV5',
  item('StatusGroupsOfSupergroupV5', { groups: [item('StatusGroupResultV5', { results: [FIGURES] })] }),
).shownAs({ results: [{ name: 'NGI-A', type: 'NGI', groups: [{ ...SITE, results: [DAY] }] }] });
export const SERVICE_TYPE_RESULTS_V5 = resultsOf(
  'StatusServiceTypeResultsV5',
  item('StatusGroupWithServiceTypesV5', { 'service-types': [item('StatusServiceTypeResultV5', { results: [FIGURES] }, oneOf('service'))] }),
).shownAs({ results: [siteWith({ ...WEB, results: [DAY] })] });
const ENDPOINT = item('StatusEndpointResultV5', { 'info?': INFO, results: [FIGURES] }, oneOf('endpoint'));
export const ENDPOINT_RESULTS_V5 = resultsOf(
  'StatusEndpointResultsV5',
  item('StatusGroupWithEndpointsV5', {
    'service-types': [item('StatusServiceTypeWithEndpointsV5', { endpoints: [ENDPOINT] }, oneOf('service'))],
  }),
).shownAs({ results: [siteWith({ ...WEB, endpoints: [{ ...HOST, type: 'endpoint', results: [DAY] }] })] });

/** Endpoint groups with their statuses or the levels below them; `null` if there are none. */
const timelinesOf = (name: string, members: Readonly<Record<string, Shape>>): Component =>
  component(name, { groups: nullable([item(`${name}Item`, members)]) });
const typesOf = (name: string, members: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> => ({
  'service-types': [item(name, members, oneOf('service'))],
});

export const GROUP_TIMELINES_V5 = timelinesOf('StatusGroupTimelinesV5', { statuses: [CHANGE] }).shownAs({
  groups: [{ ...SITE, statuses: CHANGES }],
});
export const SERVICE_TYPE_TIMELINES_V5 = timelinesOf(
  'StatusServiceTypeTimelinesV5',
  typesOf('StatusServiceTypeTimelineV5', { statuses: [CHANGE] }),
).shownAs({ groups: [siteWith({ ...WEB, statuses: CHANGES })] });
export const ENDPOINT_TIMELINES_V5 = timelinesOf(
  'StatusEndpointTimelinesV5',
  typesOf('StatusServiceTypeWithEndpointTimelinesV5', { endpoints: [{ name: 'text', 'info?': INFO, statuses: [CHANGE] }] }),
).shownAs({ groups: [siteWith({ ...WEB, endpoints: [{ ...HOST, statuses: CHANGES }] })] });
export const METRIC_TIMELINES_V5 = timelinesOf(
  'StatusMetricTimelinesV5',
  typesOf('StatusServiceTypeWithMetricsV5', {
    endpoints: [{ name: 'text', 'info?': INFO, metrics: [{ name: 'text', statuses: [CHANGE_OF_METRIC] }] }],
  }),
).shownAs({
  groups: [siteWith({ ...WEB, endpoints: [{ ...HOST, metrics: [{ name: 'http', statuses: CHANGES }] }] })],
});
export const METRIC_DETAILS_V5 = shownOf('StatusMetricDetailsV5', {
  timestamp: ['instant', '2026-03-01T07:30:00Z'],
  group: ['text', 'SITE-A'],
  hostname: ['text', HOST.name],
  service_type: ['text', 'web'],
  metric: ['text', 'http'],
  status: [STATUS_VALUE, 'OK'],
  summary: ['text', 'fine'],
  message: ['text', '200 in 31 ms'],
  'info?': [INFO],
  'actual_data?': [JUDGEMENT['actual_data?']],
  'threshold_rule_applied?': ['text'],
  'original_status?': [JUDGEMENT['original_status?']],
});
