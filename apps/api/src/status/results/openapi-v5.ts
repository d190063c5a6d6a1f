import { component, oneOf } from '#api/shared/openapi/shape.js';
import { HOST, INFO, SITE, WEB } from '#api/status/openapi/statuses.js';
import { item, PERIOD, resultsOf } from './openapi.js';

const DAY = { timestamp: '2026-03-01', availability: 98.26, reliability: 99.1, unknown: 0, uptime: 0.98, downtime: 0.01 };
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
