import { describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { badDate, listOf } from '#test/e2e/status/contract.js';
import {
  agreeWith,
  emsg,
  expectJson,
  newTenant,
  queryFoundNothing,
  type TestTenant,
  UNDER_XML,
} from '#test/e2e/status/extended-contract.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { embedded } from '#test/support/deployments.js';
import { idOf, recordsOf } from '#test/support/status-client.js';

const schema = { group: { type: 'PROJECT', group: { type: 'SITES' } } };
const group = (name: string, subgroup: string, members: object = {}) => ({ group: name, type: 'PROJECT', subgroup, ...members });
const endpoint = (name: string, hostname: string, members: object = {}) => ({
  group: name,
  type: 'SITES',
  service: 'web',
  hostname,
  ...members,
});
const tag = (context: string, name: string, value: string) => ({ context, name, value });

const createReport = async (tenant: TestTenant, name: string, filter_tags: readonly object[] = [], members: object = {}) =>
  idOf(await tenant.post('/reports', { info: { name }, topology_schema: schema, profiles: [], filter_tags, ...members }));

const subgroups = async (tenant: TestTenant, query = '') =>
  recordsOf(await tenant.get(`/topology/groups/by_report/r${query}`)).map(({ subgroup }) => subgroup);
const hosts = async (tenant: TestTenant, query = '') =>
  recordsOf(await tenant.get(`/topology/endpoints/by_report/r${query}`)).map(({ hostname }) => hostname);

const DAY = '2020-03-01';
const groups = [
  group('NGI-A', 'S1', { tags: { infra: 'one, two', scope: 'EGI' } }),
  group('NGI-B', 'S2', { tags: { scope: 'Local' } }),
  group('NGI-B', 'S1'),
  group('X', 'S3', { type: 'OTHER' }),
];
const endpoints = [
  endpoint('S2', 'h2', { service: 'db' }),
  endpoint('S1', 'h1a', { tags: { production: '1' } }),
  endpoint('S3', 'h3'),
  endpoint('S1', 'h1b', { tags: { production: '0', list: 'x, yz' } }),
  endpoint('S1', 'other', { type: 'SERVICEGROUPS' }),
];

const scene = serving(embedded);

describe('topology of a report', () => {
  const tenantWith = async (...filterTags: readonly object[]) => {
    const tenant = await newTenant(scene.status);
    await tenant.post(`/topology/groups?date=${DAY}`, groups);
    await tenant.post(`/topology/endpoints?date=${DAY}`, endpoints);
    await createReport(tenant, 'r', filterTags);
    return tenant;
  };

  it('has the groups of the first type of its schema, and their endpoints of the second, once for each group', async () => {
    const tenant = await tenantWith();
    const shown = (item: object) => ({ date: DAY, ...item, ...('tags' in item ? {} : { tags: null }) });
    const [first, second, third] = groups;
    expectJson(
      await tenant.get('/topology/groups/by_report/r'),
      200,
      listOf(
        ...[first, second, third].map((item) => ({
          ...shown({ ...item, tags: undefined }),
          tags: item && 'tags' in item ? item.tags : null,
        })),
      ),
    );
    expect(await hosts(tenant)).toEqual(['h1a', 'h1b', 'h2', 'h1a', 'h1b']);
    expect(recordsOf(await tenant.get('/topology/endpoints/by_report/r'))[2]).toEqual(shown({ ...endpoints[0] }));
  });

  it.each([
    [[tag('argo.group.filter.fields', 'group', 'NGI-B')], ['S2', 'S1'], ['h2', 'h1a', 'h1b']],
    [[tag('argo.group.filter.fields', 'type', 'OTHER')], ['S3'], ['h3']],
    [[tag('argo.group.filter.tags', 'scope', 'EGI')], ['S1'], ['h1a', 'h1b']],
    [[tag('argo.group.filter.tags.array', 'infra', 'two, three')], ['S1'], ['h1a', 'h1b']],
    [[tag('argo.endpoint.filter.fields', 'hostname', '*a')], ['S1', 'S2', 'S1'], ['h1a', 'h1a']],
    [[tag('argo.endpoint.filter.fields', 'type', 'SERVICEGROUPS')], ['S1', 'S2', 'S1'], ['other', 'other']],
    [[tag('argo.endpoint.filter.fields', 'service', 'db')], ['S1', 'S2', 'S1'], ['h2']],
    [[tag('argo.endpoint.filter.tags', 'production', '1')], ['S1', 'S2', 'S1'], ['h1a', 'h1a']],
    [[tag('argo.endpoint.filter.tags.array', 'list', 'z')], ['S1', 'S2', 'S1'], ['h1b', 'h1b']],
    [[tag('argo.endpoint.filter.fields', 'group', 'nowhere')], ['S1', 'S2', 'S1'], []],
  ])('with the filter tags %j', async (filterTags, expectedSubgroups, expectedHosts) => {
    const tenant = await tenantWith(...filterTags);
    expect(await subgroups(tenant)).toEqual(expectedSubgroups);
    expect(await hosts(tenant)).toEqual(expectedHosts);
  });

  it('without groups: none found, and no endpoints', async () => {
    const tenant = await tenantWith(tag('argo.group.filter.fields', 'group', 'nowhere'));
    expectJson(await tenant.get('/topology/groups/by_report/r'), 404, queryFoundNothing);
    expectJson(await tenant.get('/topology/endpoints/by_report/r'), 200, listOf());
    expectJson(await tenant.get('/topology/groups/by_report/r?date=2020-02-01'), 404, queryFoundNothing);
    expectJson(await tenant.get('/topology/endpoints/by_report/r?date=2020-02-01'), 200, listOf());
  });

  it('takes the endpoints of the very day of the groups', async () => {
    const tenant = await tenantWith();
    await tenant.post('/topology/endpoints?date=2020-03-05', [endpoint('S1', 'later')]);
    expect(await hosts(tenant, '?date=2020-03-10')).toEqual(['h1a', 'h1b', 'h2', 'h1a', 'h1b']);
    await tenant.post('/topology/groups?date=2020-03-08', groups);
    expect(await hosts(tenant, '?date=2020-03-10')).toEqual([]);
    expect(await hosts(tenant, '?date=2020-03-07')).toHaveLength(5);
  });

  it('is combined from several tenants', async () => {
    const tenant = await tenantWith();
    const other = await newTenant(scene.status);
    await other.post('/topology/groups?date=2020-02-01', [group('N', 'S9'), group('N', 'S8', { type: 'OTHER' })]);
    await other.post('/topology/endpoints?date=2020-02-01', [endpoint('S9', 'theirs'), endpoint('S8', 'not')]);
    await agreeWith(other, tenant);
    await tenant.put('/feeds/data', { tenants: [other.name] });
    const [groupsAnswer, endpointsAnswer] = [
      await tenant.get('/topology/groups/by_report/r?mode=combined'),
      await tenant.get('/topology/endpoints/by_report/r?mode=combined'),
    ];
    const theirs = { date: '2020-02-01', tags: null, tenant: other.name };
    expect(recordsOf(groupsAnswer).slice(3)).toEqual([{ ...theirs, ...group('N', 'S9') }]);
    expect(recordsOf(endpointsAnswer).slice(5)).toEqual([{ ...theirs, ...endpoint('S9', 'theirs') }]);
    expect(await subgroups(tenant)).toHaveLength(3);
    // Without an own list of groups there is nothing to combine with.
    expectJson(await tenant.get('/topology/groups/by_report/r?mode=combined&date=2020-02-15'), 404, queryFoundNothing);
  });

  it('an unknown report comes before a bad day', async () => {
    const tenant = await tenantWith();
    for (const kind of ['groups', 'endpoints']) {
      const unknown = emsg(404, 'No report with name: R exists!');
      expectJson(await tenant.get(`/topology/${kind}/by_report/R?date=2020-02-30`), 404, unknown);
      expectJson(await tenant.get(`/topology/${kind}/by_report/R`, UNDER_XML), 404, unknown);
      expectJson(await tenant.get(`/topology/${kind}/by_report/r?date=x`), 400, badDate('x'));
    }
    const stranger = await newTenant(scene.status);
    expect((await stranger.get('/topology/groups/by_report/r')).status).toBe(404);
  });
});

describe('topology tags', () => {
  it('are listed by name with their distinct single values', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      expectJson(await tenant.get('/topology/tags'), 404, queryFoundNothing);
      await tenant.post('/topology/endpoints', [
        endpoint('a', 'h', { tags: { scope: 'EGI, Local', b: '2' } }),
        endpoint('a', 'i', { tags: { scope: 'Local,x', a: '' } }),
        endpoint('a', 'j', { tags: { scope: 'EGI', b: '10' } }),
        endpoint('a', 'k'),
      ]);
      expectJson(await tenant.get('/topology/tags'), 404, queryFoundNothing);
      await tenant.post('/topology/groups', [group('g', 's')]);
      const values = [
        { name: 'a', values: [''] },
        { name: 'b', values: ['10', '2'] },
        { name: 'scope', values: ['EGI', 'Local', 'Local,x'] },
      ];
      const expected = listOf({ name: 'endpoints', values }, { name: 'groups', values: [] });
      expectJson(await tenant.get('/topology/tags'), 200, expected);
      expectJson(await tenant.get(`/topology/tags?date=${today}`), 200, expected);
      expectJson(await tenant.get('/topology/tags?date=2000-01-01'), 404, queryFoundNothing);
      expectError(await tenant.get('/topology/tags?date=2020-02-30'), 'bad date');
    }));
});

