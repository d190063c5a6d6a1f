import { beforeAll, describe, expect, it } from '@jest/globals';
import { PUBLIC_URL, records } from '#test/e2e/accounting/records.js';
import { accountingServing, entitlement, expectMessage, FORBIDDEN, pageIn } from '#test/e2e/accounting/serving.js';
import type { AccountingClient } from '#test/support/accounting/accounting-client.js';
import { embedded } from '#test/support/deployments.js';
import { EVERYTHING, filter, KINDS, query } from './searches.js';

type Json = Readonly<Record<string, unknown>>;

const OPEN = ['installations', 'metrics'];

describe('A search', () => {
  const scene = accountingServing(embedded, { LOGBOOK_PUBLIC_URL: PUBLIC_URL });
  const make = records(() => scene.admin);
  let installations: Json[] = [];
  let definitions: Readonly<Record<string, string>>[] = [];
  const metric = (installation: Json | undefined, definition: number, day: string, value: unknown, more: object = {}) =>
    scene.admin.post(`/installations/${installation?.id}/metrics`, {
      metric_definition_id: definitions[definition]?.metric_definition_id,
      time_period_start: `2024-03-${day}T00:00:00Z`,
      time_period_end: `2024-03-${day}T12:00:00.5Z`,
      value,
      ...more,
    });

  beforeAll(async () => {
    await scene.trustTokens();
    for (const id of ['alpha', 'beta']) await make.project(id);
    await make.provider('grnet', { name: 'GRNET (a+b)', abbreviation: 'GR', website: 'https://grnet.example' });
    await make.provider('sites', { name: 'Sites' });
    await make.provider('alone', { name: 'Alone' });
    for (const [project, provider] of [
      ['alpha', 'grnet'],
      ['alpha', 'sites'],
      ['beta', 'grnet'],
    ] as const)
      await make.associate(project, provider);
    await make.resource('disk');
    definitions = [
      await make.definition({ metric_name: 'used', metric_description: 'space', unit_type: 'TB' }),
      await make.definition({ metric_name: 'calls', unit_type: 'count', metric_type: 'aggregated' }),
    ];
    const unit_of_access = definitions[0]?.metric_definition_id;
    installations = [
      await make.installation('alpha', 'grnet', { installation: 'Athens.1', infrastructure: 'north', resource: 'disk', unit_of_access }),
      await make.installation('alpha', 'sites', { installation: 'athensX1', infrastructure: 'south' }),
      await make.installation('beta', 'grnet', { installation: 'Zagreb', infrastructure: 'north' }),
    ];
    const [one, two, three] = installations;
    await metric(one, 0, '01', 1000, { group_id: 'g', user_id: 'U' });
    await metric(two, 0, '02', 0.1);
    await metric(one, 1, '03', '9007199254740993', { group_id: 'G' });
    await metric(three, 0, '04', -5);
    await metric(two, 1, '05', 5);
    await metric(one, 0, '06', 1000.5);
  });

  const search = async (kind: string, body: unknown, client: AccountingClient = scene.admin, page = '') =>
    pageIn(await client.post(`/${kind}/search${page}`, body));
  const NAME: Readonly<Record<string, string>> = {
    installations: 'installation',
    providers: 'id',
    'metric-definitions': 'metric_name',
    metrics: 'time_period_start',
    projects: 'id',
  };
  const found = async (kind: string, body: unknown, client?: AccountingClient) => {
    const { content, total_elements } = await search(kind, body, client);
    expect(total_elements).toBe(content.length);
    return content.map((record) => (kind === 'metrics' ? Number(`${record.time_period_start}`.slice(8, 10)) : record[NAME[kind] ?? '']));
  };

  it.each<[unknown, readonly string[]]>([
    [query('installation', 'ATHENS.1'), ['Athens.1']],
    [query('organisation', 'grnet'), ['Athens.1', 'Zagreb']],
    [query('project', 'alpha'), ['Athens.1', 'athensX1']],
    [query('infrastructure', 'SOUTH'), ['athensX1']],
    [query('resource', 'disk'), ['Athens.1']],
    [query('resource', null), ['athensX1', 'Zagreb']],
    [query('unit_of_access', null), ['athensX1', 'Zagreb']],
    [filter('and', query('organisation', 'grnet'), filter('or', query('project', 'beta'), query('project', 'x'))), ['Zagreb']],
  ])('finds installations: %j', async (body, names) => expect(await found('installations', body)).toEqual(names));

  it.each(['_id', 'external_id', 'creatorId'])('finds an installation by its %s', async (field) => {
    const [one] = installations;
    const value = field === '_id' ? one?.id : field === 'external_id' ? one?.external_id : 'nobody';
    expect(await found('installations', query(field, value))).toEqual(field === 'creatorId' ? [] : ['Athens.1']);
    expect(await found('installations', query('unit_of_access', definitions[0]?.metric_definition_id))).toEqual([]);
  });

  it.each<[unknown, readonly string[]]>([
    [query('name', 'grnet (A+B)'), ['grnet']],
    [query('abbreviation', 'gr'), ['grnet']],
    [query('abbreviation', null), ['sites', 'alone']],
    [query('website', 'https://grnet.example'), ['grnet']],
    [query('_id', 'ALONE'), ['alone']],
    [query('logo', 'x', 'neq'), ['grnet', 'sites', 'alone']],
  ])('finds providers: %j', async (body, ids) => expect(await found('providers', body)).toEqual(ids));

  it.each<[unknown, readonly string[]]>([
    [query('metric_name', 'USED'), ['used']],
    [query('unit_type', 'tb'), ['used']],
    [query('metric_type', 'aggregated'), ['calls']],
    [query('metric_description', null), ['calls']],
    [query('metric_description', 'SPACE'), ['used']],
    [query('creatorId', 'nobody', 'neq'), ['used', 'calls']],
    [query('_id', null), []],
  ])('finds metric definitions: %j', async (body, names) => expect(await found('metric-definitions', body)).toEqual(names));

  it.each<[unknown, readonly string[]]>([
    [query('_id', 'alpha'), ['alpha']],
    [query('acronym', 'ACRONYM OF BETA'), ['beta']],
    [query('start_date', '2030-01-01', 'gt'), []],
    [EVERYTHING, ['alpha', 'beta']],
  ])('finds projects: %j', async (body, ids) => expect(await found('projects', body)).toEqual(ids));

  it.each<[unknown, readonly number[]]>([
    [EVERYTHING, [1, 2, 3, 5, 6, 4]],
    [query('value', 1000), [1]],
    [query('value', 1000, 'gte'), [1, 3, 6]],
    [query('time_period_start', '2024-03-02T00:00:00Z'), [2]],
    [query('time_period_start', '2024-03-03T00:00:00Z', 'lt'), [1, 2]],
    [query('time_period_end', '2024-03-04T12:00:00Z', 'gt'), [5, 6, 4]],
    [query('project', 'acronym of alpha'), [1, 2, 3, 5, 6]],
    [query('project_id', 'BETA'), [4]],
    [query('provider', 'sites'), [2, 5]],
    [query('installation', 'zagreb'), [4]],
    [query('infrastructure', 'north'), [1, 3, 6, 4]],
    [query('resource', 'disk'), [1, 3, 6]],
    [query('resource', null), [2, 5, 4]],
    [query('group_id', 'g'), [1, 3]],
    [query('user_id', 'u'), [1]],
    [query('creatorId', 'nobody'), []],
    [filter('and', query('project_id', 'alpha'), query('value', 5, 'lte')), [2, 5]],
    [filter('or', query('project_id', 'beta'), query('value', 5)), [5, 4]],
  ])('finds metrics: %j', async (body, days) => expect(await found('metrics', body)).toEqual(days));

  it('finds metrics by their project, provider and installation', async () => {
    const [one, two] = installations;
    const id = definitions[1]?.metric_definition_id;
    expect(await found('metrics', query('installation_id', one?.id))).toEqual([1, 3, 6]);
    expect(await found('metrics', query('installation_id', `${two?.id}`.toUpperCase()))).toEqual([2, 5]);
    expect(await found('metrics', query('metric_definition_id', id))).toEqual([3, 5]);
    expect(await found('metrics', filter('and', query('metric_definition_id', id), query('installation_id', two?.id)))).toEqual([5]);
    expect(await found('metrics', query('resource_id', `alpha.sites.${two?.id}`))).toEqual([2, 5]);
    expect(await found('metrics', query('_id', 'x'))).toEqual([]);
    const exactly = '{"type":"query","field":"value","values":9007199254740993}';
    expect(await found('metrics', exactly)).toEqual([3]);
    expect(await found('metrics', exactly.replace('993', '992'))).toEqual([]);
  });

  it('answers with records in the form of their kind', async () => {
    const first = async (kind: string, body: unknown) => (await search(kind, body)).content[0];
    const { id } = installations[0] ?? {};
    const { id: _id, ...installation } = (await scene.admin.get(`/installations/${id}`)).json as Json;
    expect(await first('installations', query('_id', id))).toEqual({ installation_id: id, ...installation });
    const { creator_id: _creator, ...provider } = (await scene.admin.get('/providers/grnet')).json as Json;
    expect(await first('providers', query('_id', 'grnet'))).toEqual(provider);
    expect(await first('metric-definitions', query('metric_name', 'used'))).toEqual(definitions[0]);
    expect(await first('projects', query('_id', 'alpha'))).toEqual((await scene.admin.get('/projects/alpha')).json);
    const { content } = pageIn(await scene.admin.get(`/installations/${id}/metrics`));
    expect((await search('metrics', query('installation_id', id))).content).toEqual(content);
  });

  it.each(KINDS)('comes in pages without links (of %s)', async (kind) => {
    const all = await search(kind, EVERYTHING);
    expect([all.size_of_page, all.number_of_page, all.total_pages, all.links]).toEqual([all.total_elements, 1, 1, []]);
    const collected: unknown[] = [];
    for (let page = 1; page <= all.total_elements; page++) {
      const part = await search(kind, EVERYTHING, scene.admin, `?page=${page}&size=1`);
      expect({ ...part, content: [] }).toEqual({
        size_of_page: 1,
        number_of_page: page,
        total_elements: all.total_elements,
        total_pages: all.total_elements,
        content: [],
        links: [],
      });
      collected.push(...part.content);
    }
    expect(collected).toEqual(all.content);
    const beyond = await search(kind, EVERYTHING, scene.admin, '?page=9&size=1');
    expect([beyond.content, beyond.size_of_page, beyond.number_of_page, beyond.links]).toEqual([[], 0, 9, []]);
    const none = await search(kind, query('nosuch', 'x'));
    expect(none).toEqual({ size_of_page: 0, number_of_page: 1, total_elements: 0, total_pages: 1, content: [], links: [] });
  });

  it.each(KINDS)('checks its parameters (of %s)', async (kind) => {
    const largest = kind === 'metrics' ? 1_000 : 100;
    const badSize = `Page size must be between 1 and ${largest}.`;
    const path = `/${kind}/search`;
    expectMessage(await scene.admin.post(`${path}?page=0&size=0`), 400, 'Page number must be >= 1.');
    expectMessage(await scene.admin.post(`${path}?size=0`), 400, badSize);
    expectMessage(await scene.admin.post(`${path}?size=${largest + 1}`, EVERYTHING), 400, badSize);
    expect((await search(kind, EVERYTHING, scene.admin, `?size=${largest}`)).links).toEqual([]);
    for (const body of [undefined, '', 'null', '  ']) expectMessage(await scene.admin.post(path, body), 400, 'The request body is empty.');
    for (const body of ['{', 'x', '{"type":"query"}}']) expectMessage(await scene.admin.post(path, body), 400, 'HTTP 400 Bad Request');
    expectMessage(await scene.admin.post(path, '{}', { contentType: 'text/plain' }), 415, 'Cannot consume content type.');
    expect((await scene.admin.post(path, JSON.stringify(EVERYTHING), { contentType: null })).status).toBe(200);
    expect((await scene.anonymous.post(path, '{')).status).toBe(401);
  });

  it.each<[unknown, string]>([
    [[], 'a query or filter must be an object'],
    [filter('and', EVERYTHING, filter('or', EVERYTHING, { operand: 'eq' })), "'type' is missing"],
  ])('refuses %j', async (body, problem) => {
    for (const kind of KINDS) expectMessage(await scene.admin.post(`/${kind}/search`, body), 400, `The search is not valid: ${problem}`);
  });

  it('shows only what the caller may read', async () => {
    const [one] = installations;
    const seen = async (role: string, ...segments: readonly string[]) => {
      const client = await scene.caller('reader', entitlement(role, ...segments));
      return [await found('installations', EVERYTHING, client), await found('metrics', EVERYTHING, client)];
    };
    const all = [
      ['Athens.1', 'athensX1', 'Zagreb'],
      [1, 2, 3, 5, 6, 4],
    ];
    expect(await seen('admin')).toEqual(all);
    expect(await seen('viewer')).toEqual(all);
    expect(await seen('viewer', 'alpha')).toEqual([
      ['Athens.1', 'athensX1'],
      [1, 2, 3, 5, 6],
    ]);
    expect(await seen('admin', 'alpha', 'sites')).toEqual([['athensX1'], [2, 5]]);
    expect(await seen('viewer', 'roles', 'provider', 'grnet')).toEqual([
      ['Athens.1', 'Zagreb'],
      [1, 3, 6, 4],
    ]);
    expect(await seen('admin', 'alpha', 'grnet', `${one?.id}`)).toEqual([['Athens.1'], [1, 3, 6]]);
    expect(await seen('admin', 'alpha', 'grnet', `${one?.id}`.toUpperCase())).toEqual([[], []]); // as in a call for that installation
    expect(await seen('admin', 'operations', 'resources')).toEqual([[], []]);
    expect(await seen('other', 'alpha')).toEqual([[], []]);
    const nobody = await scene.caller('nobody');
    for (const kind of OPEN) expect((await search(kind, EVERYTHING, nobody)).total_pages).toBe(1);
    const narrow = await scene.caller('narrow', entitlement('viewer', 'alpha', 'sites'));
    expect(await found('metrics', query('project_id', 'beta'), narrow)).toEqual([]);
  });

  it('checks the permission, where one is needed, before the structure of the body', async () => {
    const allowed = async (role: string, ...segments: readonly string[]) => {
      const client = await scene.caller('someone', entitlement(role, ...segments));
      const statuses = KINDS.map(async (kind) => [kind, (await client.post(`/${kind}/search`, EVERYTHING)).status] as const);
      return (await Promise.all(statuses)).filter(([, status]) => status === 200).map(([kind]) => kind);
    };
    const shared = ['installations', 'providers', 'metric-definitions', 'metrics'];
    expect(await allowed('admin')).toEqual(KINDS);
    expect(await allowed('viewer')).toEqual(shared);
    expect(await allowed('admin', 'operations', 'resources')).toEqual(shared);
    expect(await allowed('viewer', 'operations', 'resources')).toEqual(shared);
    expect(await allowed('admin', 'alpha')).toEqual(OPEN);
    const nobody = await scene.caller('nobody');
    for (const kind of KINDS.filter((one) => !OPEN.includes(one))) {
      expectMessage(await nobody.post(`/${kind}/search?page=0`), 403, FORBIDDEN);
      expectMessage(await nobody.post(`/${kind}/search`, '{'), 400, 'HTTP 400 Bad Request');
    }
  });
});
