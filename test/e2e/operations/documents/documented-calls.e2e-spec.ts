import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { LISTENER_SECRET } from '#test/support/documents/all-routes.js';
import { type DescribedCall, describedCalls, pathOf, SERVER_CREDENTIALS } from '#test/support/documents/described-calls.js';

const TENANT_KEY = 'documented-tenant-key';
/** What the page sends for each security scheme once its user has entered credentials. */
const CREDENTIALS: Record<string, Readonly<Record<string, string>>> = { ...SERVER_CREDENTIALS, statusKey: { 'x-api-key': TENANT_KEY } };

const scene = serving(embedded, { LOGBOOK_AMS_LISTENER_SECRETS: LISTENER_SECRET, LOGBOOK_AMS_LISTENER_PROJECT: 'grid' });

type Call = Readonly<{
  types: readonly string[];
  id: string;
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}>;

/** The call that the page makes when its user changes nothing. */
const callOf = (call: DescribedCall): Call => {
  const { id, method, scheme, types, bodyType, example } = call;
  return {
    types,
    id,
    method,
    path: pathOf(call),
    headers: {
      accept: types[0] ?? 'application/json',
      ...(scheme && CREDENTIALS[scheme]),
      ...(bodyType && { 'content-type': bodyType }),
    },
    ...(example !== undefined && { body: JSON.stringify(example) }),
  };
};

/** Integrations have keys of their own; the key in the example of signing in is nobody's; tokens by certificate need another port. */
const KEYS_OF_OTHERS = new Set(['refreshComponentApiKey', 'signIn', 'getTokenByCertificate']);
/** The example refers to a record with an id that a server would make. */
const refersToNothing = (text: string): boolean => /No profile in \w+ was found|metric profile ID is not found/.test(text);

/** Names that libraries may take for something else. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

/** A body with a member of the name in each of its objects, and with the name in the place of the last name of each. */
const withMember = (body: string, name: string): readonly string[] => [
  body.replaceAll(/\{(\s*\})?/g, (_match, end?: string) => `{"${name}":{"${name}":{"name":1}}${end ?? ','}`),
  body.replaceAll(/"[\w-]+"(:(?:[^{}[\]"]|"[^"]*")*\})/g, `"${name}"$1`),
];

describe('every documented call, made of its own examples', () => {
  let calls: readonly Call[];

  beforeAll(async () => {
    const users = [{ name: 'ada', api_key: TENANT_KEY, roles: ['admin', 'editor', 'consistency-ack', 'consistency-check'] }];
    const tenant = await scene.status.post('/admin/tenants', { key: ADMIN, body: { info: { name: 'EGI' }, users } });
    const { id } = (tenant.json as { data: { id: string } }).data;
    await scene.status.post(`/admin/tenants/${id}/node-set`, { key: ADMIN });
    const user = await scene.root.post('/v1/users/root', { key: SERVICE_TOKEN, body: { service_roles: ['service_admin'] } });
    CREDENTIALS.messagingKey = { 'x-api-key': (user.json as { token: string }).token };
    calls = (await describedCalls(scene.root)).map(callOf);
  });

  it('is routed, admitted, understood, and answered as described', async () => {
    const refused: unknown[] = [];
    for (const { id, method, path, headers, body } of calls) {
      const { status, text } = await scene.root.call(method, path, { headers, accept: null, ...(body !== undefined && { body }) });
      const isRouted = !/404 page not found|matching target resource method|nothing at this path/.test(text);
      if (KEYS_OF_OTHERS.has(id) || refersToNothing(text)) continue;
      if (status >= 500 || [400, 401, 403, 405, 406, 413, 415, 422].includes(status) || !isRouted)
        refused.push([id, status, text.slice(0, 200)]);
    }
    expect(calls.length).toBeGreaterThan(400);
    expect(refused).toEqual([]);
  });

  it('answers XML to those who prefer it exactly where that is described', async () => {
    const wrong: unknown[] = [];
    const found = new Set<string>();
    for (const { id, method, path, headers, types } of calls) {
      if (method !== 'GET' || !path.startsWith('/api/')) continue;
      const answer = await scene.root.call(method, path, { headers: { ...headers, accept: 'application/xml' }, accept: null });
      if (answer.status >= 400) continue;
      const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
      found.add(type);
      if (type !== (types.includes('application/xml') ? 'application/xml' : 'application/json')) wrong.push([id, type]);
    }
    expect([wrong, [...found].sort()]).toEqual([[], ['application/json', 'application/xml']]);
  });

  it('takes or refuses members anywhere in its body that are called as what every object has, and reads go on', async () => {
    const failures: unknown[] = [];
    let sent = 0;
    const send = async ({ id, method, path, headers }: Call, body?: string): Promise<void> => {
      sent += 1;
      const { status, text } = await scene.root.call(method, path, { headers, accept: null, body });
      if (status >= 500) failures.push([id, body, status, text.slice(0, 200)]);
    };
    for (const call of calls) {
      const { method, body } = call;
      if (body !== undefined) for (const name of INHERITED) for (const changed of withMember(body, name)) await send(call, changed);
      else if (method === 'GET') await send(call);
    }
    expect(sent).toBeGreaterThan(500);
    expect(failures).toEqual([]);
    expect(scene.server.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect((await scene.root.get('/health/ready')).status).toBe(200);
  });
});

describe('the page that shows the calls', () => {
  it('loads the description and its files from where it is served, and nothing else', async () => {
    const page = await scene.root.get('/docs', { accept: 'text/html' });
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'");
    const files = Array.from(page.text.matchAll(/(?:src|href)="([^"]+)"/g), ([, file = '']) => file);
    expect(files.length).toBeGreaterThan(3);
    const answers = await Promise.all(files.map(async (file) => [file, (await scene.root.get(file.replace(/^\./, ''))).status]));
    expect(answers.filter(([file, status]) => !`${file}`.startsWith('./docs/') || status !== 200)).toEqual([]);
    const { servers } = (await scene.root.get('/openapi.json')).json as Readonly<{
      servers: readonly Readonly<{ url: string }>[];
    }>;
    expect(servers.map(({ url }) => new URL(url, 'https://proxy.example.org/logbook/openapi.json').href)).toEqual([
      'https://proxy.example.org/logbook/',
    ]);
  });

  it('has one address', async () => {
    const answer = await fetch(`${scene.server.url}/docs/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '../docs']);
  });
});
