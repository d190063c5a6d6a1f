import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { at, point, unprocessable } from '#test/e2e/status/metric-data/metric-points.js';
import { endpoint, group } from '#test/e2e/status/topology/topology-items.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf } from '#test/support/status-client.js';
import { listOf } from './contract.js';
import { expectJson, newTenant, type TestTenant } from './extended-contract.js';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const nested = (levels: number, bottom = '{}'): string => `${'{"a":'.repeat(levels - 1)}${bottom}${'}'.repeat(levels - 1)}`;
const groups = (count: number) => times(count, (index) => ({ name: `${index}`, value: index }));

/** Calls that exceed a limit, each with the details of its answer. */
const TOO_MUCH: readonly (readonly [what: string, method: 'post' | 'put', path: string, body: unknown, details: string])[] = [
  [
    'weights',
    'post',
    '/weights',
    { name: '<'.repeat(1_000_000), group_type: '<'.repeat(1_000_000) },
    'A record takes more than 5,242,880 bytes in an answer',
  ],
  [
    'states',
    'post',
    '/operations_profiles',
    { available_states: times(1_001, String) },
    'The field available_states has more than 1,000 states',
  ],
  ['schema levels', 'post', '/reports', `{"topology_schema":${nested(33)}}`, 'The topology_schema has more than 32 levels'],
  [
    'schema bytes',
    'post',
    '/reports',
    `{"topology_schema":${nested(30, `{"a":[${'1,'.repeat(2_000)}1]}`)}}`,
    'The topology_schema takes more than 65,536 bytes in an answer',
  ],
  ['a report', 'post', '/reports', { info: { description: '<'.repeat(50_000) } }, 'The report takes more than 262,144 bytes in an answer'],
  ['profiles', 'post', '/reports', { profiles: times(101, () => ({ type: 'metric' })) }, 'The report refers to more than 100 profiles'],
  ['trends', 'post', '/reports', { computations: { trends: times(101, () => 'tags') } }, 'The report has more than 100 names of trends'],
  ['patterns', 'post', '/reports', { filter_tags: times(101, () => ({ value: '*' })) }, 'The filter has more than 100 patterns'],
  ['a request', 'post', '/recomputations', { exclude: times(30_000, String) }, 'The request takes more than 262,144 bytes in an answer'],
  ['a feed', 'put', '/feeds/weights', { feed_url: 'x'.repeat(70_000) }, 'The feed takes more than 65,536 bytes in an answer'],
  ['tenants of a feed', 'put', '/feeds/data', { tenants: times(101, () => 'x') }, 'The feed names more than 100 tenants'],
  ['items', 'post', '/topology/endpoints', `[${'{},'.repeat(200_000)}{}]`, 'The list has more than 200,000 items'],
  [
    'an item',
    'post',
    '/topology/groups',
    [{ tags: { a: '<'.repeat(11_000) } }],
    'An item of the list takes more than 65,536 bytes in an answer',
  ],
  [
    'a downtime',
    'post',
    '/downtimes',
    { endpoints: [{ description: '<'.repeat(11_000) }] },
    'An item of the list takes more than 65,536 bytes in an answer',
  ],
  [
    'a result',
    'post',
    '/metric_data',
    [point('r', { message: '<'.repeat(800_000) })],
    'A result takes more than 4,194,304 bytes in an answer',
  ],
];

/** The answers to reads of all that the calls above write. */
const shownOf = async (tenant: TestTenant): Promise<readonly string[]> => {
  const paths = ['/weights', '/operations_profiles', '/reports', '/recomputations', '/feeds/weights', '/feeds/data', '/topology/endpoints'];
  const more = ['/topology/groups', '/downtimes', `/metric_result/h1?exec_time=${at('12:00:00')}`];
  const shown: string[] = [];
  for (const path of [...paths, ...more]) shown.push((await tenant.get(path)).text);
  return shown;
};

