import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { expectJson, newTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { embedded } from '#test/support/deployments.js';
import { idOf } from '#test/support/status-client.js';

const weights = (name: string, weight_type: string, groups: Readonly<Record<string, number>>) => ({
  name,
  weight_type,
  group_type: 'SITES',
  groups: Object.entries(groups).map(([group, value]) => ({ name: group, value })),
});
const factors = (...pairs: readonly (readonly [string, string])[]) => ({ factors: pairs.map(([site, weight]) => ({ site, weight })) });

describe('factors', () => {
  const scene = serving(embedded);

  it('are the newest hepspec weights as of today, by site', async () => {
    const tenant = await newTenant(scene.status);
    expectJson(await tenant.get('/factors'), 200, factors());
    const create = (date: string, body: object) => tenant.post(`/weights?date=${date}`, body);
    await create('2020-06-01', weights('other', 'cores', { X: 1 }));
    expectJson(await tenant.get('/factors'), 200, factors());
    const id = idOf(await create('2020-01-01', weights('old', 'hepspec', { A: 1 })));
    expectJson(await tenant.get('/factors'), 200, factors(['A', '1']));
    await create('2020-02-01', weights('new', 'HepSpec', { b: 2, 'Z<': 1.5, A: 1_000_000, é: 0 }));
    expectJson(await tenant.get('/factors'), 200, factors(['A', '1000000'], ['Z<', '1.5'], ['b', '2'], ['é', '0']));
    await create('2999-01-01', weights('future', 'hepspec', { F: 9 }));
    await tenant.put(`/weights/${id}?date=2020-03-01`, weights('old', 'HEPSPEC', { C: -0.25 }));
    expectJson(await tenant.get('/factors'), 200, factors(['C', '-0.25']));
    await tenant.delete(`/weights/${id}`);
    expectJson(await tenant.get('/factors?date=2020-01-01'), 200, factors(['A', '1000000'], ['Z<', '1.5'], ['b', '2'], ['é', '0']));
    expectJson(await (await newTenant(scene.status)).get('/factors'), 200, factors());
  });

  it('have an XML form', async () => {
    const tenant = await newTenant(scene.status);
    expect((await tenant.get('/factors', UNDER_XML)).text).toBe('<root></root>');
    await tenant.post('/weights', weights('w', 'hepspec', { 'B"<': 2, A: 1.5 }));
    const answer = await tenant.get('/factors', UNDER_XML);
    expect(answer.text).toBe('<root>\n <Factor site="A" weight="1.5"></Factor>\n <Factor site="B&#34;&lt;" weight="2"></Factor>\n</root>');
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  });
});
