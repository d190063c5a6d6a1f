import { beforeAll, describe, expect, it } from '@jest/globals';
import { PUBLIC_URL, records } from '#test/e2e/accounting/records.js';
import { accountingServing, expectMessage, FORBIDDEN, pageIn, UNKNOWN_OBJECT_ID } from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';

type Definition = Readonly<Record<string, string>>;

const BAD_DATE = 'The date format must be as follows YYYY-MM-DD';
const BAD_RANGE = 'start cannot be after end.';

describe('A list of metrics', () => {
  const scene = accountingServing(embedded, { LOGBOOK_PUBLIC_URL: PUBLIC_URL });
  const make = records(() => scene.admin);
  let [project, provider, second] = ['', '', ''];
  let [x, y, z]: Readonly<Record<string, string>>[] = [];
  let [d, e]: Definition[] = [];
  /** Ids of the metrics in the order in which they were recorded; values are 0, 1, 2 … */
  const ids: string[] = [];
  const record = async (installation: unknown, definition: Definition | undefined, start: string, end: string, more: object = {}) => {
    const body = {
      metric_definition_id: definition?.metric_definition_id,
      time_period_start: start,
      time_period_end: end,
      value: ids.length,
      ...more,
    };
    const answer = await scene.admin.post(`/installations/${installation}/metrics`, body);
    ids.push((answer.json as { metric_id: string }).metric_id);
  };

  beforeAll(async () => {
    await scene.trustTokens();
    ({ project, provider } = await make.pair());
    second = await make.provider();
    await make.associate(project, second);
    await make.resource('the resource');
    const installations = [
      await make.installation(project, provider, { resource: 'the resource' }),
      await make.installation(project, provider),
      await make.installation(project, second),
    ];
    [x, y, z] = installations.map(({ id, external_id }) => ({ id: `${id}`, external_id: `${external_id}` }));
    [d, e] = [await make.definition(), await make.definition()];
    await record(x?.id, d, '2024-03-01T00:00:00Z', '2024-03-02T00:00:00Z', { group_id: 'g', user_id: 'u' });
    await record(y?.id, e, '2024-03-01T10:00:00Z', '2024-03-01T11:00:00Z', { group_id: 'g' });
    await record(z?.id, d, '2024-02-28T23:00:00Z', '2024-03-01T01:00:00Z', { user_id: 'u' });
    await record(x?.id, e, '2024-03-31T12:00:00Z', '2024-04-01T00:00:00Z', { group_id: 'other' });
    await record(x?.id, d, '2024-03-31T20:00:00Z', '2024-04-01T06:00:00Z', { group_id: 'g', user_id: 'a b' });
    await record(y?.id, d, '2024-03-31T23:59:59.999Z', '2024-04-01T23:59:59.999Z');
  });

  const valuesAt = async (path: string) => pageIn(await scene.admin.get(path)).content.map(({ value }) => value);

  /** Where each list is, by what it is of. */
  const pathOf = (list: string): string => {
    const paths: Readonly<Record<string, string>> = {
      x: `/installations/${x?.id}/metrics?`,
      'external x': `/installations/external/metrics?externalId=${x?.external_id}&`,
      y: `/installations/${y?.id}/metrics?`,
      project: `/projects/${project}/metrics?`,
      provider: `/projects/${project}/providers/${provider}/metrics?`,
      second: `/projects/${project}/providers/${second}/metrics?`,
      group: `/projects/projects/${project}/groups/g/metrics?`,
      'group, single': `/projects/${project}/groups/g/metrics?`,
      user: `/projects/projects/${project}/users/u/metrics?`,
      'user, single': `/projects/${project}/users/a%20b/metrics?`,
      'no group': `/projects/${project}/groups/nosuch/metrics?`,
    };
    return paths[list] ?? list;
  };

  it.each<[string, string, readonly number[]]>([
    ['x', '', [0, 3, 4]],
    ['external x', '', [0, 3, 4]],
    ['y', '', [1, 5]],
    ['project', '', [0, 1, 2, 3, 4, 5]],
    ['provider', '', [0, 1, 3, 4, 5]],
    ['second', '', [2]],
    ['group', '', [0, 1, 4]],
    ['group, single', '', [0, 1, 4]],
    ['user', '', [0, 2]],
    ['user, single', '', [4]],
    ['no group', '', []],
    // Both days: from the beginning of the first to the beginning of the last.
    ['project', 'start=2024-03-01&end=2024-03-02', [0, 1]],
    ['project', 'start=2024-03-01&end=2024-04-01', [0, 1, 3]],
    ['project', 'start=2024-02-28&end=2024-04-02', [0, 1, 2, 3, 4, 5]],
    ['x', 'start=2024-03-01&end=2024-04-01', [0, 3]],
    ['external x', 'start=2024-03-01&end=2024-04-01', [0, 3]],
    ['provider', 'start=2024-03-31&end=2024-04-02', [3, 4, 5]],
    ['group', 'start=2024-03-01&end=2024-04-01', [0, 1]],
    ['user', 'start=2024-02-28&end=2024-03-02', [0, 2]],
    // One day: what begins, or ends, on it or on the right side of it.
    ['project', 'start=2024-03-31', [3, 4, 5]],
    ['project', 'start=2024-03-01', [0, 1, 3, 4, 5]],
    ['project', 'end=2024-03-01', [1, 2]],
    ['project', 'end=2024-03-02', [0, 1, 2]],
    ['project', 'end=2024-04-01', [0, 1, 2, 3, 4, 5]],
    ['project', 'end=2024-03-31', [0, 1, 2]],
    ['group', 'end=2024-03-01', [1]],
    ['y', 'start=2024-04-01', []],
    ['x', 'start=&end=', [0, 3, 4]],
    ['no group', 'start=2024-03-01', []],
  ])('has, of %s with %j, the metrics in the order of their age', async (list, query, values) =>
    expect(await valuesAt(pathOf(list) + query)).toEqual(values),
  );

  it.each<[string, 'd' | 'e', string, readonly number[]]>([
    ['x', 'd', '', [0, 4]],
    ['x', 'e', '', [3]],
    ['external x', 'e', '', [3]],
    ['project', 'd', '', [0, 2, 4, 5]],
    ['provider', 'd', '', [0, 4, 5]],
    ['second', 'e', '', []],
    ['project', 'd', 'start=2024-03-01&end=2024-04-01', [0]],
    // Lists of groups and users know no definition.
    ['group', 'd', '', [0, 1, 4]],
  ])('has, of %s, those with the definition %s and %j', async (list, name, query, values) => {
    const definition = name === 'd' ? d : e;
    expect(await valuesAt(`${pathOf(list)}metric-definition-id=${definition?.metric_definition_id}&${query}`)).toEqual(values);
  });

  it('shows each metric with its project, provider, installation and definition', async () => {
    const [first] = pageIn(await scene.admin.get(pathOf('x'))).content;
    const { creator_id: _creator, ...definition } = d ?? {};
    expect(first).toEqual({
      id: ids[0],
      time_period_start: '2024-03-01T00:00:00Z',
      time_period_end: '2024-03-02T00:00:00Z',
      value: 0,
      project: `acronym of ${project}`,
      provider,
      installation_id: x?.id,
      project_id: project,
      resource: 'the resource',
      group_id: 'g',
      user_id: 'u',
      metric_definition: definition,
    });
    const [, , third] = pageIn(await scene.admin.get(pathOf('project'))).content;
    expect(Object.keys(third ?? {})).not.toContain('resource');
    expect(Object.keys(third ?? {})).not.toContain('group_id');
  });

  it.each(['project', 'provider', 'x', 'group'])('comes in pages (of %s)', async (list) => {
    for (const query of ['', 'start=2024-01-01&', 'end=2024-12-31&']) {
      const path = `${pathOf(list)}${query}`;
      const all = pageIn(await scene.admin.get(path));
      const collected: unknown[] = [];
      for (let page = 1; page <= all.total_elements; page++) {
        const part = pageIn(await scene.admin.get(`${path}page=${page}&size=1`));
        expect([part.total_elements, part.total_pages, part.number_of_page]).toEqual([all.total_elements, all.total_elements, page]);
        collected.push(...part.content);
      }
      expect(collected).toEqual(all.content);
      expect(pageIn(await scene.admin.get(`${path}page=9&size=1`)).content).toEqual([]);
    }
  });

  it('has links that keep the filters', async () => {
    const definition = `metric-definition-id=${d?.metric_definition_id}`;
    const { links } = pageIn(await scene.admin.get(`${pathOf('project')}${definition}&start=2024-01-01&size=2`));
    const path = `${PUBLIC_URL}/accounting-system/projects/${project}/metrics`;
    expect(links.map(({ rel }) => rel)).toEqual(['first', 'last', 'self', 'next']);
    expect(links.at(-1)?.href).toBe(`${path}?page=2&size=2&${definition}&start=2024-01-01`);
  });

  it.each(['x', 'external x', 'project', 'provider', 'group', 'user'])('checks its parameters (of %s)', async (list) => {
    const path = pathOf(list);
    const expectRefused = async (query: string, message: string) => expectMessage(await scene.admin.get(path + query), 400, message);
    await expectRefused('page=0&size=0', 'Page number must be >= 1.');
    await expectRefused('size=101&start=x', 'Page size must be between 1 and 100.');
    for (const day of ['x', '2024-02-30', '2024-3-1', '01-01-2024']) {
      await expectRefused(`start=${day}`, BAD_DATE);
      await expectRefused(`end=${day}`, BAD_DATE);
      await expectRefused(`start=2024-01-01&end=${day}`, BAD_DATE);
    }
    await expectRefused('start=2024-01-02&end=2024-01-01', BAD_RANGE);
    await expectRefused('start=2024-01-01&end=2024-01-01', BAD_RANGE);
    const unknown = await scene.admin.get(`${path}metric-definition-id=${UNKNOWN_OBJECT_ID}`);
    if (list === 'group' || list === 'user') expect(unknown.status).toBe(200);
    else expectMessage(unknown, 404, `There is no Metric Definition with the following id: ${UNKNOWN_OBJECT_ID}`);
    expect((await scene.admin.get(`${path}metric-definition-id=`)).status).toBe(200);
  });

  it('answers 404 for an unknown project, provider or installation before it checks anything else', async () => {
    const noProject = 'There is no Project with the following id: nosuch';
    for (const path of ['metrics', 'providers/x/metrics', 'groups/g/metrics', 'users/u/metrics'])
      expectMessage(await scene.admin.get(`/projects/nosuch/${path}?page=0`), 404, noProject);
    expectMessage(
      await scene.admin.get(`/projects/${project}/providers/nosuch/metrics?page=0`),
      404,
      'There is no Provider with the following id: nosuch',
    );
    const external = `/projects/${project}/providers/external/metrics`;
    expectMessage(await scene.admin.get(external), 400, 'externalProviderId may not be empty.');
    expectMessage(await scene.admin.get(`${external}?externalProviderId=x&page=0`), 400, 'Page number must be >= 1.');
    expectMessage(await scene.admin.get(`${external}?externalProviderId=x`), 404, 'There is no Provider with external id: x');
    expectMessage(await scene.admin.get('/installations/external/metrics?externalId=x&start=x'), 400, BAD_DATE);
    expectMessage(
      await scene.admin.get('/installations/external/metrics?externalId=x'),
      404,
      'There is no Installation with external id: x',
    );
    expectMessage(await scene.admin.get('/installations/external/metrics'), 400, 'externalId may not be empty.');
  });

  it('finds a provider by its external id', async () => {
    const { external_id } = (await scene.admin.get(`/providers/${provider}`)).json as { external_id: string };
    const path = `/projects/${project}/providers/external/metrics?externalProviderId=${external_id}`;
    expect(await valuesAt(path)).toEqual([0, 1, 3, 4, 5]);
    expect(await valuesAt(`${path}&size=2&page=2`)).toEqual([3, 4]);
  });

  it('is refused before its parameters are checked', async () =>
    expectMessage(await (await scene.caller('n')).get(`/projects/${project}/groups/g/metrics?page=0`), 403, FORBIDDEN));

  it('has definitions, each once and in pages', async () => {
    const all = [d, e].map((definition) => {
      const { creator_id: _creator, ...shown } = definition ?? {};
      return shown;
    });
    const inOrder = all.sort((a, b) => (`${a.metric_definition_id}` < `${b.metric_definition_id}` ? -1 : 1));
    for (const path of [`/projects/${project}`, `/projects/${project}/providers/${provider}`, `/installations/${x?.id}`]) {
      expect(pageIn(await scene.admin.get(`${path}/metric-definitions`)).content).toEqual(inOrder);
      const last = pageIn(await scene.admin.get(`${path}/metric-definitions?page=2&size=1`));
      expect([last.content, last.total_elements, last.total_pages]).toEqual([inOrder.slice(1), 2, 2]);
      expect(pageIn(await scene.admin.get(`${path}/metric-definitions?page=3&size=1`)).content).toEqual([]);
      expectMessage(await scene.admin.get(`${path}/metric-definitions?size=0`), 400, 'Page size must be between 1 and 100.');
    }
    const { content } = pageIn(await scene.admin.get(`/projects/${project}/providers/${second}/metric-definitions`));
    expect(content.map(({ metric_definition_id }) => metric_definition_id)).toEqual([d?.metric_definition_id]);
  });
});
