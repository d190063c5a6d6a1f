import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { malformed } from '#test/e2e/status/contract.js';
import { expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { embedded } from '#test/support/deployments.js';
import { at, ndjson, newReport, type Point, point, send, sendLines, stored, unprocessable } from './metric-points.js';

const good = point('r');

describe('Recording metric results', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
  });

  /** How many results of the host the day has. */
  const countOf = async (host: string, of = tenant): Promise<number> => {
    const { text } = await of.get(`/metric_result/${host}?exec_time=${at('00:00:00')}`);
    return text.split('"Timestamp"').length - 1;
  };

  it('answers JSON', async () => {
    expectJson(await tenant.post('/metric_data', [], UNDER_XML), 201, stored(0));
  });

  it.each([
    ['an array', 'array', 'application/json', (points: readonly Point[]) => JSON.stringify(points)],
    ['an array of no stated type', 'untyped', undefined, (points: readonly Point[]) => JSON.stringify(points, null, 2)],
    ['lines', 'lines', 'application/x-ndjson', ndjson],
    ['lines with an end', 'ended', 'Application/X-NDJSON; charset=utf-8', (points: readonly Point[]) => `\n${ndjson(points)}\r\n\n`],
    ['lines under the newer name', 'newer', 'application/ndjson', ndjson],
  ])('stores %s', async (_what, host, type, write) => {
    const points = [0, 1, 2].map((hour) => point('r', { host, timestamp: at(`0${hour}:00:00`) }));
    const answer = await tenant.post('/metric_data', write(points), { headers: type ? { 'content-type': type } : {} });
    expectJson(answer, 201, stored(3));
    expect(await countOf(host)).toBe(3);
  });

  it.each([
    ['[]', 'application/json'],
    ['null', 'application/json'],
    ['', 'application/x-ndjson'],
    [' \n\n', 'application/x-ndjson'],
  ])('stores no results for the empty body %j', async (body, type) =>
    expectJson(await tenant.post('/metric_data', body, { headers: { 'content-type': type } }), 201, stored(0)),
  );

  it.each(['', '{}', `${JSON.stringify([good])}x`, ndjson([good, good])])('refuses %j, which is no JSON array', async (body) =>
    expectJson(await tenant.post('/metric_data', body), 400, malformed),
  );

  it.each([
    [{ service: null }, 'service is missing'],
    [{ timestamp: '2015-02-30T00:00:00Z' }, 'timestamp is not in the form YYYY-MM-DDTHH:MM:SSZ'],
    [{ info: [] }, 'found array where an object is due'],
  ])('refuses all of a call that has an item with %j', async (changes, what) => {
    const host = `refused-${JSON.stringify(changes).length}-${what.length}`;
    const points = [point('r', { host }), point('r', { host, ...changes }), point('r', { host, timestamp: '' })];
    expectJson(await send(tenant, points), 422, unprocessable(`line 2: ${what}`));
    expectJson(
      await sendLines(tenant, `${ndjson(points.slice(0, 1))}\n\n${ndjson(points.slice(1))}`),
      422,
      unprocessable(`line 3: ${what}`),
    );
    expect(await countOf(host)).toBe(0);
  });

  it('says which item is no object, and which line is not JSON', async () => {
    expectJson(await send(tenant, [good, JSON.parse('[]')]), 422, unprocessable('line 2: found array where an object is due'));
    expectJson(await tenant.post('/metric_data', '[null]'), 422, unprocessable('line 1: found null where an object is due'));
    expectJson(await sendLines(tenant, `${ndjson([good])}\n{"a"`), 422, unprocessable('line 2: not valid JSON'));
    expectJson(await sendLines(tenant, JSON.stringify([good])), 422, unprocessable('line 1: found array where an object is due'));
    // What is no array at all comes before what is wrong with its items.
    expectJson(await tenant.post('/metric_data', '[{}, {]'), 400, malformed);
    const inXml = await tenant.post('/metric_data', '[{}]', UNDER_XML);
    expect(inXml.text).toContain('<details>line 1: timestamp is missing</details>');
  });

  it('ignores unknown members, and the letter case of keys', async () => {
    const { timestamp, ...others } = point('r', { host: 'lenient', date: 20150501, metric_type: {} });
    expectJson(await send(tenant, [{ TimeStamp: timestamp, ...others }]), 201, stored(1));
    expect(await countOf('lenient')).toBe(1);
  });

  it('takes any names', async () => {
    const names = ['a/b', 'ü ö', '%2F', '~', 'x'.repeat(5_000), '"<&>'];
    await send(
      tenant,
      names.map((host) => point(host, { host, service: host, metric: host, status: host, endpoint_group: host })),
    );
    for (const host of names.filter((name) => !name.includes('/'))) {
      const answer = await tenant.get(`/metric_result/${encodeURIComponent(host)}?exec_time=${at('12:00:00')}`);
      const metric = { Name: host, Service: host, Details: [{ Timestamp: at('12:00:00'), Value: host, Summary: '', Message: '' }] };
      expect(answer.json).toEqual({ root: [{ Name: host, Metrics: [metric] }] });
    }
  });

  it('appends nothing when a call is repeated under its key, and refuses another body under it', async () => {
    const headers = { 'idempotency-key': 'once' };
    const report = await newReport(tenant, 'keyed');
    const points = Array.from({ length: 150 }, (_, n) => point(report, { host: `keyed-${n % 3}`, message: `${n}` }));
    const together = await Promise.all([1, 2, 3].map(() => send(tenant, points, headers)));
    for (const answer of [...together, await send(tenant, points, headers)]) expectJson(answer, 201, stored(150));
    // Unlike the results of a host, the newest points are not merged.
    const { text } = await tenant.get(`/latest/keyed/SITES?limit=-1&date=${at('00:00:00')}`);
    expect(text.split('"timestamp"')).toHaveLength(151);
    const other = await send(tenant, [point(report, { host: 'other' }), ...points], headers);
    expectJson(other, 422, unprocessable('The Idempotency-Key was used before with another request body'));
    expect(await countOf('other')).toBe(0);
    const colleague = await newTenant(scene.status);
    expectJson(await send(colleague, points.slice(0, 1), headers), 201, stored(1));
  });

  it('takes a large call of many hosts, and shows all of it at once', async () => {
    const filler = 'm'.repeat(1_000);
    const points = Array.from({ length: 6_000 }, (_, n) =>
      point('r', {
        host: n % 2 ? 'large' : `large-${n % 200}`,
        timestamp: at(new Date(n * 1_000).toISOString().slice(11, 19)),
        message: filler,
      }),
    );
    expectJson(await sendLines(tenant, ndjson(points)), 201, stored(6_000));
    expect([await countOf('large'), await countOf('large-198')]).toEqual([3_000, 30]);
  });

  it('takes one large result', async () => {
    const message = 'm'.repeat(3_000_000);
    expectJson(await send(tenant, [point('r', { host: 'huge', message })]), 201, stored(1));
    expect((await tenant.get(`/metric_result/huge/ping?exec_time=${at('12:00:00')}`)).text).toContain(message);
  });

  it('keeps tenants apart', async () => {
    const other = await newTenant(scene.status);
    await send(tenant, [point('r', { host: 'apart' })]);
    expect(await countOf('apart', other)).toBe(0);
  });
});
