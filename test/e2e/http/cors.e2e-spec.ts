import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { BROKEN } from '#test/e2e/status/tenant-calls.js';
import { ADMIN, embedded, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import type { Answer, Call } from '#test/support/status-client.js';

const ORIGIN = 'https://app.example.org';
const STATUS = {
  'access-control-allow-headers': 'Content-Type, Accept, x-api-key',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, OPTIONS',
};
const MESSAGING = {
  'access-control-allow-headers': 'X-Requested-With, Content-Type, x-api-key',
  'access-control-allow-methods': 'OPTIONS, POST, GET, PUT, DELETE, HEAD',
};
const ACCOUNTING = {
  'access-control-allow-headers': 'Authorization, Content-Type, Accept',
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS',
};

/** A path that browsers may be sent to; one of each service has no OPTIONS of its own. */
const PATHS = [
  ['/api/v2/weights', STATUS, 'GET, POST, DELETE, PUT, OPTIONS'],
  ['/api/v2/recomputations/x/status', STATUS, 'POST, DELETE, OPTIONS'],
  ['/v1/projects/p/topics/t:publish', MESSAGING, 'POST'],
  ['/accounting-system/installations/i%2Fj', ACCOUNTING, 'GET, PATCH, DELETE, OPTIONS'],
] as const;

const headersOf = ({ headers }: Answer, names: object): object =>
  Object.fromEntries(Object.keys(names).map((name) => [name, headers.get(name)]));
const preflight = (origin: string, more: Readonly<Record<string, string>> = {}): Call => ({
  accept: null,
  headers: { origin, 'access-control-request-method': 'POST', ...more },
});
const none = { 'access-control-allow-origin': null, 'access-control-allow-headers': null, 'access-control-allow-methods': null };

describe('LOGBOOK_STATUS_CORS', () => {
  const scene = serving(embedded, { LOGBOOK_STATUS_CORS: 'true' });
  const HEADERS = { 'access-control-allow-origin': '*', ...STATUS };

  it.each<readonly [string, string, Call, number]>([
    ['GET', '/admin/tenants', { key: ADMIN }, 200],
    ['POST', '/admin/tenants', { key: ADMIN, body: { info: { name: 'cors' } } }, 201],
    ['OPTIONS', '/admin/tenants', {}, 200],
    ['GET', '/weights//x', {}, 301],
    ['POST', '/admin/tenants', { key: ADMIN, body: BROKEN }, 400],
    ['GET', '/%zz', {}, 400],
    ['GET', '/weights', {}, 401],
    ['GET', '/nothing', {}, 404],
    ['PATCH', '/weights', {}, 405],
    ['GET', '/admin/tenants', { key: ADMIN, accept: 'image/png' }, 406],
  ])('marks the answer to %s %s', async (method, path, call, status) => {
    const on = await scene.status.call(method, path, call);
    expect([on.status, headersOf(on, HEADERS), on.headers.get('vary')]).toEqual([status, HEADERS, null]);
  });

  it('leaves other services alone', async () => {
    for (const path of ['/health/live', '/accounting-system/operands', '/openapi.json'])
      expect((await scene.root.get(path, { headers: { origin: ORIGIN } })).headers.get('access-control-allow-origin')).toBeNull();
    expect((await scene.root.call('OPTIONS', '/accounting-system/operands', preflight(ORIGIN))).status).toBe(401);
  });
});

describe('LOGBOOK_CORS_ORIGINS with a list', () => {
  const scene = serving(embedded, { LOGBOOK_CORS_ORIGINS: `${ORIGIN}, http://localhost:3000`, LOGBOOK_STATUS_CORS: 'true' });

  describe.each(PATHS)('at %s', (path, headers, allow) => {
    it.each([ORIGIN, 'http://localhost:3000'])('answers preflights of %s without a key', async (origin) => {
      const answer = await scene.root.call('OPTIONS', path, preflight(origin, { 'access-control-request-headers': 'x-api-key' }));
      const expected = { 'access-control-allow-origin': origin, ...headers, vary: 'origin', allow };
      expect([answer.status, answer.text, headersOf(answer, expected)]).toEqual([200, '', expected]);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    });

    it.each([
      ['content-type,idempotency-key', ', Idempotency-Key'],
      ['Logbook-Tenant, logbook-as-of', ', Logbook-As-Of, Logbook-Tenant'],
      ['x-logbook-as-of', ''],
    ])('names headers beyond the contract to pages that ask for them: %s', async (asked, more) => {
      const answer = await scene.root.call('OPTIONS', path, preflight(ORIGIN, { 'access-control-request-headers': asked }));
      expect(answer.headers.get('access-control-allow-headers')).toBe(`${headers['access-control-allow-headers']}${more}`);
    });

    it('names Authorization to pages that ask for it, where the contract lists it or the service takes it beyond the contract', async () => {
      const asked = preflight(ORIGIN, { 'access-control-request-headers': 'authorization,x-api-key' });
      const { headers: answered } = await scene.root.call('OPTIONS', path, asked);
      const { 'access-control-allow-headers': listed } = headers;
      expect(answered.get('access-control-allow-headers')).toBe(headers === MESSAGING ? `${listed}, Authorization` : listed);
    });

    it('names PATCH to pages that ask for it, where the contract lists it or a route has it beyond the contract', async () => {
      const answer = await scene.root.call('OPTIONS', path, preflight(ORIGIN, { 'access-control-request-method': 'PATCH' }));
      const { 'access-control-allow-methods': methods } = headers;
      expect(answer.headers.get('access-control-allow-methods')).toBe(headers === MESSAGING ? `${methods}, PATCH` : methods);
    });

    it.each(['https://evil.example', 'null', 'https://app.example.org.evil.example', 'http://app.example.org', 'x\ty', '*'])(
      'lets no page of %j call',
      async (origin) => {
        const answer = await scene.root.call('OPTIONS', path, preflight(origin));
        expect([headersOf(answer, none), answer.headers.get('vary')]).toEqual([none, 'origin']);
      },
    );

    it('marks errors, too, and says that answers differ by origin', async () => {
      const refused = await scene.root.get(path, { headers: { origin: ORIGIN } });
      expect([refused.headers.get('access-control-allow-origin'), refused.headers.get('vary')]).toEqual([ORIGIN, 'origin']);
      expect((await scene.root.get(path)).headers.get('vary')).toBe('origin');
    });
  });

  it.each([
    ['/api/v2/admin/tenants', { 'x-api-key': ADMIN }],
    ['/v1/projects', { 'x-api-key': SERVICE_TOKEN }],
    ['/accounting-system/operands', { authorization: `Bearer ${SYSTEM_ADMIN}` }],
  ])('lets pages read %s', async (path, credentials) => {
    const { status, headers } = await scene.root.get(path, { headers: { origin: ORIGIN, ...credentials } });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN]);
    for (const name of ['X-Request-Id', 'X-Correlation-Id', 'Logbook-Position', 'Logbook-As-Of', 'Logbook-As-Of-Time'])
      expect(headers.get('access-control-expose-headers')?.split(', ')).toContain(name);
  });

  it('adds to what else an answer depends on', async () => {
    const authorization = `Bearer ${SYSTEM_ADMIN}`;
    const body = { id: 'p', acronym: 'a', title: 't', start_date: '2024-01-01', end_date: '2024-12-31', call_identifier: 'c' };
    await scene.root.post('/accounting-system/admin/projects', { body, headers: { authorization, 'content-type': 'application/json' } });
    const path = '/accounting-system/projects/p/report?start=2024-01-01&end=2024-02-01';
    const { status, headers } = await scene.root.get(path, { headers: { authorization } });
    expect([status, headers.get('vary')]).toEqual([200, 'origin, accept']);
  });

  it('leaves the rest of the server alone', async () => {
    for (const path of ['/health/live', '/ops/keys', '/openapi.json'])
      expect((await scene.root.get(path, { headers: { origin: ORIGIN } })).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('LOGBOOK_CORS_ORIGINS with *', () => {
  const scene = serving(embedded, { LOGBOOK_CORS_ORIGINS: '*' });

  it.each(PATHS)('lets pages of any origin call %s', async (path, headers, _allow) => {
    const answer = await scene.root.call('OPTIONS', path, preflight('null'));
    const expected = { 'access-control-allow-origin': '*', ...headers, vary: null };
    expect([answer.status, answer.text, headersOf(answer, expected)]).toEqual([200, '', expected]);
  });

  it('answers preflights of unknown paths with an error', async () => {
    for (const path of ['/api/v2/nothing', '/v1/nothing'])
      expect((await scene.root.call('OPTIONS', path, preflight('x'))).status).toBe(404);
  });

  it('takes no other OPTIONS for a preflight', async () => {
    expect((await scene.root.call('OPTIONS', '/api/v2/recomputations', { headers: { origin: ORIGIN } })).status).toBe(405);
    expect((await scene.root.call('OPTIONS', '/accounting-system/operands', { headers: { origin: ORIGIN } })).status).toBe(401);
  });
});

describe('without LOGBOOK_CORS_ORIGINS', () => {
  const scene = serving(embedded);

  it.each(PATHS)('only the messaging service lets pages of other origins call: %s', async (path, headers, _allow) => {
    const answer = await scene.root.call('OPTIONS', path, preflight(ORIGIN));
    const expected = headers === MESSAGING ? { 'access-control-allow-origin': '*', ...MESSAGING } : none;
    expect([headersOf(answer, expected), answer.headers.get('vary')]).toEqual([expected, null]);
  });
});
