import { describe, expect, it } from '@jest/globals';
import { dayBefore } from '#domain/shared/time.js';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { listOf, pretty } from '#test/e2e/status/contract.js';
import { emsg, expectJson, newTenant, queryFoundNothing, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { onOneDay, today } from '#test/support/clocks/one-day.js';
import { deployments, embedded } from '#test/support/deployments.js';
import { endpoint, group, hosts, serviceType } from './topology-items.js';

const KINDS = [
  { kind: 'endpoints', what: 'endpoints', list: 'Topology', items: [endpoint('h1'), endpoint('h2')] },
  { kind: 'groups', what: 'groups', list: 'Topology', items: [group('SITE-A'), group('SITE-B')] },
  { kind: 'service-types', what: 'service types', list: 'Topology list of service types', items: [serviceType('a'), serviceType('b')] },
] as const;

const shown = (kind: string, items: readonly object[], date: string) =>
  items.map((item) => ({ date, ...item, ...(kind === 'service-types' ? {} : { tags: null }) }));
describe.each(deployments)('topology on %s', (_name, open) => {
  const scene = serving(open);

  it.each(KINDS)('$kind are written once for a day, read as of later days, and deleted', async ({ kind, what, list, items }) => {
    const tenant = await newTenant(scene.status);
    const path = `/topology/${kind}`;
    expectJson(await tenant.get(path), 404, queryFoundNothing);
    const creation = await tenant.post(`${path}?date=2020-05-10`, items);
    expectJson(creation, 201, emsg(201, `Topology of 2 ${what} created for date: 2020-05-10`));
    const taken = `${list} already exists for date: 2020-05-10, please either update it or delete it first!`;
    expectJson(await tenant.post(`${path}?date=2020-05-10`, []), 409, emsg(409, taken));
    expectJson(await tenant.post(`${path}?date=2020-05-10`, '{'), 409, emsg(409, taken));
    expectJson(
      await tenant.post(`${path}?date=2020-05-20`, items.slice(1)),
      201,
      emsg(201, `Topology of 1 ${what} created for date: 2020-05-20`),
    );

    expectJson(await tenant.get(`${path}?date=2020-05-09`), 404, queryFoundNothing);
    for (const date of ['2020-05-10', '2020-05-19']) {
      expectJson(await tenant.get(`${path}?date=${date}`), 200, listOf(...shown(kind, items, '2020-05-10')));
    }
    for (const query of ['?date=2020-05-20', '?date=', '']) {
      expectJson(await tenant.get(`${path}${query}`), 200, listOf(...shown(kind, items.slice(1), '2020-05-20')));
    }

    expectJson(await tenant.delete(`${path}?date=2020-05-11`), 404, queryFoundNothing);
    expectJson(await tenant.delete(`${path}?date=2020-05-20`), 200, emsg(200, `Topology of 1 ${what} deleted for date: 2020-05-20`));
    expectJson(await tenant.delete(`${path}?date=2020-05-20`), 404, queryFoundNothing);
    expectJson(await tenant.get(path), 200, listOf(...shown(kind, items, '2020-05-10')));
    expect((await tenant.post(`${path}?date=2020-05-20`, items)).status).toBe(201);
    expectJson(await tenant.get(path), 200, listOf(...shown(kind, items, '2020-05-20')));
    expect((await (await newTenant(scene.status)).get(path)).status).toBe(404);
  });

  it.each([
    ['endpoints', endpoint],
    ['groups', group],
  ] as const)('tags of %s are shown in the order of their keys', (kind, item) =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const tags = { scope: 'EGI', Z: '', é: '1', monitored: '1' };
      expect((await tenant.post(`/topology/${kind}`, [item('a', { tags })])).status).toBe(201);
      const inOrder = { Z: '', monitored: '1', scope: 'EGI', é: '1' };
      expectJson(await tenant.get(`/topology/${kind}`), 200, listOf({ date: today, ...item('a'), tags: inOrder }));
    }),
  );

  it('a long list is read whole and filtered, and goes as a whole', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const items = Array.from({ length: 3_000 }, (_, index) =>
        endpoint(`host-${index}`, { group: 'g'.repeat(500) + Math.floor(index / 1_000) }),
      );
      const creation = await tenant.post('/topology/endpoints', items);
      expectJson(creation, 201, emsg(201, `Topology of 3000 endpoints created for date: ${today}`));
      const read = await tenant.get('/topology/endpoints');
      expect(read.text === pretty(listOf(...shown('endpoints', items, today)))).toBe(true);
      expect(await hosts(tenant, 'hostname=host-12*9')).toEqual([
        'host-129',
        'host-1209',
        'host-1219',
        'host-1229',
        'host-1239',
        'host-1249',
        'host-1259',
        'host-1269',
        'host-1279',
        'host-1289',
        'host-1299',
      ]);
      expect((await tenant.delete('/topology/endpoints')).text).toContain('Topology of 3000 endpoints deleted');
      expect((await tenant.get('/topology/endpoints')).status).toBe(404);
    }));

  it('a repeated creation with its Idempotency-Key gets the first answer, and writes nothing', () =>
    onOneDay(async () => {
      const tenant = await newTenant(scene.status);
      const post = () => tenant.post('/topology/groups', [group('a')], { headers: { 'idempotency-key': 'k' } });
      const first = await post();
      expect([first.status, (await post()).text]).toEqual([201, first.text]);
      await tenant.delete('/topology/groups');
      expect((await post()).text).toBe(first.text);
      expect((await tenant.get('/topology/groups')).status).toBe(404);
    }));

  it('a creation without a date is not made with the Idempotency-Key of one for yesterday', async () => {
    const tenant = await newTenant(scene.status);
    const post = (query: string) => tenant.post(`/topology/groups${query}`, [group('a')], { headers: { 'idempotency-key': 'k' } });
    expect([(await post(`?date=${dayBefore(today())}`)).status, (await post('')).status]).toEqual([201, 422]);
  });
});

