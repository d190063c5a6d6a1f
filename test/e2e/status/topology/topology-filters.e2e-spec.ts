import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { listOf } from '#test/e2e/status/contract.js';
import { agreeWith, expectJson, newTenant, queryFoundNothing, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { recordsOf } from '#test/support/status-client.js';
import { endpoint, group, hosts, serviceType } from './topology-items.js';

const scene = serving(embedded);

describe('topology lists', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    await tenant.post('/topology/endpoints', scopes);
    await tenant.post('/topology/groups', [group('S1', { tags: { k: 'v' } }), group('S2', { group: 'NGI-B' }), group('T1', { type: 'X' })]);
  });
  const scopes = [
    endpoint('a1', { tags: { scope: 'EGI', level: '1' }, type: 'SITES' }),
    endpoint('a2', { tags: { scope: 'EGI, Local' }, service: 'db' }),
    endpoint('b1', { group: 'SITE-B', tags: { scope: 'Local', level: '2' } }),
    endpoint('b.2', { group: 'SITE-B', type: 'SERVICEGROUPS' }),
  ];

  it.each([
    ['group=SITE*', ['a1', 'a2', 'b1', 'b.2']],
    ['group=*A&group=nowhere', ['a1', 'a2']],
    ['group=~SITE-A&group=SITE-A', ['a1', 'a2']],
    ['group=SITE-A&service=db', ['a2']],
    ['service=web&type=SITES', ['a1', 'b1']],
    ['hostname=b.*', ['b.2']],
    ['hostname=b%2B', []],
    ['subgroup=nowhere', ['a1', 'a2', 'b1', 'b.2']],
    ['tags=scope:*Local*,level:2', ['b1']],
  ])('endpoints?%s', async (query, expected) => {
    expect((await hosts(tenant, query)).toSorted()).toEqual(expected.toSorted());
  });
  it.each([
    ['subgroup=S*', ['S1', 'S2']],
    ['tags=k:v', ['S1']],
    ['service=nowhere', ['S1', 'S2', 'T1']],
  ])('groups?%s', async (query, expected) => {
    expect(
      recordsOf(await tenant.get(`/topology/groups?${query}`))
        .map(({ subgroup }) => String(subgroup))
        .toSorted(),
    ).toEqual(expected.toSorted());
  });
});

describe('combined topology lists', () => {
  it('are those of the tenants of the data feed too, with their names', async () => {
    const [tenant, second, third] = [await newTenant(scene.status), await newTenant(scene.status), await newTenant(scene.status)];
    await second.post('/topology/endpoints?date=2020-01-01', [endpoint('second')]);
    await second.post('/topology/service-types?date=2020-01-01', [serviceType('second')]);
    await third.post('/topology/endpoints?date=2020-02-01', [endpoint('third', { group: 'SITE-X' })]);
    expectJson(await tenant.get('/topology/endpoints?mode=combined'), 404, queryFoundNothing);
    expectJson(await tenant.get('/topology/service-types?mode=combined'), 404, queryFoundNothing);
    for (const one of [second, third]) await agreeWith(one, tenant);
    await tenant.put('/feeds/data', { tenants: [third.name, second.name] });

    expectJson(await tenant.get('/topology/endpoints?mode=combined'), 404, queryFoundNothing);
    const ofSecond = { date: '2020-01-01', ...serviceType('second'), tenant: second.name };
    expectJson(await tenant.get('/topology/service-types?mode=combined'), 200, listOf(ofSecond));
    expectJson(await tenant.get('/topology/service-types'), 404, queryFoundNothing);

    await tenant.post('/topology/endpoints?date=2020-01-15', [endpoint('own')]);
    const own = { date: '2020-01-15', ...endpoint('own'), tags: null };
    const others = [
      { date: '2020-02-01', ...endpoint('third', { group: 'SITE-X' }), tags: null, tenant: third.name },
      { date: '2020-01-01', ...endpoint('second'), tags: null, tenant: second.name },
    ];
    expectJson(await tenant.get('/topology/endpoints?mode=combined'), 200, listOf(own, ...others));
    expectJson(await tenant.get('/topology/endpoints?mode=combined&date=2020-01-20'), 200, listOf(own, others[1]));
    expectJson(await tenant.get('/topology/endpoints?mode=combined&group=SITE-X'), 200, listOf(others[0]));
    for (const query of ['', '?mode=other', '?mode=']) expectJson(await tenant.get(`/topology/endpoints${query}`), 200, listOf(own));
    expect(recordsOf(await second.get('/topology/endpoints?mode=combined'))).toHaveLength(1);
  });

  it('forget a deleted tenant', async () => {
    const [tenant, other] = [await newTenant(scene.status), await newTenant(scene.status)];
    await other.post('/topology/groups', [group('other')]);
    await tenant.post('/topology/groups', [group('own')]);
    await agreeWith(other, tenant);
    await tenant.put('/feeds/data', { tenants: [other.name] });
    expect(recordsOf(await tenant.get('/topology/groups?mode=combined'))).toHaveLength(2);
    expect((await scene.status.delete(`/admin/tenants/${other.id}`, { key: ADMIN })).status).toBe(200);
    expect(recordsOf(await tenant.get('/topology/groups?mode=combined'))).toHaveLength(1);
  });
});
