import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectRecord, fresh, PUBLIC_URL, records } from '#test/e2e/accounting/records.js';
import { accountingServing, expectMessage, FORBIDDEN, OBJECT_ID, pageIn } from '#test/e2e/accounting/serving.js';
import { MARCH } from '#test/e2e/accounting/usage.js';
import { deployments, embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

const environment = { LOGBOOK_PUBLIC_URL: PUBLIC_URL };
const encoded = encodeURIComponent;

/** How an installation or provider can be named in a call: its path, and the query. */
type Way = readonly [how: string, (rest?: string, query?: string) => string];
const joined = (path: string, ...queries: readonly string[]): string => {
  const query = queries.filter((one) => one !== '').join('&');
  return query === '' ? path : `${path}?${query}`;
};
const ways = (prefix: string, id: string, externalId: string): readonly Way[] => [
  ['the id', (rest = '', query = '') => joined(`${prefix}/${encoded(id)}${rest}`, query)],
  ['the external id in its place', (rest = '', query = '') => joined(`${prefix}/${encoded(externalId)}${rest}`, query)],
  ['the sibling', (rest = '', query = '') => joined(`${prefix}/external${rest}`, `externalId=${encoded(externalId)}`, query)],
];
const facts = ({ status, text }: Answer) => [status, text];

describe.each(deployments)('external ids on %s', (_name, open) => {
  const scene = accountingServing(open, environment);
  const make = records(() => scene.admin);

  it('can be used for the id of an installation in every call', async () => {
    const { project, provider } = await make.pair();
    const definition = await make.definition();
    const definitionId = definition.metric_definition_id;
    const externalId = 'a vm/ö?%2F&=#:.. x';
    const { id } = await make.installation(project, provider, { external_id: externalId, unit_of_access: definitionId });
    const period = {
      metric_definition_id: definitionId,
      time_period_start: '2021-03-02T00:00:00Z',
      time_period_end: '2021-03-03T00:00:00Z',
    };
    const all = ways('/installations', String(id), externalId);

    for (const [index, [how, path]] of all.entries()) {
      const capacity = { metric_definition_id: definitionId, registered_on: `2021-0${index + 1}-01`, value: index };
      expectMessage(await scene.admin.post(path('/capacities'), capacity), 200, 'Capacity has been successfully registered.');
      const created = await scene.admin.post(path('/metrics'), { ...period, value: 1 });
      const { metric_id } = created.json as { metric_id: string };
      expect([how, created.status, metric_id]).toEqual([how, 201, expect.stringMatching(OBJECT_ID)]);
      expectRecord(await scene.admin.patch(path(`/metrics/${metric_id}`), { value: 2 }), 200, { metric_id, ...period, value: 2 });
      expectRecord(await scene.admin.get(path(`/metrics/${metric_id}`)), 200, { metric_id, ...period, value: 2 });
      if (index === 0) expectMessage(await scene.admin.delete(path(`/metrics/${metric_id}`)), 200, 'Metric has been deleted successfully.');
    }
    const [, last] = all[2] ?? [];
    const kept = (await scene.admin.get(`/installations/${id}/capacities`)).json as { id: string; value: number }[];
    expect(kept.map(({ value }) => value)).toEqual([0, 1, 2]);
    for (const [index, [, path]] of all.entries()) {
      const changed = await scene.admin.patch(path(`/capacities/${kept[index]?.id}`), { value: 10 + index });
      expectMessage(changed, 200, 'Capacity was updated successfully.');
    }
    const reads = [
      ['', ''],
      ['/capacities', ''],
      ['/capacities', 'page=2&size=2'],
      ['/metrics', 'start=2021-03-01'],
      ['/metric-definitions', ''],
      ['/report', MARCH],
    ] as const;
    for (const [rest, query] of reads) {
      const answers: (readonly unknown[])[] = [];
      for (const [, path] of all) answers.push(facts(await scene.admin.get(path(rest, query))));
      expect([rest, answers]).toEqual([rest, all.map(() => [200, answers[0]?.[1]])]);
    }
    const values = (await scene.admin.get(last?.('/capacities') ?? '')).json as { value: number }[];
    expect(values.map(({ value }) => value)).toEqual([10, 11, 12]);
    const report = (await scene.admin.get(last?.('/report', MARCH) ?? '')).json as { data: { periods: { total_value: number }[] }[] };
    expect(report.data[0]?.periods[0]?.total_value).toBe(4);

    const metrics = pageIn(await scene.admin.get(`/installations/${id}/metrics`)).content;
    for (const [index, metric] of metrics.entries()) await scene.admin.delete(all[index]?.[1](`/metrics/${metric.id}`) ?? '');
    for (const [index, [, path]] of all.entries())
      expect((await scene.admin.patch(path(), { infrastructure: `way ${index}` })).json).toMatchObject({
        id,
        infrastructure: `way ${index}`,
      });
    expectMessage(await scene.admin.delete(all[1]?.[1]() ?? ''), 200, 'Installation has been deleted successfully.');
    expectMessage(await scene.admin.get(all[1]?.[1]() ?? ''), 404, `There is no Installation with the following id: ${externalId}`);
  });

  it('can be used for the id of a provider in every call', async () => {
    const [project, externalId] = [await make.project(), 'provider/ext 1'];
    const definition = await make.definition();
    const provider = await make.provider(undefined, { external_id: externalId });
    const all = ways('/providers', provider, externalId);
    const here = ways(`/projects/${project}/providers`, provider, externalId);
    const association = ways(`/projects/${project}/associate/provider`, provider, externalId);
    const dissociation = ways(`/projects/${project}/dissociate/provider`, provider, externalId);
    for (const [index, [, path]] of association.entries()) {
      const done = (what: string) => `The following provider ${provider} has been ${what} Project ${project}`;
      expectMessage(await scene.admin.post(path()), 200, done('associated with'));
      expectMessage(await scene.admin.post(path()), 409, `This provider has already been associated with the Project : ${project}`);
      expectMessage(await scene.admin.post(dissociation[index]?.[1]() ?? ''), 200, done('dissociated from'));
    }
    for (const [index, [, path]] of all.entries())
      expect((await scene.admin.patch(path(), { logo: `way ${index}` })).json).toMatchObject({ id: provider, logo: `way ${index}` });

    await scene.admin.post(association[2]?.[1]() ?? '');
    const installation = await make.installation(project, externalId);
    expect(installation.organisation).toBe(provider);
    await make.metric(installation.id, definition.metric_definition_id);
    for (const [rest, query] of [
      ['/installations', ''],
      ['/metrics', ''],
      ['/metric-definitions', ''],
      ['/report', 'start=2024-01-01&end=2024-02-01'],
    ] as const) {
      const answers: (readonly unknown[])[] = [];
      for (const [, path] of here) answers.push(facts(await scene.admin.get(path(rest, query))));
      expect([rest, answers]).toEqual([rest, here.map(() => [200, answers[0]?.[1]])]);
      expect(answers[0]?.[1]).toContain(rest === '/metric-definitions' ? definition.metric_definition_id : String(installation.id));
      const original = await scene.admin.get(
        joined(`/projects/${project}/providers/external${rest}`, `externalProviderId=${encoded(externalId)}`, query),
      );
      expect(facts(original)).toEqual(answers[0]);
    }
    const everywhere = joined('/providers/provider%2Fext%201/report', 'start=2024-01-01&end=2024-02-01');
    const global = await scene.admin.get(everywhere);
    expect(global.json).toMatchObject({ reports: [{ provider_id: provider }] });
    expect(facts(await scene.admin.get(everywhere.replace('provider%2Fext%201', provider)))).toEqual(facts(global));

    const other = await make.provider(undefined, { external_id: 'other/ext' });
    await make.associate(project, other);
    const free = await make.installation(project, provider);
    expect((await scene.admin.patch(`/installations/${free.id}`, { organisation: 'other/ext' })).json).toMatchObject({
      organisation: other,
    });
    const unused = await make.provider(undefined, { external_id: 'unused/ext' });
    expectMessage(await scene.admin.delete('/providers/external?externalId=unused%2Fext'), 200, 'Provider has been deleted successfully.');
    expectMessage(await scene.admin.get(`/providers/${unused}`), 404, `There is no Provider with the following id: ${unused}`);
  });
});

describe('external ids', () => {
  const scene = accountingServing(embedded, environment);
  const make = records(() => scene.admin);
  beforeAll(() => scene.trustTokens());

  it('have a route beside every route with an id of an installation or provider in its path', async () => {
    type Operation = Readonly<{ parameters?: readonly Readonly<{ name: string; in: string }>[] }>;
    const { paths } = (await scene.root.get('/openapi.json')).json as { paths: Record<string, Record<string, Operation>> };
    const byId = Object.keys(paths).filter((path) => /^\/accounting-system\/.*\{(?:installation|provider)_id\}/.test(path));
    expect(byId.length).toBeGreaterThan(12);
    for (const path of byId) {
      const sibling = paths[path.replace(/\{(?:installation|provider)_id\}/, 'external')] ?? {};
      const asked = Object.entries(sibling).map(([method, { parameters }]) => [
        method,
        parameters?.some(({ name, in: place }) => place === 'query' && /^external(?:Provider)?Id$/.test(name)),
      ]);
      expect([path, Object.fromEntries(asked)]).toEqual([
        path,
        Object.fromEntries(Object.keys(paths[path] ?? {}).map((method) => [method, true])),
      ]);
    }
  });

  it('give way to internal ids', async () => {
    const { project, provider } = await make.pair();
    const first = await make.installation(project, provider);
    const second = await make.installation(project, provider, { external_id: first.id });
    expect((await scene.admin.get(`/installations/${first.id}`)).json).toMatchObject({ id: first.id });
    expect((await scene.admin.get(`/installations/external?externalId=${first.id}`)).json).toMatchObject({ id: second.id });
    await scene.admin.delete(`/installations/${first.id}`);
    expect((await scene.admin.get(`/installations/${first.id}`)).json).toMatchObject({ id: second.id });

    const shadowed = await make.provider(undefined, { external_id: provider });
    expect((await scene.admin.get(`/providers/${provider}`)).json).toMatchObject({ id: provider });
    expect((await scene.admin.get(`/providers/external?externalId=${provider}`)).json).toMatchObject({ id: shadowed });
  });

  it('that nobody has are echoed as the caller wrote them', async () => {
    const project = await make.project();
    const spelled = 'no/such one';
    const installation = `There is no Installation with the following id: ${spelled}`;
    const provider = `There is no Provider with the following id: ${spelled}`;
    for (const rest of ['', '/capacities', '/metrics', '/metric-definitions', `/report?${MARCH}`, '/metrics/x'])
      expectMessage(await scene.admin.get(`/installations/${encoded(spelled)}${rest}`), 404, installation);
    for (const rest of ['/capacities', '/metrics'])
      expectMessage(await scene.admin.post(`/installations/${encoded(spelled)}${rest}`, {}), 404, installation);
    for (const rest of ['/installations', '/metrics', '/metric-definitions', `/report?${MARCH}`])
      expectMessage(await scene.admin.get(`/projects/${project}/providers/${encoded(spelled)}${rest}`), 404, provider);
    expectMessage(await scene.admin.post(`/projects/${project}/associate/provider/${encoded(spelled)}`), 404, provider);
    const external = `There is no Installation with external id: ${spelled}`;
    for (const rest of ['/capacities', '/metric-definitions', '/metrics/x'])
      expectMessage(await scene.admin.get(`/installations/external${rest}?externalId=${encoded(spelled)}`), 404, external);
    const noProvider = `There is no Provider with external id: ${spelled}`;
    for (const rest of ['installations', 'metric-definitions'])
      expectMessage(
        await scene.admin.get(`/projects/${project}/providers/external/${rest}?externalId=${encoded(spelled)}`),
        404,
        noProvider,
      );
    for (const what of ['associate', 'dissociate'])
      expectMessage(
        await scene.admin.post(`/projects/${project}/${what}/provider/external?externalId=${encoded(spelled)}`),
        404,
        noProvider,
      );
    for (const method of ['PATCH', 'DELETE'])
      expectMessage(await scene.admin.call(method, `/providers/external?externalId=${encoded(spelled)}`, { body: {} }), 404, noProvider);
  });

  it('are required by these routes, before anything is checked but the body and the page', async () => {
    const outsider = await scene.caller('outsider');
    const empty = 'externalId may not be empty.';
    for (const [method, rest] of [
      ['GET', '/capacities?page=0'],
      ['POST', '/capacities'],
      ['PATCH', '/capacities/x'],
      ['GET', '/metric-definitions?page=0'],
      ['GET', '/metrics/x'],
      ['PATCH', '/metrics/x'],
      ['DELETE', '/metrics/x'],
    ] as const)
      expectMessage(await outsider.call(method, `/installations/external${rest}`, { body: {} }), 400, empty);
    for (const rest of ['installations', 'metric-definitions', 'metrics', 'report'])
      expectMessage(await outsider.get(`/projects/nosuch/providers/external/${rest}`), 400, 'externalProviderId may not be empty.');
    for (const what of ['associate', 'dissociate'])
      expectMessage(
        await outsider.post(`/projects/nosuch/${what}/provider/external?externalId=`),
        400,
        'externalProviderId may not be empty.',
      );
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expectMessage(await outsider.call(method, '/providers/external', { body: {} }), 403, FORBIDDEN);
      expectMessage(await scene.admin.call(method, '/providers/external', { body: {} }), 400, empty);
    }
    const page = 'Page number must be >= 1.';
    for (const rest of ['/capacities', '/metric-definitions'])
      expectMessage(await outsider.get(`/installations/external${rest}?externalId=x&page=0`), 400, page);
    for (const rest of ['installations', 'metric-definitions'])
      expectMessage(await outsider.get(`/projects/nosuch/providers/external/${rest}?externalId=x&page=0`), 400, page);
  });

  it('of a deleted project find nothing', async () => {
    const { project, provider } = await make.pair();
    const external_id = fresh('external');
    await make.installation(project, provider, { external_id });
    await scene.admin.delete(`/admin/projects/${project}`);
    const missing = `There is no Installation with the following id: ${external_id}`;
    for (const rest of ['', '/capacities', '/metrics'])
      expectMessage(await scene.admin.get(`/installations/${external_id}${rest}`), 404, missing);
    expectMessage(await scene.admin.post(`/installations/${external_id}/metrics`, {}), 404, missing);
  });
});