describe('topology', () => {
  const scene = serving(embedded);
  it('shows members in the order of the contract, whatever was sent; empty and absent ones as it says', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const sent = [
        {
          TAGS: { b: 'x <&>', a: '' },
          notifications: { enabled: true, contacts: ['a@b', ''] },
          hostname: 'h',
          service: 's',
          Type: 't',
          group: 'g',
          date: 'never',
          tenant: 'x',
          more: 1,
        },
        { tags: {}, notifications: { enabled: false, contacts: [] } },
        { tags: null, notifications: null },
        { tags: { a: null }, notifications: { contacts: null, enabled: true } },
        null,
      ];
      const text = JSON.stringify(sent).replace('"a":""', '"a":"","__proto__":"p"');
      expect((await tenant.post('/topology/endpoints', text)).status).toBe(201);
      const date = today;
      const empty = { date, group: '', type: '', service: '', hostname: '' };
      const tags = Object.fromEntries([
        ['__proto__', 'p'],
        ['a', ''],
        ['b', 'x <&>'],
      ]);
      expectJson(
        await tenant.get('/topology/endpoints'),
        200,
        listOf(
          { ...empty, notifications: {}, tags: {} },
          { ...empty, tags: null },
          { ...empty, notifications: { enabled: true }, tags: { a: '' } },
          { ...empty, tags: null },
          { date, group: 'g', type: 't', service: 's', hostname: 'h', notifications: { contacts: ['a@b', ''], enabled: true }, tags },
        ),
      );
      await tenant.post('/topology/groups', [
        { tags: { k: 'v' }, notifications: { contacts: ['c'] }, subgroup: 'u', type: 't', group: 'g' },
      ]);
      expectJson(
        await tenant.get('/topology/groups'),
        200,
        listOf({ date, group: 'g', type: 't', subgroup: 'u', notifications: { contacts: ['c'] }, tags: { k: 'v' } }),
      );
      await tenant.post('/topology/service-types', [
        { tags: ['x', 'y'], description: 'd', title: 't', name: 'n' },
        { name: 'm', tags: [] },
      ]);
      expectJson(
        await tenant.get('/topology/service-types'),
        200,
        listOf({ date, name: 'm', title: '', description: '' }, { date, name: 'n', title: 't', description: 'd', tags: ['x', 'y'] }),
      );
    }));

  it('is listed by group, type and service, or by name; what is equal in them stays as it was sent', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const at = (group: string, type: string, service: string, hostname: string) => ({ group, type, service, hostname });
      const under = (group: string, type: string, subgroup: string) => ({ group, type, subgroup });
      const [endpoints, groups, types] = [
        [
          at('B', 'T', 'a', '1'),
          at('A', 'T', 'b', '2'),
          at('A', 'T', 'b', '1'),
          at('A', 'T', 'B', '3'),
          at('A', 'S', 'x', '4'),
          at('Ａ', 'S', 'x', '5'),
          at('😀', 'S', 'x', '6'),
        ],
        [under('B', 'T', '1'), under('A', 'T', '3'), under('A', 'T', '2'), under('A', 'S', '4')],
        [serviceType('b'), serviceType('a'), { ...serviceType('b'), title: 'second' }],
      ];
      const sent = [endpoints, groups, types];
      const orders = [
        [4, 3, 1, 2, 0, 5, 6],
        [3, 1, 2, 0],
        [1, 0, 2],
      ];
      for (const [index, { kind }] of KINDS.entries()) {
        const items = sent[index] ?? [];
        expect((await tenant.post(`/topology/${kind}`, items)).status).toBe(201);
        const inOrder = orders[index]?.map((at) => items[at] ?? {}) ?? [];
        expectJson(await tenant.get(`/topology/${kind}`), 200, listOf(...shown(kind, inOrder, today)));
      }
    }));

  it('takes an empty list, and null for one, as an empty day', async () => {
    const tenant = await newTenant(scene.status);
    for (const [body, date] of [
      ['[]', '2020-01-01'],
      ['null', '2020-01-02'],
    ] as const) {
      expectJson(
        await tenant.post(`/topology/endpoints?date=${date}`, body),
        201,
        emsg(201, `Topology of 0 endpoints created for date: ${date}`),
      );
      expectJson(await tenant.get(`/topology/endpoints?date=${date}`), 200, listOf());
      expect((await tenant.post(`/topology/endpoints?date=${date}`, body)).status).toBe(409);
    }
    expectJson(
      await tenant.delete('/topology/endpoints?date=2020-01-01'),
      200,
      emsg(200, 'Topology of 0 endpoints deleted for date: 2020-01-01'),
    );
  });

  it.each(KINDS)('$kind: the day is checked first, then the body', async ({ kind }) => {
    const tenant = await newTenant(scene.status);
    const path = `/topology/${kind}`;
    for (const method of ['GET', 'POST', 'DELETE'])
      expectError(await tenant.call(method, `${path}?date=2020-02-30`, { body: '{' }), 'bad date');
    for (const body of ['', '{', '{}', '"a"', '[1]', '[[]]', '[{"date":5}]', '[{"tenant":5}]', '[{"tags":"a"}]', '[] x']) {
      expectError(await tenant.post(path, body), 'malformed');
    }
    expect((await tenant.get(path)).status).toBe(404);
    expect((await tenant.get(path, UNDER_XML)).text).toContain('<errors>\n  <error>\n   <message>Not Found</message>');
  });

  it.each([
    '{"tags":{"a":1}}',
    '{"notifications":[]}',
    '{"notifications":{"contacts":"a"}}',
    '{"notifications":{"enabled":"true"}}',
    '{"hostname":1}',
  ])('refuses an endpoint %s', async (item) =>
    expectError(await (await newTenant(scene.status)).post('/topology/endpoints', `[${item}]`), 'malformed'),
  );

  it('answers JSON under XML', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const created = await tenant.post('/topology/groups', [], UNDER_XML);
      expectJson(created, 201, emsg(201, `Topology of 0 groups created for date: ${today}`));
      expectJson(await tenant.get('/topology/groups', UNDER_XML), 200, listOf());
      const taken = `Topology already exists for date: ${today}, please either update it or delete it first!`;
      expectJson(await tenant.post('/topology/groups', [], UNDER_XML), 409, emsg(409, taken));
    }));
});
