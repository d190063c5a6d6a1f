import { type Component, component, nullable, oneOf, type Shape } from '#api/shared/openapi/shape.js';
import { shownOf } from '#api/status/openapi/envelopes.js';
import { HOST, INFO, JUDGEMENT, SITE, STATUS_VALUE, WEB } from '#api/status/openapi/statuses.js';
import { item } from '#api/status/results/openapi.js';
import { CHANGE, CHANGE_OF_METRIC } from './openapi.js';

const CHANGES = [{ timestamp: '2026-03-01T00:00:00Z', value: 'OK' }];
const siteWith = (...types: readonly object[]): object => ({ ...SITE, 'service-types': types });

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
