import { expect, it } from '@jest/globals';
import { withTotals } from './report.js';

it('a downloaded report ends with the totals by provider, in its columns', () => {
  const csv =
    'project,provider,installation_id,metric_name,unit_type,from,to,total_value\r\np,hpc,i,cpu,h,2026-01-10T00:00:00Z,2026-01-11T00:00:00Z,5.0\r\n';
  const totals = [
    { provider: 'hpc', metricId: 'm', metric: 'cpu', unit: 'h', total: 5 },
    { provider: '=1', metricId: 'm', metric: 'cpu, all', unit: 'h', total: 7.25 },
  ];
  expect(withTotals(csv, totals, { project: 'p', from: '2026-01-01', to: '2026-03-31' })).toBe(
    `${csv}p,hpc,,cpu,h,2026-01-01T00:00:00Z,2026-04-01T00:00:00Z,5\r\np,'=1,,"cpu, all",h,2026-01-01T00:00:00Z,2026-04-01T00:00:00Z,7.25\r\n`,
  );
});
