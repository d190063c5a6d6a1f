import { SYSTEM_ADMIN } from '#test/support/deployments.js';
import type { OidcIssuer } from '#test/support/oidc/oidc-issuer.js';
import { OIDC_TENANT } from '#test/support/oidc/oidc-tenant.js';
import { httpClient } from '#test/support/status-client.js';
import { callsOf, type Planted } from './calls.js';
import type { Markers } from './markers.js';

const PERIOD = { time_period_start: '2024-01-01T00:00:00Z', time_period_end: '2024-01-02T00:00:00Z', value: 3 };
const PROJECT = { acronym: 'a', title: 't', start_date: '2020-01-01', end_date: '2032-12-31', call_identifier: 'c' };

/** A client, OIDC tenants, and metrics in two projects, of which one is to be deleted with its installation. */
export const plantAccounting = async (base: string, issuer: OidcIssuer, markers: Markers): Promise<Planted> => {
  const json = { 'content-type': 'application/json' };
  const caller = { authorization: `Bearer ${SYSTEM_ADMIN}` };
  const http = httpClient(base, '/accounting-system');
  const admin = callsOf(http, { ...caller, ...json });
  const read = callsOf(http, caller);
  const claims = { sub: 'client-of-the-journey', name: markers.plant('client name'), email: markers.email('client email') };
  const token = markers.keep('access token of a client', await issuer.token(claims));
  await callsOf(http, { authorization: `Bearer ${token}` }).call('POST', '/clients');

  const oidcTenant = async (name: string): Promise<string> => {
    const secret = markers.plant(`${name} secret`);
    const made = await admin.call('POST', '/admin/oidc-tenants', {
      ...OIDC_TENANT,
      issuer: `https://${name}.example.org`,
      tenant_id: name,
      secret,
    });
    await admin.call('PATCH', `/admin/oidc-tenants/${made.id}`, { secret: markers.plant(`${name} secret revised`) });
    return String(made.id);
  };
  const [kept, dropped] = [await oidcTenant('kept-tenant'), await oidcTenant('dropped-tenant')];

  await admin.call('POST', '/providers', { id: 'provider', name: 'provider' });
  const definition = await admin.call('POST', '/metric-definitions', { metric_name: 'm', metric_type: 'count', unit_type: 'TB' });
  const measured = async (project: string): Promise<Readonly<{ installation: string; userId: string }>> => {
    await admin.call('POST', '/admin/projects', { id: project, ...PROJECT });
    await admin.call('POST', `/projects/${project}/associate/provider/provider`);
    const place = { project, organisation: 'provider', infrastructure: 'i', installation: `vm of ${project}` };
    const installation = String((await admin.call('POST', '/installations', place)).id);
    const metrics = `/installations/${installation}/metrics`;
    const record = async (what: string): Promise<Readonly<{ id: string; userId: string }>> => {
      const userId = markers.email(`${project} ${what}`);
      const body = { metric_definition_id: definition.metric_definition_id, ...PERIOD, user_id: userId, group_id: 'a group' };
      const made = await admin.call('POST', metrics, body);
      return { id: String(made.metric_id), userId };
    };
    const [stays, changes, goes] = [await record('user'), await record('user before'), await record('user of a removed metric')];
    await admin.call('PATCH', `${metrics}/${changes.id}`, { user_id: markers.email(`${project} user after`) });
    await read.call('DELETE', `${metrics}/${goes.id}`);
    return { installation, userId: stays.userId };
  };
  const [staying, going] = [await measured('staying'), await measured('going')];
  const ofUser = `/accounting-system/projects/staying/users/${encodeURIComponent(staying.userId)}`;
  return {
    shown: [
      '/accounting-system/admin/actors',
      `/accounting-system/installations/${staying.installation}/metrics`,
      `${ofUser}/metrics`,
      '/accounting-system/projects/staying/metrics',
    ].map((path) => [caller, path]),
    remove: async () => {
      await read.call('DELETE', '/admin/projects/going');
      await read.call('DELETE', `/admin/oidc-tenants/${dropped}`);
    },
    forgotten: [`installation-${going.installation}`, `oidc-tenant-${dropped}`],
    kept: [`installation-${staying.installation}`, `oidc-tenant-${kept}`],
  };
};
