import type { TestTenant } from '#test/e2e/status/extended-contract.js';
import { recordsOf } from '#test/support/status-client.js';

/** Items of topology lists as they are sent. */
export const endpoint = (hostname: string, members: object = {}) => ({
  group: 'SITE-A',
  type: 'SITES',
  service: 'web',
  hostname,
  ...members,
});
export const group = (subgroup: string, members: object = {}) => ({ group: 'NGI-A', type: 'PROJECT', subgroup, ...members });
export const serviceType = (name: string) => ({ name, title: `T ${name}`, description: 'd' });

/** The host names of an endpoints call. */
export const hosts = async (tenant: TestTenant, query: string) =>
  recordsOf(await tenant.get(`/topology/endpoints?${query}`)).map(({ hostname }) => String(hostname));
