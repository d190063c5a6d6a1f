import type { Planted } from '#test/support/plant.js';

const REPORT = {
  description: '',
  weight: '',
  disabled: false,
  computations: { ar: true, status: true, trends: [] },
  profiles: [],
  filter_tags: [],
};

/** An event that a read model cannot apply: the partition of the tenant is set aside. */
export const unreadable = (tenantId: string): Planted => ({
  stream: `status.reports-${tenantId}`,
  type: 'ReportCreated',
  data: { id: 'bad', report: { name: 'bad', ...REPORT, topology_schema: '{"no":' } },
});
