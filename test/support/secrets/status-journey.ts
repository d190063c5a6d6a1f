import { ADMIN } from '#test/support/deployments.js';
import type { HttpClient } from '#test/support/status-client.js';
import { callsOf, type Json, type Planted } from './calls.js';
import type { Markers } from './markers.js';

type Created = Readonly<{ data: Readonly<{ id: string }> }>;
const idIn = (json: Json): string => (json as Created).data.id;

const user = (markers: Markers, what: string) => ({
  name: markers.plant(`${what} name`),
  email: markers.email(`${what} email`),
  api_key: markers.plant(`${what} key`),
  roles: ['admin'],
});

const tenant = (markers: Markers, name: string, what: string) => ({
  info: { name, email: markers.email(`${what} email`), website: 'https://open.example.org' },
  topology: { type: 'GOCDB', feed: markers.url(`${what} feed`) },
  db_conf: [
    {
      store: 'main',
      server: 'db.example.org',
      port: 27_017,
      database: 'open',
      username: markers.plant(`${what} database user`),
      password: markers.plant(`${what} database password`),
    },
  ],
});

const recomputation = (markers: Markers, what: string) => ({
  requester_name: markers.plant(`${what} requester`),
  requester_email: markers.email(`${what} requester`),
  reason: 'power',
  start_time: '2015-01-10T12:00:00Z',
  end_time: '2015-01-30T23:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A'],
});

/** Everything a tenant has that is secret or personal, each of it written and then written again. */
const plantTenant = async (root: HttpClient, markers: Markers, name: string) => {
  const admin = callsOf(root, { 'x-api-key': ADMIN });
  const [first, second] = [user(markers, `${name} first user`), user(markers, `${name} second user`)];
  const id = idIn(await admin.call('POST', '/api/v2/admin/tenants', { ...tenant(markers, name, name), users: [first, second] }));
  const path = `/api/v2/admin/tenants/${id}`;
  await admin.call('PUT', path, { ...tenant(markers, name, `${name} revised`), users: [first, second] });
  const third = idIn(await admin.call('POST', `${path}/users`, user(markers, `${name} third user`)));
  await admin.call('PUT', `${path}/users/${third}`, user(markers, `${name} third user revised`));
  await admin.call('POST', `${path}/users/${third}/renew_api_key`);
  const { data } = (await admin.call('GET', `${path}/users`)) as { data: readonly Readonly<{ id: string; api_key: string }>[] };
  markers.keep(`renewed key of ${name}`, data.find((one) => one.id === third)?.api_key);

  const caller = { 'x-api-key': first.api_key };
  const { call } = callsOf(root, caller);
  for (const round of ['', ' revised']) {
    const feed = { type: 'gocdb', feed_url: markers.url(`${name} topology feed${round}`), paginated: 'true', fetch_type: ['a'] };
    await call('PUT', '/api/v2/feeds/topology', feed);
    const weights = { type: 'vapor', feed_url: markers.url(`${name} weights feed${round}`), weight_type: 'h', group_type: 's' };
    await call('PUT', '/api/v2/feeds/weights', weights);
  }
  const notifications = (what: string) => ({
    contacts: [markers.email(`${name} ${what}`), markers.email(`${name} ${what} two`)],
    enabled: true,
  });
  for (const date of ['2024-01-01', '2024-02-01']) {
    const endpoint = { group: 'SITE-A', type: 'SITES', service: 'web', hostname: 'open.example.org' };
    await call('POST', `/api/v2/topology/endpoints?date=${date}`, [
      endpoint,
      { ...endpoint, notifications: notifications('endpoint contact') },
    ]);
    const group = { group: 'NGI-A', type: 'PROJECT', subgroup: 'SITE-A', notifications: notifications('group contact') };
    await call('POST', `/api/v2/topology/groups?date=${date}`, [group]);
  }
  const requested: string[] = [];
  for (const what of ['request', 'request to be deleted']) {
    requested.push(idIn(await call('POST', '/api/v2/recomputations', recomputation(markers, `${name} ${what}`))));
    await call('PUT', `/api/v2/recomputations/${requested.at(-1)}`, recomputation(markers, `${name} ${what} revised`));
  }
  await call('POST', `/api/v2/recomputations/${requested[0]}/status`, { status: 'approved' });
  return { id, path, caller, admin, call, third, requested };
};

/** Two tenants, of which one is to be deleted; of the other a user, a topology and a recomputation. */
export const plantStatus = async (root: HttpClient, markers: Markers): Promise<Planted> => {
  const [staying, going] = [await plantTenant(root, markers, 'STAYING'), await plantTenant(root, markers, 'GOING')];
  const shown = [
    'topology/endpoints',
    'topology/groups',
    'feeds/topology',
    'feeds/weights',
    'recomputations',
    `recomputations/${staying.requested[0]}`,
  ];
  return {
    shown: [
      [{ 'x-api-key': ADMIN }, '/api/v2/admin/tenants'],
      [{ 'x-api-key': ADMIN }, `${staying.path}/users`],
      ...shown.map((path) => [staying.caller, `/api/v2/${path}`] as const),
    ],
    remove: async () => {
      await staying.admin.call('DELETE', `${staying.path}/users/${staying.third}`);
      await staying.call('DELETE', `/api/v2/recomputations/${staying.requested[1]}`);
      await staying.call('DELETE', '/api/v2/topology/groups?date=2024-01-01');
      await staying.admin.call('DELETE', going.path);
    },
    forgotten: [
      `tenant-${going.id}`,
      `user-${going.third}`,
      `user-${staying.third}`,
      `recomputation-${staying.requested[1]}`,
      ...going.requested.map((id) => `recomputation-${id}`),
    ],
    kept: [`tenant-${staying.id}`, `recomputation-${staying.requested[0]}`],
  };
};
