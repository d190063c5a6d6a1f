import { expect, it } from '@jest/globals';
import { boundText, monthBefore, totalsOf, withTotals } from './report.js';

it('totals of a provider are the sums of the service, without averages, whose sum means nothing', () => {
  const metric = (metric_type: string) => ({
    ...{ metric_definition_id: metric_type, metric_name: 'm', metric_description: null, unit_type: 'TB' },
    ...{ metric_type, total_value: 306 },
  });
  expect(totalsOf({ provider_id: 'hpc', aggregated_metrics: [metric('averaged'), metric('aggregated')] })).toEqual([
    { provider: 'hpc', metric: 'm', metricId: 'aggregated', unit: 'TB', total: 306 },
  ]);
});

it('a downloaded report ends with the totals by provider, in a column of their own: usage is summed once', () => {
  const head = 'project,provider,installation_id,metric_name,unit_type,from,to,total_value';
  const row = 'p,hpc,i,"cpu\r\nof ""all""",h,2026-01-10T00:00:00Z,2026-01-11T00:00:00Z,5.0';
  const csv = `${head}\r\n${row}\r\n`;
  const totals = [
    { provider: 'hpc', metricId: 'm', metric: 'cpu', unit: 'h', total: 5 },
    { provider: '=1', metricId: 'm', metric: 'cpu, all', unit: 'h', total: 7.25 },
  ];
  const asked = { project: 'p', from: '2026-01-01', to: '2026-03-31' };
  const period = '2026-01-01T00:00:00Z,2026-04-01T00:00:00Z';
  expect(withTotals(csv, totals, asked)).toBe(
    `${head},total_of_periods\r\n${row},\r\np,hpc,,cpu,h,${period},,5\r\np,'=1,,"cpu, all",h,${period},,7.25\r\n`,
  );
  expect(withTotals(csv, [], asked)).toBe(csv);
});

it('the month before a day begins in that month', () => {
  const days = ['2026-03-31', '2026-05-31', '2024-03-30', '2026-01-15', '2026-07-31'];
  expect(days.map(monthBefore)).toEqual(['2026-02-28', '2026-04-30', '2024-02-29', '2025-12-15', '2026-06-30']);
});

it('a last day that the calendar does not have is left to the service to refuse', () => {
  const of = (to: string) =>
    withTotals('from,to\r\n', [{ provider: '', metricId: '', metric: '', unit: '', total: 1 }], { project: '', from: '2026-04-01', to });
  expect(of('2026-04-31')).toContain('2026-04-31T00:00:00Z');
  expect(of('9999-12-31')).toContain('9999-12-31T00:00:00Z');
});

it('a period ends with its last day, or at its time', () => {
  expect(boundText('2026-11-01T00:00:00Z')).toBe('2026-11-01');
  expect(boundText('2026-12-01T00:00:00Z', true)).toBe('2026-11-30');
  expect(boundText('2026-11-30T06:30:00Z', true)).toBe('2026-11-30 06:30');
});
