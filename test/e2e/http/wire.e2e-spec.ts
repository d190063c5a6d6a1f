import { request } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorName, expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { badDate, DATED, invalidProfile, pretty, profile, sample, UNKNOWN_ID, UUID } from '#test/e2e/status/contract.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { type Call, idOf, registerTenant } from '#test/support/status-client.js';

const key = 'wire-admin';
const viewer = 'wire-viewer';
const BROKEN = '{"name":';
const IMAGE = 'image/png';
const plain = 'text/plain; charset=utf-8';

type Row = readonly [what: string, method: string, path: string, call: Call, error: ErrorName];

/** The `Location` that a path is answered with, sent as it is written; `fetch` would clean it before. */
const redirectOf = (server: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server);
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.headers.location ?? '');
    });
    sent.on('error', reject).end();
  });

describe('the wire of the status service', () => {
  const scene = serving(embedded);
  const known = { operations_profiles: '', weights: '' };
  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'wire', ['admin', 'viewer']);
    for (const resource of DATED)
      known[resource] = idOf(await scene.status.post(`/${resource}?date=2020-01-01`, { key, body: sample(resource, 'known') }));
  });

  describe('checks in the order of the contract', () => {
    const rows: Row[] = [];
    for (const resource of DATED) {
      const [list, unknown] = [`/${resource}`, `/${resource}/${UNKNOWN_ID}`];
      for (const [method, path] of [
        ['GET', list],
        ['GET', unknown],
        ['POST', list],
        ['PUT', unknown],
        ['DELETE', unknown],
      ] as const)
        rows.push(
          ['no key, whatever else is wrong', method, `${path}?date=2020-02-30`, { accept: IMAGE, body: BROKEN }, 'unauthorized'],
          ['an empty key', method, path, { key: '' }, 'unauthorized'],
          ['Accept before the handler', method, `${path}?date=2020-02-30`, { key, accept: IMAGE, body: BROKEN }, 'not acceptable'],
        );
      for (const [method, path] of [
        ['POST', list],
        ['PUT', unknown],
        ['DELETE', unknown],
      ] as const)
        rows.push(['the role before Accept', method, `${path}?date=2020-02-30`, { key: viewer, accept: IMAGE, body: BROKEN }, 'forbidden']);
      for (const [method, path] of [
        ['GET', list],
        ['GET', unknown],
        ['POST', list],
        ['PUT', unknown],
      ] as const)
        rows.push(['the date before the body and existence', method, `${path}?date=2020-02-30`, { key, body: BROKEN }, 'bad date']);
      rows.push(
        ['no date on deletion', 'DELETE', `${unknown}?date=2020-02-30`, { key, body: BROKEN }, 'not found'],
        ['an unknown id', 'GET', unknown, { key }, 'not found'],
        ['a body that is no JSON', 'POST', list, { key, body: BROKEN }, 'malformed'],
      );
    }
    rows.push(
      ['existence before the body', 'PUT', `/weights/${UNKNOWN_ID}`, { key, body: BROKEN }, 'not found'],
      ['existence before uniqueness', 'PUT', `/weights/${UNKNOWN_ID}`, { key, body: sample('weights', 'known') }, 'not found'],
      ['the body before existence', 'PUT', `/operations_profiles/${UNKNOWN_ID}`, { key, body: BROKEN }, 'malformed'],
      ['existence before validation', 'PUT', `/operations_profiles/${UNKNOWN_ID}`, { key, body: {} }, 'not found'],
      [
        'existence before uniqueness',
        'PUT',
        `/operations_profiles/${UNKNOWN_ID}`,
        { key, body: sample('operations_profiles', 'known') },
        'not found',
      ],
      ['the body of a tenant', 'POST', '/admin/tenants', { key: ADMIN, body: BROKEN }, 'malformed'],
      ['an unknown tenant', 'GET', `/admin/tenants/${UNKNOWN_ID}`, { key: ADMIN }, 'not found'],
      ['Accept for tenants', 'GET', '/admin/tenants', { key: ADMIN, accept: IMAGE }, 'not acceptable'],
    );

    it.each(rows)('%s: %s %s', async (_what, method, path, call, error) => {
      expectError(await scene.status.call(method, path, call), error);
    });

    it('a body that is no JSON for a record that exists', async () => {
      for (const resource of DATED)
        expectError(await scene.status.put(`/${resource}/${known[resource]}`, { key, body: BROKEN }), 'malformed');
    });

    it('validation before uniqueness', async () => {
      const body = { ...profile('known'), defaults: { down: 'X', missing: 'OK', unknown: 'OK' } };
      const invalid = pretty(invalidProfile('Default Down State: X not in available States'));
      for (const answer of [
        await scene.status.post('/operations_profiles', { key, body }),
        await scene.status.put(`/operations_profiles/${known.operations_profiles}`, { key, body }),
      ])
        expect([answer.status, answer.text]).toEqual([422, invalid]);
    });
  });

  it.each([
    '2020-02',
    '2020-2-1',
    '20200201',
    '2023-02-29',
    '2020-13-01',
    '2020-01-00',
    '2020-01-01T00:00:00Z',
    '+2020-01-01',
    '2020-01-01 ',
    'today',
    '<&>',
    '٢٠٢٠-٠١-٠١',
  ])('refuses the day %s and echoes it', async (value) => {
    const answer = await scene.status.get(`/weights?date=${encodeURIComponent(value)}&date=2020-01-01`, { key });
    expect([answer.status, answer.text]).toEqual([400, pretty(badDate(value))]);
  });

  it('takes real days only, the 29th of February included', async () => {
    for (const value of ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])
      expect((await scene.status.get(`/weights?date=${value}`, { key })).status).toBe(200);
  });

  describe('routing', () => {
    it.each([
      '/weights/',
      '/nothing',
      '/',
      '',
      '/weights/a/b',
      '/Weights',
      '/weights/a%2Fb',
      '/operations_profiles/',
      '/admin',
      '/admin/tenants/',
    ])('knows nothing at %s, key or not', async (path) => {
      for (const call of [{}, { key }, { key, body: BROKEN, accept: IMAGE }])
        for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
          const answer = await scene.status.call(method, path, call);
          expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
            404,
            method === 'HEAD' ? '' : '404 page not found\n',
            plain,
          ]);
        }
    });

    it.each([
      ['HEAD', '/weights'],
      ['HEAD', `/weights/${UNKNOWN_ID}`],
      ['PATCH', '/weights'],
      ['PUT', '/weights'],
      ['DELETE', '/weights'],
      ['POST', `/weights/${UNKNOWN_ID}`],
      ['HEAD', '/operations_profiles'],
      ['PUT', '/operations_profiles'],
      ['PATCH', `/operations_profiles/${UNKNOWN_ID}`],
      ['HEAD', '/admin/tenants'],
      ['PATCH', '/admin/tenants'],
    ])('answers 405 without a body to %s %s, key or not', async (method, path) => {
      for (const call of [{}, { key, body: BROKEN }]) {
        const answer = await scene.status.call(method, path, call);
        expect([answer.status, answer.text]).toEqual([405, '']);
      }
    });

    it.each([
      ['//weights', '/api/v2/weights'],
      ['/./weights?name=a//b', '/api/v2/weights?name=a//b'],
      ['/x/../weights', '/api/v2/weights'],
      ['/weights//a', '/api/v2/weights/a'],
      ['/weights/../operations_profiles/', '/api/v2/operations_profiles/'],
    ])('sends %s to the cleaned path', async (path, location) => {
      const answer = await scene.status.get(path);
      expect([answer.status, answer.headers.get('location')]).toEqual([301, location]);
    });

    it.each(['//api/v2/weights?name=a', '/api//v2/weights?name=a', '/./api/v2/weights?name=a', '/x/../api/v2/weights/.?name=a'])(
      'sends %s to the cleaned path, whose prefix shows only there',
      async (path) => {
        const answer = await scene.root.get(path);
        expect([answer.status, answer.headers.get('location')]).toEqual([301, '/api/v2/weights?name=a']);
      },
    );

    it.each(['/v1/../\\evil.example/', '/api/v2/..//..\\/evil.example', '/v1/..//%5Cevil.example/', '/v1/x/../../\\\\evil.example'])(
      'redirects %s to a path of its own host',
      async (path) => {
        const location = await redirectOf(scene.server.url, path);
        expect(new URL(location, 'http://own.example').host).toBe('own.example');
      },
    );

    it('matches paths after percent-decoding', async () => {
      expect((await scene.status.get('/%77eights', { key })).status).toBe(200);
      const id = known.weights;
      expect((await scene.status.get(`/weights/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`, { key })).status).toBe(200);
    });

    it.each([
      `/weights/${'x'.repeat(3_000)}`,
      '/weights/%00',
      '/weights/%F0%9F%8E%89',
      '/weights/%ff',
      `/weights/${UNKNOWN_ID.toUpperCase()}`,
      '/weights/__proto__',
      '/weights/..%2e',
    ])('finds no record at %s', async (path) => expectError(await scene.status.get(path, { key }), 'not found'));

    it.each([
      ['/weights', 'GET, POST, DELETE, PUT, OPTIONS'],
      ['/weights/anything', 'GET, POST, DELETE, PUT, OPTIONS'],
      ['/operations_profiles', 'GET, POST, DELETE, PUT, OPTIONS'],
      ['/operations_profiles/anything', 'GET, POST, DELETE, PUT, OPTIONS'],
      ['/admin/tenants', 'GET,POST,PUT,DELETE,OPTIONS'],
      ['/admin/tenants/anything', 'GET,POST,PUT,DELETE,OPTIONS'],
    ])('tells the methods of %s to anybody', async (path, allow) => {
      const answer = await scene.status.call('OPTIONS', path, { accept: IMAGE });
      const { headers } = answer;
      expect([answer.status, answer.text, headers.get('allow'), headers.get('content-type')]).toEqual([200, '', allow, plain]);
    });
  });

  it('names the request in every answer: with the caller’s id where it has one, else with a new one', async () => {
    for (const call of [{ key }, {}, { key, accept: IMAGE }])
      for (const path of ['/weights', '/nothing', `/weights/${UNKNOWN_ID}`]) {
        const given = await scene.status.get(path, { ...call, headers: { 'x-request-id': 'my-request.1' } });
        expect(given.headers.get('x-request-id')).toBe('my-request.1');
        expect((await scene.status.get(path, call)).headers.get('x-request-id')).toMatch(UUID);
        expect(given.headers.get('x-api-key')).toBeNull();
        expect(given.headers.get('logbook-read-model')).toBeNull();
      }
    const injected = await scene.status.get('/weights', { key, headers: { 'x-request-id': 'a b"}{' } });
    expect(injected.headers.get('x-request-id')).toMatch(UUID);
  });
});
