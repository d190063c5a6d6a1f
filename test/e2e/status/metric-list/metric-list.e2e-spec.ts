import { describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { listOf } from '#test/e2e/status/contract.js';
import { emsg, expectJson, newTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { ADMIN, deployments, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf } from '#test/support/status-client.js';

const PATH = '/admin/metrics';
const metrics = [
  { name: 'b <&>', tags: ['network', 'http'] },
  { name: 'a', tags: [] },
  { name: 'c', tags: ['x'] },
];
const updated = (data: unknown) => ({ status: { message: 'Metrics resource succesfully updated', code: '200' }, data });
const admin = { key: ADMIN };

describe.each(deployments)('metric list on %s', (_name, open) => {
  const scene = serving(open);

  it('is the same for all tenants, and is replaced as a whole', async () => {
    const [tenant, other] = [await newTenant(scene.status), await newTenant(scene.status)];
    const put = (body: unknown) => scene.status.put(PATH, { ...admin, body });
    const expectList = async (...list: readonly object[]): Promise<void> => {
      expectJson(await scene.status.get(PATH, admin), 200, listOf(...list));
      for (const reader of [tenant, other]) expectJson(await reader.get('/metrics'), 200, listOf(...list));
    };
    await expectList();
    expectJson(await put(metrics), 200, updated(metrics));
    await expectList(...metrics);
    expectJson(await put(metrics), 200, updated(metrics));
    expectJson(
      await put([{ TAGS: null, name: 'n', other: 1 }, null]),
      200,
      updated([
        { name: 'n', tags: [] },
        { name: '', tags: [] },
      ]),
    );
    await expectList({ name: 'n', tags: [] }, { name: '', tags: [] });
    expectJson(await put([]), 200, updated([]));
    await expectList();
  });
});

describe('metric list', () => {
  const scene = serving(embedded);

  it('stays as it is when the body is malformed', async () => {
    await scene.status.put(PATH, { ...admin, body: metrics });
    for (const body of ['', '[{"tags":[1]}]']) {
      expectError(await scene.status.put(PATH, { ...admin, body }), 'malformed');
    }
    expectJson(await scene.status.get(PATH, { ...admin, ...UNDER_XML }), 200, listOf(...metrics));
  });

  it('is shown for a report as far as its metric profile has it as of a day', async () => {
    const tenant = await newTenant(scene.status);
    await scene.status.put(PATH, { ...admin, body: metrics });
    const profile = (...names: readonly string[]) => ({
      name: 'p',
      services: [
        { service: 's', metrics: names },
        { service: 't', metrics: ['c'] },
      ],
    });
    const id = idOf(await tenant.post('/metric_profiles?date=2020-02-01', profile('b <&>', 'unlisted')));
    await tenant.put(`/metric_profiles/${id}?date=2020-03-01`, profile('a'));
    const report = async (name: string, profiles: readonly object[]) =>
      idOf(await tenant.post('/reports', { info: { name }, topology_schema: {}, profiles, filter_tags: [] }));
    await report('r', [{ id, type: 'metric' }]);
    await report('without', []);
    const names = async (query: string) => recordsOf(await tenant.get(`/metrics/by_report/r${query}`)).map(({ name }) => name);
    expect(await names('')).toEqual(['a', 'c']);
    expectJson(await tenant.get('/metrics/by_report/r?date=2020-02-15'), 200, listOf(metrics[0], metrics[2]));
    expectJson(await tenant.get('/metrics/by_report/r?date=2020-02-15', UNDER_XML), 200, listOf(metrics[0], metrics[2]));
    const other = idOf(await tenant.post('/metric_profiles?date=2020-02-01', { name: 'q', services: [{ service: 's', metrics: ['a'] }] }));
    await report('two', [
      { id, type: 'metric' },
      { id: other, type: 'metric' },
    ]);
    expectJson(await tenant.get('/metrics/by_report/two?date=2020-02-15'), 200, listOf(metrics[1]));

    expectError(await tenant.get('/metrics/by_report/r?date=2020-02-30'), 'bad date');
    expectJson(await tenant.get('/metrics/by_report/R'), 404, emsg(404, 'No report with name: R exists!'));
    expectJson(await tenant.get('/metrics/by_report/without', UNDER_XML), 404, emsg(404, "Report doesn't contain a metric profile"));
    const missing = emsg(404, `No metric profiles with ID: ${id} exists!`);
    expectJson(await tenant.get('/metrics/by_report/r?date=2020-01-01'), 404, missing);
    await tenant.delete(`/metric_profiles/${id}`);
    expectJson(await tenant.get('/metrics/by_report/r'), 404, missing);
  });
});
