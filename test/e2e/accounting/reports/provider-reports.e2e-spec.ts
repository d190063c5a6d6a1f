import { beforeAll, describe, expect, it } from '@jest/globals';
import { fresh, projectBody, records } from '#test/e2e/accounting/records.js';
import { accountingServing } from '#test/e2e/accounting/serving.js';
import { B, type Definition, E, type InstallationReport, MARCH, S, usage } from '#test/e2e/accounting/usage.js';
import { embedded } from '#test/support/deployments.js';

describe('A report of several installations', () => {
  const scene = accountingServing(embedded);
  const make = records(() => scene.admin);
  const of = usage(() => scene.admin);
  let [p1, p2, p3, provider, other] = ['', '', '', '', ''];
  let [d, f]: Definition[] = [];
  const ids: string[] = [];
  beforeAll(async () => {
    [p1, p2, p3] = [await make.project(), await make.project(), await make.project()];
    provider = await make.provider(fresh('provider'), { website: 'w', abbreviation: 'a', logo: 'l', external_id: fresh('external') });
    for (const project of [p1, p2, p3]) await make.associate(project, provider);
    other = await make.provider();
    await make.associate(p1, other);
    [d, f] = [await make.definition(), await make.definition()];
    for (const project of [p1, p1, p2]) ids.push(`${(await make.installation(project, provider)).id}`);
    const [first, second, third] = ids;
    await of.record(first, B, d);
    await of.register(
      first,
      [
        ['2021-03-11', 80],
        ['2021-03-21', 120],
      ],
      d,
    );
    await of.record(second, [['03-02', '03-03', 3, { group_id: 'g', user_id: 'u' }]], f);
    await of.record(third, [['03-02', '03-03', 20, { user_id: 'u' }]], d);
  });

  const installation = (index: number) => of.report(ids[index]);
  const head = async (of = provider) => {
    const { id, creator_id: _creator, ...rest } = (await scene.admin.get(`/providers/${of}`)).json as Record<string, unknown>;
    const { name, website, abbreviation, logo, external_id } = rest;
    return { provider_id: id, name, website, abbreviation, logo, external_id };
  };
  const externalId = async () => (await head()).external_id;
  const inFirst = async () => ({
    ...(await head()),
    aggregated_metrics: totalsOf([d, 117], [f, 3]),
    data: [await installation(0), await installation(1)],
  });
  const inSecond = async () => ({ ...(await head()), aggregated_metrics: totalsOf([d, 20]), data: [await installation(2)] });
  const totalsOf = (...totals: readonly (readonly [Definition | undefined, number])[]) =>
    totals
      .map(([{ creator_id: _creator, ...shown } = {}, total_value]) => ({ ...shown, total_value }) as Record<string, unknown>)
      .sort((a, b) => (`${a.metric_definition_id}` < `${b.metric_definition_id}` ? -1 : 1));
  const expectJson = async (path: string, expected: object) => {
    const { status, json } = await scene.admin.get(`${path}${path.includes('?') ? '&' : '?'}${MARCH}`);
    expect([status, json]).toEqual([200, expected]);
  };

  it('can be of a provider in a project', async () => {
    await expectJson(`/projects/${p1}/providers/${provider}/report`, await inFirst());
    await expectJson(`/projects/${p1}/providers/external/report?externalProviderId=${await externalId()}`, await inFirst());
    await expectJson(`/providers/external/report?externalId=${await externalId()}&project_id=${p1}`, await inFirst());
    const empty = { ...(await head()), aggregated_metrics: [], data: [] };
    await expectJson(`/projects/${p3}/providers/${provider}/report`, empty);
    await expectJson(`/projects/${p2}/providers/${other}/report`, { ...empty, ...(await head(other)) });
  });

  it('can be of a provider in each of its projects (case G of the contract)', async () => {
    const expected = { reports: [await inFirst(), await inSecond()], aggregated_metrics: totalsOf([d, 137], [f, 3]) };
    await expectJson(`/providers/${provider}/report`, expected);
    await expectJson(`/providers/report/external?externalId=${await externalId()}`, expected);
  });

  it('can be of a provider in all its projects together', async () => {
    const data = await Promise.all([0, 1, 2].map(installation));
    const expected = { ...(await head()), aggregated_metrics: totalsOf([d, 137], [f, 3]), data };
    await expectJson(`/providers/external/report?externalId=${await externalId()}`, expected);
    await expectJson(`/providers/external/report?externalId=${await externalId()}&project_id=`, expected);
  });

  it('can be of a project', async () => {
    await expectJson(`/projects/${p1}/report`, {
      ...projectBody(p1),
      aggregated_metrics: totalsOf([d, 117], [f, 3]),
      data: [await inFirst(), { ...(await head(other)), aggregated_metrics: [], data: [] }],
    });
    await expectJson(`/projects/${p3}/report`, {
      ...projectBody(p3),
      aggregated_metrics: [],
      data: [{ ...(await head()), aggregated_metrics: [], data: [] }],
    });
  });

  it.each([
    ['groups/g', 0, 3],
    ['groups/nosuch', 0, 0],
    ['users/u', 0, 3],
  ])('of %s', async (member, first, second) => {
    for (const doubled of ['', 'projects/']) {
      const { json } = await scene.admin.get(`/projects/${doubled}${p1}/${member}/report?${MARCH}`);
      const { aggregated_metrics, data, ...project } = json as {
        aggregated_metrics: unknown;
        data: readonly { data: InstallationReport[] }[];
      };
      expect(project).toEqual(projectBody(p1));
      expect(aggregated_metrics).toEqual(totalsOf([d, first], [f, second]));
      const totals = data.map(({ data: installations }) => installations.map((one) => one.data[0]?.periods[0]?.total_value));
      expect(totals).toEqual([[first, second], []]);
    }
  });

  it('can be CSV', async () => {
    const csv = async (path: string) => {
      const answer = await scene.admin.get(`${path}?${MARCH}&externalId=${await externalId()}&externalProviderId=${await externalId()}`, {
        accept: 'text/csv',
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
      return answer.text.split('\r\n').filter((line) => line !== '');
    };
    const columns =
      'project,provider,installation_id,installation,infrastructure,resource,external_id,metric_definition_id,metric_name,metric_description,unit_type,metric_type,from,to,total_value,capacity_value,usage_percentage';
    const [head, line] = await csv(`/installations/${ids[2]}/report`);
    const { installation, infrastructure, external_id } = (await installation2()) as Record<string, string>;
    expect(head).toBe(columns);
    const what = [d?.metric_definition_id, d?.metric_name, '', 'TB', 'count', S, E, '20.0', '', ''];
    expect(line).toBe([p2, provider, ids[2], installation, infrastructure, '', external_id, ...what].join(','));
    for (const [path, lines] of [
      [`/projects/${p1}/providers/${provider}/report`, 5],
      [`/projects/${p1}/providers/external/report`, 5],
      [`/providers/${provider}/report`, 6],
      ['/providers/report/external', 6],
      ['/providers/external/report', 6],
      [`/projects/${p1}/report`, 5],
      [`/projects/projects/${p1}/users/u/report`, 5],
      [`/projects/${p1}/groups/g/report`, 5],
      [`/projects/${p3}/report`, 1],
    ] as const)
      expect(await csv(path)).toHaveLength(lines);
  });
  const installation2 = async () => (await scene.admin.get(`/installations/${ids[2]}`)).json;

  it('comes in the form that the caller prefers', async () => {
    const path = `/projects/${p1}/report?${MARCH}`;
    const typeOf = async (accept: string | null) => (await scene.admin.get(path, { accept })).headers.get('content-type');
    for (const accept of [null, '*/*', 'application/json', 'text/csv;q=0.5, application/json', 'application/*'])
      expect(await typeOf(accept)).toBe('application/json; charset=utf-8');
    for (const accept of ['text/csv', 'text/*', 'application/json;q=0.1, text/csv', 'text/csv; charset=utf-8'])
      expect(await typeOf(accept)).toContain('text/csv');
    expect((await scene.admin.get(path, { accept: 'text/html' })).status).toBe(406);
    expect((await scene.admin.get(`/projects/${p1}/metrics`, { accept: 'text/csv' })).status).toBe(406);
  });
});
