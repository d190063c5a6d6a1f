import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { forAny } from '#test/support/for-any.js';
import { type Answer, recordsOf, registerTenant } from '#test/support/status-client.js';
import { runs } from '#test/support/test-runs.js';

const TENANTS = ['one', 'two'] as const;
const NAMES = ['a', 'b', 'c'];
const DAYS = ['2024-01-01', '2024-01-02'];

/** What a tenant does; both use the same names and days. */
const step = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  act: fc.constantFrom('weights', 'metric_profiles', 'reports', 'downtimes', 'topology', 'recomputations', 'metric_data', 'delete'),
  name: fc.constantFrom(...NAMES),
  day: fc.constantFrom(...DAYS),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const scene = serving(embedded);
let round = 0;

/** Two new tenants for each run, told apart only by their keys and by a mark in everything they write. */
const newTenants = async (): Promise<Readonly<Record<Step['tenant'], string>>> => {
  round++;
  const [one = '', two = ''] = TENANTS.map((tenant) => `${tenant}-${round}`);
  for (const name of [one, two]) await registerTenant(scene.status, ADMIN, name, ['admin']);
  return { one: `${one}-admin`, two: `${two}-admin` };
};

const perform = ({ act, name, day }: Step, key: string): Promise<Answer> => {
  const { status } = scene;
  const at = `?date=${day}`;
  switch (act) {
    case 'weights':
      return status.post(`/weights${at}`, { key, body: { name, groups: [{ name: key, value: 1 }] } });
    case 'metric_profiles':
      return status.post(`/metric_profiles${at}`, { key, body: { name, description: key } });
    case 'reports':
      return status.post('/reports', { key, body: { info: { name, description: key } } });
    case 'downtimes':
      return status.post(`/downtimes${at}`, { key, body: [{ hostname: key, service: name }] });
    case 'topology':
      return status.post(`/topology/groups${at}`, { key, body: [{ group: key, type: 'T', subgroup: name }] });
    case 'recomputations': {
      const [start_time, end_time] = [`${day}T00:00:00Z`, `${day}T01:00:00Z`];
      return status.post('/recomputations', {
        key,
        body: { start_time, end_time, reason: key, requester_name: 'n', requester_email: 'e', report: name },
      });
    }
    case 'metric_data': {
      const point = { timestamp: `${day}T00:00:00Z`, report: 'r', service: 's', host: 'host', metric: name, status: 'OK', summary: key };
      return status.post('/metric_data', { key, body: [point] });
    }
    case 'delete':
      return status.delete(`/downtimes${at}`, { key });
  }
};

/** Everything a tenant can list, with the member that carries the mark of who wrote it. */
const marks = async (key: string): Promise<readonly string[]> => {
  const { status } = scene;
  const records = async (path: string) => recordsOf(await status.get(path, { key }));
  const found: unknown[] = [];
  for (const day of DAYS) {
    const at = `?date=${day}`;
    found.push(...(await records(`/weights${at}`)).map((record) => (record.groups as { name: string }[])[0]?.name));
    found.push(...(await records(`/metric_profiles${at}`)).map(({ description }) => description));
    found.push(
      ...(await records(`/downtimes${at}`)).flatMap(({ endpoints }) =>
        (endpoints as { hostname: string }[]).map(({ hostname }) => hostname),
      ),
    );
    const groups = await status.get(`/topology/groups${at}`, { key });
    if (groups.status === 200) found.push(...recordsOf(groups).map(({ group }) => group));
    const results = await status.get(`/metric_result/host?exec_time=${day}T00:00:00Z`, { key });
    found.push(...[...results.text.matchAll(/"Summary": "([^"]*)"/g)].map(([, summary]) => summary));
  }
  found.push(...(await records('/reports')).map(({ info }) => (info as { description: string }).description));
  const { root } = (await status.get('/recomputations', { key })).json as { root: { reason: string }[] };
  found.push(...root.map(({ reason }) => reason));
  return found.map(String);
};

it('two tenants with the same names and days never see each other', async () => {
  await forAny(runs(8), fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
    const together = await newTenants();
    const alone = await newTenants();
    for (const one of steps) {
      const answer = await perform(one, together[one.tenant]);
      // The same program without the other tenant around has the same answers: no name is taken, no day is there because of it.
      if (one.tenant === 'one') expect((await perform(one, alone.one)).status).toBe(answer.status);
    }
    for (const tenant of TENANTS)
      expect(new Set([...(await marks(together[tenant])), together[tenant]])).toEqual(new Set([together[tenant]]));
    expect((await marks(together.one)).length).toBe((await marks(alone.one)).length);
  });
});
