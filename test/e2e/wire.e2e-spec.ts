import { beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, embedded } from '../support/deployments.js';
import { type Answer, type Call, idOf, registerTenant } from '../support/status-client.js';
import {
  badDate,
  DATED,
  forbidden,
  invalidProfile,
  listOf,
  malformed,
  nameTaken,
  notAcceptable,
  notFound,
  pretty,
  profile,
  sample,
  UNKNOWN_ID,
  UTF8_JSON,
  UUID,
  unauthorized,
} from './contract.js';
import { serving } from './serving.js';

const key = 'wire-admin';
const viewer = 'wire-viewer';
const BROKEN = '{"name":';
const IMAGE = 'image/png';
const plain = 'text/plain; charset=utf-8';

/** Bodies by the row's word for them. */
const ERRORS = {
  malformed: [400, malformed],
  'bad date': [400, badDate('2020-02-30')],
  unauthorized: [401, unauthorized],
  forbidden: [403, forbidden],
  'not found': [404, notFound],
  'not acceptable': [406, notAcceptable],
} as const;
type Row = readonly [what: string, method: string, path: string, call: Call, error: keyof typeof ERRORS];

const xml = (...lines: readonly string[]): string => ['<root>', ...lines.map((line) => ` ${line}`), '</root>'].join('\n');
const xmlStatus = (message: string, code: number, details?: string): string[] => [
  '<status>',
  ` <message>${message}</message>`,
  ` <code>${code}</code>`,
  ...(details ? [` <details>${details}</details>`] : []),
  '</status>',
];
const xmlError = (message: string, code: number, details: string): string =>
  xml(
    ...xmlStatus(message, code),
    '<errors>',
    ' <error>',
    `  <message>${message}</message>`,
    `  <code>${code}</code>`,
    `  <details>${details}</details>`,
    ' </error>',
    '</errors>',
  );

describe('the wire of the status service', () => {
  const scene = serving(embedded);
  const known = { operations_profiles: '', weights: '' };
  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'wire', ['admin', 'viewer']);
    for (const resource of DATED)
      known[resource] = idOf(await scene.status.post(`/${resource}?date=2020-01-01`, { key, body: sample(resource, 'known') }));
  });
  const expectError = (answer: Answer, error: keyof typeof ERRORS) => {
    const [status, body] = ERRORS[error];
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, pretty(body), UTF8_JSON]);
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)));
  };

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

    it('matches paths after percent-decoding', async () => {
      expect((await scene.status.get('/%77eights', { key })).status).toBe(200);
      const id = known.weights;
      expect((await scene.status.get(`/weights/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`, { key })).status).toBe(200);
    });

    it.each([
      `/weights/${'x'.repeat(3_000)}`,
      '/weights/%00',
      '/weights/%F0%9F%8E%89',
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

  describe('Accept', () => {
    it.each([
      null,
      '*/*',
      'application/json',
      'application/*',
      'text/html, application/json;q=0.1',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'text/html, */*;q=0.1',
    ])('%s means JSON', async (accept) => {
      const answer = await scene.status.get('/weights?date=1999-01-01', { key, accept });
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, pretty(listOf()), UTF8_JSON]);
      expectError(await scene.status.get('/weights', { accept }), 'unauthorized');
    });

    it.each([IMAGE, 'text/html, text/plain', 'application/json;q=0', 'nonsense'])('%s is not acceptable', async (accept) => {
      expectError(await scene.status.get('/weights', { key, accept }), 'not acceptable');
    });

    it.each(['application/xml', 'application/xml, application/json;q=0.5'])('%s gets errors as XML', async (accept) => {
      const details = "You need to provide a correct authentication token using the header 'x-api-key'".replaceAll("'", '&#39;');
      const taken = nameTaken('weights').errors[0]?.details ?? '';
      for (const [answer, status, text] of [
        [await scene.status.get('/weights', { accept }), 401, xml(...xmlStatus('Unauthorized', 401, details))],
        [await scene.status.post('/weights', { accept, key: viewer }), 403, xml(...xmlStatus('Access to the resource is Forbidden', 403))],
        [
          await scene.status.get('/weights?date=%3C%26%22', { accept, key }),
          400,
          xmlError('Bad Request', 400, 'date parameter value: &lt;&amp;&#34; is not in the valid form of YYYY-MM-DD'),
        ],
        [
          await scene.status.post('/weights', { accept, key, body: BROKEN }),
          400,
          xmlError('Bad Request', 400, malformed.errors[0]?.details ?? ''),
        ],
        [
          await scene.status.get(`/weights/${UNKNOWN_ID}`, { accept, key }),
          404,
          xmlError('Not Found', 404, 'item with the specific ID was not found on the server'),
        ],
        [await scene.status.post('/weights', { accept, key, body: sample('weights', 'known') }), 409, xmlError('Conflict', 409, taken)],
      ] as const)
        expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, text, 'application/xml; charset=utf-8']);
    });

    it('application/xml gets everything else as JSON', async () => {
      const accept = 'application/xml';
      const read = await scene.status.get(`/weights/${known.weights}`, { key, accept });
      expect([read.status, read.headers.get('content-type')]).toEqual([200, UTF8_JSON]);
      expect(read.text).toBe((await scene.status.get(`/weights/${known.weights}`, { key })).text);
      const invalid = await scene.status.post('/operations_profiles', { key, accept, body: {} });
      expect([invalid.status, invalid.headers.get('content-type')]).toEqual([422, UTF8_JSON]);
      expect((await scene.status.post('/weights', { key, accept, body: sample('weights', 'under xml') })).json).toMatchObject({
        status: { code: '201' },
      });
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
