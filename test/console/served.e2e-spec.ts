import { beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { httpClient } from '#test/support/status-client.js';

const scene = serving(embedded, { LOGBOOK_TRUSTED_PROXIES: '127.0.0.1' });

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const page = (path = '/console', headers: Readonly<Record<string, string>> = {}) => scene.root.get(path, { accept: BROWSER, headers });
const assetsIn = (html: string): readonly string[] => Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, path = '']) => path);

describe('the page of the console', () => {
  it('comes at every path of its own, is asked for anew each time, and lets nothing in from elsewhere', async () => {
    const answers = await Promise.all(
      ['/console', '/console/', '/console/events/3', '/console/resources/status/tenant/a%2Fb'].map((path) => page(path)),
    );
    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([200, answers[0]?.text]);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
    }
    expect((await scene.root.call('HEAD', '/console', { accept: BROWSER })).headers.get('content-length')).toBe(
      `${Buffer.byteLength(answers[0]?.text ?? '')}`,
    );
    expect((await scene.root.post('/console')).status).toBe(405);
  });

  it.each(['/console/assets/', '/docs/', '/guides/'])(
    'says how long a file of %s is to whoever asks for bytes behind its end',
    async (prefix) => {
      const { text } = await page(prefix === '/console/assets/' ? '/console' : prefix);
      const file =
        prefix === '/console/assets/' ? `${assetsIn(text)[0]}` : `${prefix}${prefix === '/docs/' ? 'swagger-ui.css' : 'index.html'}`;
      const { headers } = await scene.root.get(file);
      const range = `bytes=${headers.get('content-length')}-`;
      const answer = await scene.root.get(file, { headers: { range } });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${headers.get('content-length')}`]);
      expect(answer.json).toMatchObject({ status: 416, title: 'Range Not Satisfiable' });
    },
  );

  it('names files that never change under their names, compressed as the browser takes them', async () => {
    const assets = assetsIn((await page()).text);
    expect(assets.length).toBe(3);
    for (const asset of assets) {
      const encodings = await Promise.all(
        ['gzip, deflate, br, zstd', 'gzip', undefined, 'br;q=0'].map(async (accepted) => {
          const { status, headers } = await scene.root.get(asset, { headers: accepted ? { 'accept-encoding': accepted } : {} });
          expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
          expect([headers.get('vary'), headers.get('x-content-type-options')]).toEqual(['Accept-Encoding', 'nosniff']);
          return headers.get('content-encoding');
        }),
      );
      expect(encodings).toEqual(['br', 'gzip', null, null]);
      expect(asset).toMatch(/-[\dA-Za-z]{8}\.\w+$/);
    }
    expect((await page('/console/assets/main-00000000.js')).status).toBe(404);
    expect((await page('/console/assets/..%2findex.html')).status).toBe(404);
  });

  it('is what browsers find at the root; everybody else finds where everything is', async () => {
    const found = await page('/');
    expect([found.status, found.headers.get('location'), found.headers.get('vary')]).toEqual([302, '/console', 'Accept']);
    const links = { console: '/console', documentation: '/docs', openapi: '/openapi.json', health: '/health' };
    for (const accept of ['application/json', '*/*', null]) {
      const { status, headers, json } = await scene.root.get('/', { accept });
      expect([status, headers.get('vary'), json]).toEqual([200, 'Accept', expect.objectContaining({ service: 'logbook' })]);
      expect(json).toMatchObject({
        links: { ...links, messaging: '/v1', accounting: '/accounting-system', status: '/api/v2', audit: '/audit' },
      });
    }
    const { json } = await scene.root.get('/', { headers: { 'x-forwarded-prefix': '/base' } });
    expect(json).toMatchObject({ links: { documentation: '/base/docs', console: '/base/console' } });
    expect((await scene.root.post('/', { accept: BROWSER })).status).toBe(405);
  });

  it.each(['/base', '/a/b.c/'])('stands behind the prefix %s of a trusted proxy', async (prefix) => {
    const plain = prefix.replace(/\/$/, '');
    const headers = { 'x-forwarded-prefix': prefix };
    expect(assetsIn((await page('/console', headers)).text).every((path) => path.startsWith(`${plain}/console/assets/`))).toBe(true);
    expect((await page('/', headers)).headers.get('location')).toBe(`${plain}/console`);
  });

  it.each(['//evil.example.org', '/"><script>', 'https://evil', '/a/../b', '/%2e%2e'])('takes no prefix %s', async (prefix) => {
    const { text } = await page('/console', { 'x-forwarded-prefix': prefix });
    expect(assetsIn(text).every((path) => path.startsWith('/console/assets/'))).toBe(true);
  });
});

const SESSION = '/console/session';
const signIn = (key: string, headers: Readonly<Record<string, string>> = {}) =>
  scene.root.post(SESSION, { body: { key }, headers: { 'x-logbook-console': '1', ...headers } });
const cookieOf = ({ headers }: Readonly<{ headers: Headers }>): string => headers.get('set-cookie') ?? '';
const withSession = (cookie: string) => ({ headers: { cookie: cookie.split(';')[0] ?? '', 'x-logbook-console': '1' } });
const statusOf = async (path: string, call: object): Promise<number> => (await scene.root.get(path, call)).status;

describe('a session', () => {
  it('stands for a key in calls that say that they come from the console, and holds none', async () => {
    const { id, key } = await issueKey(scene.root, 'ops', 'auditor');
    const begun = await signIn(key);
    expect([begun.status, begun.text]).toEqual([204, '']);
    expect(cookieOf(begun)).toMatch(/^logbook-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookieOf(begun)).not.toContain(key);
    const session = withSession(cookieOf(begun));
    const { session: shown } = (await scene.root.get(SESSION, session)).json as { session: { endsAt: string } };
    expect(shown).toEqual({ key: id, name: 'auditor', roles: ['auditor'], endsAt: expect.any(String) });
    expect(Date.parse(shown.endsAt) - Date.now()).toBeGreaterThan(11.9 * 3_600_000);
    expect(Date.parse(shown.endsAt) - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
    expect(await statusOf('/ops/projections', session)).toBe(200);
    expect(await statusOf('/audit/events', session)).toBe(200);
    const { cookie } = session.headers;
    for (const headers of [{ cookie }, { cookie, 'x-logbook-console': '0' }, { 'x-logbook-console': '1' }])
      expect(await statusOf('/audit/events', { headers })).toBe(401);
    expect((await scene.root.get(SESSION, { headers: { cookie } })).json).toEqual({ session: null });
  });

  it('may do what its key may, and is named in the log as it', async () => {
    const auditor = await issueKey(scene.root, 'ops', 'auditor');
    const operator = await issueKey(scene.root, 'ops', 'operator');
    const [audits, operates] = await Promise.all([auditor, operator].map(async ({ key }) => withSession(cookieOf(await signIn(key)))));
    const verify = (session: object | undefined) => scene.root.post('/ops/projections/status.reports/verify', session);
    expect((await verify(audits)).status).toBe(403);
    const begun = await verify(operates);
    expect(begun.status).toBe(202);
    const { items } = (await scene.root.get(`/audit/events?actor=${operator.id}`, { key: OPERATOR })).json as {
      items: { position: string }[];
    };
    expect(items.map(({ position }) => position)).toContain(begun.headers.get('logbook-position'));
    expect((await scene.root.post('/audit/verifications', operates)).status).toBe(403);
  });

  it('lets auditors read the services as of the past, and nobody else', async () => {
    const auditor = await issueKey(scene.root, 'ops', 'auditor');
    const operator = await issueKey(scene.root, 'ops', 'operator');
    const position = (
      await scene.root.post('/ops/keys', { key: OPERATOR, body: { service: 'ops', role: 'auditor', name: 'x' } })
    ).headers.get('logbook-position');
    const read = async (key: string, path: string) => {
      const { headers } = withSession(cookieOf(await signIn(key)));
      return statusOf(path, { headers: { ...headers, 'logbook-as-of': position ?? '' } });
    };
    for (const path of ['/v1/projects', '/accounting-system/projects', '/api/v2/admin/tenants']) {
      expect([path, await read(auditor.key, path)]).toEqual([path, 200]);
      expect([path, await read(operator.key, path)]).toEqual([path, 403]);
    }
    const { headers } = withSession(cookieOf(await signIn(auditor.key)));
    expect(await statusOf('/v1/projects', { headers })).toBe(401);
  });

  it('ends at once with its key, and by signing out, on this server and the next one on the same stores', async () => {
    const { id, key } = await issueKey(scene.root, 'ops', 'auditor');
    const [first, second] = [withSession(cookieOf(await signIn(key))), withSession(cookieOf(await signIn(key)))];
    await scene.restart();
    expect(await statusOf('/ops/log', first)).toBe(200);
    const ended = await scene.root.call('DELETE', SESSION, first);
    expect([ended.status, cookieOf(ended)]).toEqual([204, 'logbook-console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0']);
    expect([await statusOf('/ops/log', first), await statusOf('/ops/log', second)]).toEqual([401, 200]);
    expect((await scene.root.call('DELETE', `/ops/keys/${id}`, { key: OPERATOR })).status).toBe(204);
    expect(await statusOf('/ops/log', second)).toBe(401);
    expect((await scene.root.get(SESSION, second)).json).toEqual({ session: null });
  });

  it('is the fiftieth of its key at most: the oldest end', async () => {
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const first = withSession(cookieOf(await signIn(key)));
    for (let more = 0; more < 49; more++) await signIn(key);
    expect(await statusOf('/ops/log', first)).toBe(200);
    await signIn(key);
    expect(await statusOf('/ops/log', first)).toBe(401);
  });

  it('is for the paths and the scheme by which the browser came', async () => {
    const headers = { 'x-forwarded-prefix': '/base', 'x-forwarded-proto': 'https' };
    expect(cookieOf(await signIn(OPERATOR, headers))).toMatch(/; Path=\/base; HttpOnly; SameSite=Strict; Secure$/);
  });

  it('is refused for what is no key of operators, to forms of other sites, and for bodies of another shape', async () => {
    const { key } = await issueKey(scene.root, 'status', 'super_admin');
    for (const wrong of ['no-such-key', key]) {
      const { status, headers, json } = await signIn(wrong);
      expect([status, headers.get('set-cookie')]).toEqual([401, null]);
      expect(json).toMatchObject({ status: 401, title: 'Unauthorized', instance: expect.any(String) });
    }
    expect((await signIn(OPERATOR, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    for (const body of ['', '{', [], {}, { key: 1 }, { key: '' }, { key: OPERATOR, more: 1 }, { key: 'x'.repeat(1_001) }])
      expect([body, (await scene.root.post(SESSION, { body })).status]).toEqual([body, 400]);
  });
});

describe('the live overview', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = cookieOf(await signIn((await issueKey(scene.root, 'ops', 'auditor')).key));
  });

  /** Data of the first events. */
  const watched = async (most: number, call: Readonly<{ headers: Record<string, string> }>): Promise<readonly unknown[]> => {
    const answer = await fetch(`${scene.server.url}/console/live`, call);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events: unknown[] = [];
    let text = '';
    for await (const part of answer.body ?? []) {
      text += Buffer.from(part).toString('utf8');
      const lines = text.split('\n\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)));
      if (events.length >= most) break;
    }
    return events;
  };

  /** Verifies the log against an anchor that an auditor kept. */
  const verifyAgainst = async (size: number, root: string): Promise<void> => {
    const { json } = await scene.root.post('/audit/verifications', { key: OPERATOR, body: { anchors: [{ size, root }] } });
    await eventually(
      async () => (await scene.root.get((json as { href: string }).href, { key: OPERATOR })).json as { state: string },
    ).until(({ state }) => state !== 'running');
  };

  it('shows the whole state, again and again', async () => {
    await verifyAgainst(1, '0'.repeat(64));
    // The state is read once a second for all viewers, and may be of before the verification ended.
    await eventually(() => watched(1, withSession(cookie))).until(([seen]) => (seen as { damage: unknown }).damage !== null);
    const [first, second] = await watched(2, withSession(cookie));
    expect(first).toMatchObject({
      stores: { eventLog: null, readStore: null },
      log: { head: expect.stringMatching(/^\d+$/), rates: { minutes: expect.any(Array) } },
      nodes: [{ roles: ['api', 'projector', 'push', 'history'] }],
      disk: { freeBytes: expect.any(Number) },
      damage: { index: 0, kind: 'anchor', detail: expect.any(String) },
      deadLettersKept: 0,
    });
    expect((first as { projections: object[] }).projections.length).toBeGreaterThan(10);
    expect((first as { log: { rates: { minutes: number[] } } }).log.rates.minutes.length).toBe(60);
    expect((second as { at: string }).at > (first as { at: string }).at).toBe(true);
  });

  it('needs a session or a key, and ends with it', async () => {
    expect((await fetch(`${scene.server.url}/console/live`)).status).toBe(401);
    const { id, key } = await issueKey(scene.root, 'ops', 'auditor');
    const ending = watched(1_000, withSession(cookieOf(await signIn(key))));
    await scene.root.call('DELETE', `/ops/keys/${id}`, { key: OPERATOR });
    expect((await ending).length).toBeLessThan(1_000);
  });

  it('is watched by fifty of one key at most', async () => {
    const stopped = new AbortController();
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const watch = () => fetch(`${scene.server.url}/console/live`, { headers: { 'x-api-key': key }, signal: stopped.signal });
    const statuses = (await Promise.all(Array.from({ length: 51 }, watch))).map(({ status }) => status).sort();
    stopped.abort();
    expect([statuses[49], statuses[50]]).toEqual([200, 503]);
    expect((await httpClient(scene.server.url).get('/health/live')).status).toBe(200);
  });
});

describe('a sign-in', () => {
  const signIn = (address: string, key: string) => scene.root.post(SESSION, { body: { key }, headers: { 'x-forwarded-for': address } });

  it('is refused after ten wrong keys from an address, and not elsewhere', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => signIn('192.0.2.7', `wrong-${index}`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect([answers.filter(({ status }) => status === 401).length, refused.length]).toEqual([10, 20]);
    for (const { headers, json } of refused) {
      const seconds = headers.get('retry-after');
      expect([json, Number(seconds) > 0]).toEqual([
        expect.objectContaining({
          title: 'Too Many Requests',
          detail: `too many wrong keys came from 192.0.2.7: try again in ${seconds} s`,
        }),
        true,
      ]);
    }
    expect((await signIn('192.0.2.8', OPERATOR)).status).toBe(204);
  });
});

describe('without the console', () => {
  const off = serving(embedded, { LOGBOOK_CONSOLE: 'off' });

  it('there is nothing of it, and no session counts', async () => {
    const paths = ['/console', '/console/events', '/console/session', '/console/live'];
    const statuses = await Promise.all(paths.map(async (path) => (await off.root.get(path, { key: OPERATOR, accept: BROWSER })).status));
    expect(statuses).toEqual(paths.map(() => 404));
    expect((await off.root.post(SESSION, { body: { key: OPERATOR } })).status).toBe(404);
    const { status, json } = await off.root.get('/', { accept: BROWSER });
    expect([status, json]).toEqual([
      200,
      { service: 'logbook', version: expect.any(String), links: expect.not.objectContaining({ console: '/console' }) },
    ]);
    expect((await off.root.get('/ops/log', { key: OPERATOR })).status).toBe(200);
  });
});