describe('limits of the status service', () => {
  const scene = serving(embedded);

  it.each(TOO_MUCH)('are named in the answer to a call that exceeds them: %s', async (_what, method, path, body, details) => {
    const [tenant, neighbour] = [await newTenant(scene.status), await newTenant(scene.status)];
    const before = await shownOf(tenant);
    expectJson(await tenant[method](path, body), 422, unprocessable(details));
    expect(await shownOf(tenant)).toEqual(before);
    expectJson(await neighbour.get('/reports'), 200, listOf());
    expect((await scene.root.get('/health/ready')).status).toBe(200);
  });

  it('hold for updates as well, which change nothing then', async () => {
    const tenant = await newTenant(scene.status);
    const id = idOf(await tenant.post('/reports', { info: { name: 'kept' } }));
    const before = (await tenant.get(`/reports/${id}`)).text;
    const answer = await tenant.put(`/reports/${id}`, `{"topology_schema":${nested(900, `{"a":[${'1,'.repeat(40_000)}1]}`)}}`);
    expectJson(answer, 422, unprocessable('The topology_schema has more than 32 levels'));
    expect((await tenant.get(`/reports/${id}`)).text).toBe(before);
    const weights = idOf(await tenant.post('/weights', { name: 'kept', groups: groups(3) }));
    const large = { name: '<'.repeat(1_000_000), group_type: '<'.repeat(1_000_000) };
    expect((await tenant.put(`/weights/${weights}`, large)).status).toBe(422);
    expect(recordsOf(await tenant.get(`/weights/${weights}`))[0]?.name).toBe('kept');
  });

  it('hold for what administrators write', async () => {
    const { id } = await newTenant(scene.status);
    const call = (method: 'post' | 'put', path: string, body: unknown) => scene.status[method](`/admin${path}`, { key: ADMIN, body });
    const users = times(1_001, (index) => ({ name: `${index}`, api_key: `key-${id}-${index}` }));
    for (const [answer, details] of [
      [await call('post', '/tenants', { info: { name: 'many' }, users }), 'The tenant would have more than 1,000 users'],
      [
        await call('put', `/tenants/${id}`, { info: { name: '<'.repeat(180_000) } }),
        'The tenant takes more than 1,048,576 bytes in an answer',
      ],
      [
        await call('post', `/tenants/${id}/users`, { name: '<'.repeat(180_000) }),
        'The tenant takes more than 1,048,576 bytes in an answer',
      ],
      [
        await call('put', `/tenants/${id}/status`, { last_check: '<'.repeat(50_000) }),
        'The status takes more than 262,144 bytes in an answer',
      ],
      [
        await call(
          'put',
          '/metrics',
          times(100_000, (index) => ({ name: `${index}` })),
        ),
        'The list takes more than 4,194,304 bytes in an answer',
      ],
    ] as const)
      expectJson(answer, 422, unprocessable(details));
  });

  it('hold for the patterns of a filter, and for what a report makes of two lists', async () => {
    const tenant = await newTenant(scene.status);
    const patterns = `/topology/endpoints?${'group=a*&'.repeat(101)}`;
    expectJson(await tenant.get(patterns), 422, unprocessable('The filter has more than 100 patterns'));
    await tenant.post(
      '/topology/endpoints',
      times(1_100, (index) => endpoint(`h${index}`, { type: '' })),
    );
    await tenant.post(
      '/topology/groups',
      times(1_000, () => group('SITE-A', { type: '' })),
    );
    await tenant.post('/reports', { info: { name: 'all' } });
    const answer = await tenant.get('/topology/endpoints/by_report/all');
    expectJson(answer, 422, unprocessable('The answer would have more than 1,000,000 items'));
  });

  it('are not reached by the sizes that callers have', async () => {
    const tenant = await newTenant(scene.status);
    expect((await tenant.post('/weights', { name: 'w', groups: groups(60_000) })).status).toBe(201);
    const items = times(100_000, (index) =>
      endpoint(`host-${index}.example.org`, { tags: { scope: 'EGI', url: `https://host-${index}` } }),
    );
    const created = await tenant.post('/topology/endpoints', items);
    expect([created.status, created.text]).toEqual([201, expect.stringContaining('Topology of 100000 endpoints created')]);
    expect(recordsOf(await tenant.get('/topology/endpoints?hostname=*-9999*'))).toHaveLength(11);
    expect(recordsOf(await tenant.get('/topology/endpoints')).map(({ hostname }) => hostname)).toEqual(
      items.map(({ hostname }) => hostname),
    );
  });
});
