import { FRACTION, PERIOD } from '#api/status/results/openapi.js';
import { CHANGE } from '#api/status/timelines/openapi.js';
import { component, doc, type Shape } from '#domain/shared/shape.js';

const results = <R>(result: R) => ({ data: [{ name: 'SITE-A', results: [result] }] });
const SUMMARY = results({ date: '2026-03-01', availability: '98.26', uptime: '0.98' });
const STATUS_SHOWN = results({ timestamp: '2026-03-01T00:00:00Z', value: 'OK' });
const NUMBERS = results({ date: '2026-03-01', availability: 98.26, reliability: 99.1, uptime: 0.98 });

const PERCENT = doc('text', 'a percentage as text');

/** Groups with their figures or statuses. */
const groupsOf4 = <const R extends Shape>(name: string, result: R) => component(name, { data: [{ name: 'text', results: [result] }] });

export const GROUP_SUMMARIES_V4 = groupsOf4(
  'StatusGroupSummariesV4',
  component('StatusSummaryV4', { 'date?': PERIOD, 'availability?': PERCENT, 'uptime?': FRACTION }),
).shownAs(SUMMARY);
export const GROUP_STATUSES_V4 = groupsOf4('StatusGroupStatusesV4', CHANGE).shownAs(STATUS_SHOWN);
export const MONITORING_METRICS_V4 = groupsOf4(
  'StatusMonitoringMetricsV4',
  component('StatusMonitoringFiguresV4', { 'date?': PERIOD, availability: 'number', reliability: 'number', 'uptime?': 'number' }),
).shownAs(NUMBERS);
