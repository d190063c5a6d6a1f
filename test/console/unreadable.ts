import type { Planted } from '#test/support/plant.js';

/** An event that a read model cannot apply: the partition of the tenant is set aside. */
export const unreadable = (tenantId: string): Planted => ({
  stream: `status.reports-${tenantId}`,
  type: 'ReportCreated',
  data: { id: 'bad', report: { id: 'bad', tenant: 'hurt', weight: '', disabled: false, topology_schema: '{"no":' } },
});
