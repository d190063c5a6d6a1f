import { describe, expect, it } from '@jest/globals';
import { dayBefore } from '#domain/shared/time.js';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { badDate, listOf } from '#test/e2e/status/contract.js';
import { estat, expectJson, newTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { onOneDay, today } from '#test/support/clocks/one-day.js';
import { deployments, embedded } from '#test/support/deployments.js';

const PATH = '/downtimes';
const downtime = (hostname: string, members: object = {}) => ({
  hostname,
  service: 'web',
  start_time: '2020-01-01T10:00:00Z',
  end_time: 'whenever',
  ...members,
});
const texts = (day: string) => ({
  created: estat(201, `Downtimes set created for date: ${day}`),
  taken: estat(409, `Downtimes already exists for date: ${day}, please either update it or delete it first!`),
  deleted: estat(200, `Downtimes set deleted for date: ${day}`),
  missing: estat(404, `Downtimes dataset not found for date: ${day}`),
});

describe.each(deployments)('downtimes on %s', (_name, open) => {
  const scene = serving(open);

  it('are a set for exactly one day', async () => {
    const tenant = await newTenant(scene.status);
    const [day, path] = ['2020-01-01', `${PATH}?date=2020-01-01`];
    const { created, taken, deleted, missing } = texts(day);
    const endpoints = [downtime('a', { description: 'd <&>', classification: 'scheduled', severity: 'outage' }), downtime('b')];
    expectJson(await tenant.get(path), 200, listOf({ date: day, endpoints: [] }));
    expectJson(await tenant.delete(path), 404, missing);
    expectJson(await tenant.post(path, { endpoints }), 201, created);
    expectJson(await tenant.post(path, { endpoints: [] }), 409, taken);
    expectJson(await tenant.get(path), 200, listOf({ date: day, endpoints }));
    for (const other of ['2019-12-31', '2020-01-02']) {
      expectJson(await tenant.get(`${PATH}?date=${other}`), 200, listOf({ date: other, endpoints: [] }));
    }
    expectJson(await (await newTenant(scene.status)).get(path), 200, listOf({ date: day, endpoints: [] }));
    expectJson(await tenant.delete(path), 200, deleted);
    expectJson(await tenant.delete(path), 404, missing);
    expectJson(await tenant.get(path), 200, listOf({ date: day, endpoints: [] }));
    expectJson(await tenant.post(path, { endpoints: endpoints.slice(1) }), 201, created);
    expectJson(await tenant.get(path), 200, listOf({ date: day, endpoints: endpoints.slice(1) }));
  });

  it('may be many', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const endpoints = Array.from({ length: 2_000 }, (_, index) => downtime(`host-${index}`, { description: 'x'.repeat(300) }));
      expectJson(await tenant.post(PATH, { endpoints }), 201, texts(today).created);
      expectJson(await tenant.get(PATH), 200, listOf({ date: today, endpoints }));
    }));
});

describe('downtimes', () => {
  const scene = serving(embedded);

  it('without a day are those of today, and show members in order, the empty ones of the last three not at all', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const endpoints = [
        { severity: 's', CLASSIFICATION: '', description: 'd', end_time: 'e', start_time: '', service: 'v', hostname: 'h', other: 1 },
        null,
      ];
      expectJson(await tenant.post(PATH, { date: '1999-01-01', endpoints }), 201, texts(today).created);
      const empty = { hostname: '', service: '', start_time: '', end_time: '' };
      const shown = [{ ...empty, hostname: 'h', service: 'v', end_time: 'e', description: 'd', severity: 's' }, empty];
      for (const query of ['', '?date=', `?date=${today}`]) {
        expectJson(await tenant.get(PATH + query), 200, listOf({ date: today, endpoints: shown }));
      }
    }));

  it.each([
    ['severity=outage', ['a', 'b']],
    ['severity=outage&classification=scheduled', ['a']],
    ['classification=unscheduled', ['b', 'c']],
    ['classification=', ['a', 'b', 'c', 'd']],
    ['severity=OUTAGE', []],
    ['severity=out*', []],
    ['severity=outage&severity=warning', ['a', 'b']],
    ['hostname=a', ['a', 'b', 'c', 'd']],
  ])('filtered by %s', (query, hosts) =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      const endpoints = [
        downtime('a', { classification: 'scheduled', severity: 'outage' }),
        downtime('b', { classification: 'unscheduled', severity: 'outage' }),
        downtime('c', { classification: 'unscheduled', severity: 'warning' }),
        downtime('d'),
      ];
      await tenant.post(PATH, { endpoints });
      const expected = endpoints.filter(({ hostname }) => hosts.includes(hostname));
      expectJson(await tenant.get(`${PATH}?${query}`), 200, listOf({ date: today, endpoints: expected }));
    }),
  );

  it('without a day are not made with the Idempotency-Key of those of yesterday', async () => {
    const tenant = await newTenant(scene.status);
    const post = (query: string) => tenant.post(PATH + query, { endpoints: [] }, { headers: { 'idempotency-key': 'k' } });
    expect([(await post(`?date=${dayBefore(today())}`)).status, (await post('')).status]).toEqual([201, 422]);
  });

  it('check the day, then whether there is a set, then the body', () =>
    onOneDay(async (today) => {
      const tenant = await newTenant(scene.status);
      for (const method of ['GET', 'POST', 'DELETE']) {
        expectError(await tenant.call(method, `${PATH}?date=2020-02-30`, { body: '{' }), 'bad date');
        expectJson(await tenant.call(method, `${PATH}?date=1`, { body: '{' }), 400, badDate('1'));
      }
      for (const body of ['', '{', '[]', '{"endpoints":{}}', '{"endpoints":[1]}', '{"endpoints":[{"severity":1}]}', '{"date":1}']) {
        expectError(await tenant.post(PATH, body), 'malformed');
      }
      expectJson(await tenant.post(PATH, '{}'), 201, texts(today).created);
      expectJson(await tenant.post(PATH, '{'), 409, texts(today).taken);
      const underXml = await tenant.post(PATH, '{', UNDER_XML);
      expect([underXml.status, underXml.text]).toEqual([
        409,
        `<root>\n <status>\n  <message>${texts(today).taken.status.message}</message>\n  <code>409</code>\n </status>\n</root>`,
      ]);
      expectJson(await tenant.get(PATH, UNDER_XML), 200, listOf({ date: today, endpoints: [] }));
    }));
});
