import { describe, expect, it } from '@jest/globals';
import { type Serving, serving } from '#test/e2e/serving.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { idOf } from '#test/support/status-client.js';
import { weights } from './contract.js';
import { newTenant } from './extended-contract.js';

type Headers = Readonly<Record<string, string>>;
let names = 0;

/** `links.self` of a tenant that is created with these headers. */
const selfOf = async (
  scene: Serving,
  headers: Headers,
  path = '/api/v2/admin/tenants',
): Promise<Readonly<{ id: string; self: string }>> => {
  const answer = await scene.root.post(path, { key: ADMIN, body: { info: { name: `named ${++names}` } }, headers });
  expect(answer.status).toBe(201);
  const { links } = (answer.json as { data: { links: { self: string } } }).data;
  return { id: idOf(answer), self: links.self };
};
const FORWARDED = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'logbook.example.org' };

describe('links of the status service', () => {
  const scene = serving(embedded);

  it('open what was created and replaced', async () => {
    const tenant = await newTenant(scene.status);
    const created = await tenant.post('/weights', weights('linked'));
    const replaced = await tenant.put(`/weights/${idOf(created)}`, weights('linked', 2));
    for (const { json } of [created, replaced]) {
      const { self } = (json as { data: { links: { self: string } } }).data.links;
      const opened = await fetch(self, { headers: { 'x-api-key': `${tenant.name}-admin`, accept: 'application/json' } });
      expect([opened.status, await opened.json()]).toMatchObject([200, { data: [{ id: idOf(created) }] }]);
    }
  });

  it.each(['logbook.example.org', 'LOGBOOK:8443', '[::1]:80', 'under_score', '10.0.0.1'])(
    'name the host %s of the request',
    async (host) => {
      const { id, self } = await selfOf(scene, { host, ...FORWARDED });
      expect(self).toBe(`http://${host}/api/v2/admin/tenants/${id}`);
    },
  );

  it.each([
    '',
    'a"b',
    'a/../b',
    'user@host',
    'host:80:90',
    'host:port',
    'a\\b',
    '<script>',
    'a b',
    'a,b',
    'é',
    '[::1',
    'x'.repeat(300),
    'host?',
    'host#',
    '%0d%0a',
  ])('name where the server listens instead of %j, which is no host', async (host) => {
    const { id, self } = await selfOf(scene, { host });
    expect(self).toBe(`${scene.server.url}/api/v2/admin/tenants/${id}`);
  });

  it('are without the query', async () => {
    const { id, self } = await selfOf(scene, { host: 'h' }, '/api/v2/admin/tenants?a=%22');
    expect(self).toBe(`http://h/api/v2/admin/tenants/${id}`);
  });
});

describe('links of the status service behind a trusted proxy', () => {
  const scene = serving(embedded, { LOGBOOK_TRUSTED_PROXIES: '192.0.2.1, 127.0.0.0/8,::1', LOGBOOK_ACCESS_LOG: 'true' });

  it.each<readonly [string, Headers]>([
    ['https://logbook.example.org', { host: 'inner', ...FORWARDED }],
    ['https://inner:1', { host: 'inner:1', 'x-forwarded-proto': 'https' }],
    ['http://outer', { host: 'inner', 'x-forwarded-host': 'outer' }],
    ['https://last', { host: 'inner', 'x-forwarded-proto': 'http, https', 'x-forwarded-host': 'first, last' }],
    ['http://inner', { host: 'inner' }],
  ])('start with %s for %j', async (start, headers) => {
    const { id, self } = await selfOf(scene, headers);
    expect(self).toBe(`${start}/api/v2/admin/tenants/${id}`);
  });

  it.each<readonly [Headers]>([
    [{ 'x-forwarded-proto': 'javascript' }],
    [{ 'x-forwarded-proto': 'https://evil.example/?' }],
    [{ 'x-forwarded-host': 'a"b' }],
    [{ 'x-forwarded-host': 'evil.example/x?' }],
    [{ 'x-forwarded-host': ',' }],
  ])('start with where the server listens for %j', async (headers) => {
    const { id, self } = await selfOf(scene, { host: 'inner', ...headers });
    expect(self).toBe(`${scene.server.url}/api/v2/admin/tenants/${id}`);
  });

  it('ignore what proxies before the trusted one said; the log names the address that the trusted one saw', async () => {
    await scene.status.get('/version', {
      headers: { 'x-forwarded-for': '198.51.100.7, 203.0.113.9, 192.0.2.1', 'x-request-id': 'proxied' },
    });
    const logged = async () => scene.server.lines.find((one) => one.includes('"proxied"'));
    const line = await eventually(logged).until((one) => one !== undefined);
    expect(JSON.parse(line ?? '{}')).toMatchObject({ ip: '203.0.113.9', path: '/api/v2/version' });
  });
});

describe('links of the status service with LOGBOOK_PUBLIC_URL', () => {
  const scene = serving(embedded, { LOGBOOK_PUBLIC_URL: 'https://public.example.org/base/', LOGBOOK_TRUSTED_PROXIES: '127.0.0.1' });

  it('start with it, whatever the request says', async () => {
    const { id, self } = await selfOf(scene, { host: 'other', ...FORWARDED });
    expect(self).toBe(`https://public.example.org/base/api/v2/admin/tenants/${id}`);
  });
});