describe('topology statistics', () => {
  const counts = (groupType: string, endpointGroupType: string) => ({
    status: { message: 'Success', code: '200' },
    data: {
      group_count: 0,
      group_type: groupType,
      group_list: [],
      endpoint_group_count: 0,
      endpoint_group_type: endpointGroupType,
      endpoint_group_list: [],
      service_count: 0,
      service_list: [],
    },
  });

  it('name the types of the report, and count nothing without results', async () => {
    const tenant = await newTenant(scene.status);
    await createReport(tenant, 'r');
    await createReport(tenant, 'bare', [], { topology_schema: {} });
    await createReport(tenant, 'one', [], { topology_schema: { group: { type: 'T' } } });
    expectJson(await tenant.get('/topology/stats/r'), 200, counts('PROJECT', 'SITES'));
    expectJson(await tenant.get('/topology/stats/r', UNDER_XML), 200, counts('PROJECT', 'SITES'));
    expectJson(await tenant.get('/topology/stats/bare'), 200, counts('group', 'endpoint_group'));
    expectJson(await tenant.get('/topology/stats/one'), 200, counts('T', 'T'));
    expectError(await tenant.get('/topology/stats/r?date=2020-02-30'), 'bad date');
    const text = 'The report with the name x<y does not exist';
    expectJson(await tenant.get('/topology/stats/x%3Cy'), 404, emsg(404, text));
    const underXml = await tenant.get('/topology/stats/x%3Cy', UNDER_XML);
    expect([underXml.text, underXml.headers.get('content-type')]).toEqual([
      `<root>\n <message>${text.replace('<', '&lt;')}</message>\n <code>404</code>\n</root>`,
      'application/xml; charset=utf-8',
    ]);
  });
});
