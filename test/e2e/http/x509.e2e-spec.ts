import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey } from '#test/e2e/serving.js';
import { Authority, type IssuedCertificate } from '#test/support/certificates/authority.js';
import { type Deployment, embedded, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { type LogbookProcess, runLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

const PATH = '/v1/service-types/ams/hosts/127.0.0.1:authx509';
const SITE = '/C=UK/O=eScience/OU=Site A/CN=ce.example.org';

type Asked = Readonly<{ status: number | undefined; json: unknown }>;
type Binding = Readonly<{ id: string; subject: string | null; project: string | null; user: string | null }>;

describe('a token by certificate', () => {
  const [authority, foreign] = [new Authority('Test CA'), new Authority('Foreign CA')];
  const tls = authority.issue({ subject: '/CN=127.0.0.1', use: 'serverAuth' });
  const site = authority.issue({ subject: SITE });
  let folder: string;
  let port: number;
  let deployment: Deployment;
  let server: LogbookProcess;
  let client: HttpClient;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-x509-'));
    deployment = await embedded();
    [port = 0] = await freePorts(1);
    await writeFile(join(folder, 'crl.pem'), authority.revocationList());
    server = await startLogbook({ ...deployment.environment, ...environment(), LOGBOOK_HISTORY: 'off' });
    client = httpClient(server.url, '', authority.ca);
    await untilReady(client);
    for (const project of ['accounting', 'other'])
      expect((await client.post(`/v1/projects/${project}`, { key: SERVICE_TOKEN, body: {} })).status).toBe(200);
    for (const user of ['site-a', 'site-b', 'gone', 'erased']) {
      const body = { email: 'a@example.org', projects: [{ project: 'accounting', roles: ['publisher', 'consumer'] }] };
      const { json } = await client.post(`/v1/users/${user}`, { key: SERVICE_TOKEN, body });
      tokens.set(user, (json as { token: string }).token);
    }
  });
  afterAll(async () => {
    await server?.stop();
    await deployment?.dispose();
    await rm(folder, { recursive: true, force: true });
    for (const one of [authority, foreign]) one.remove();
  });

  const environment = () => ({
    LOGBOOK_TLS_CERT_FILE: tls.certFile,
    LOGBOOK_TLS_KEY_FILE: tls.keyFile,
    LOGBOOK_X509_PORT: `${port}`,
    LOGBOOK_X509_CA_FILE: authority.caFile,
    LOGBOOK_X509_CRL_FILE: join(folder, 'crl.pem'),
  });
  const ask = async (shown?: IssuedCertificate, path = PATH, method = 'GET', headers = {}): Promise<Asked> => {
    const pair = shown && { cert: shown.cert, key: shown.key };
    const asking = request({ host: '127.0.0.1', port, path, method, headers, ca: authority.ca, agent: false, ...pair });
    asking.end();
    const [answer] = await once(asking, 'response');
    const body = await text(answer);
    return { status: answer.statusCode, json: body === '' ? undefined : JSON.parse(body) };
  };
  const bind = (subject: string, user = 'site-a', project = 'accounting', headers = {}) =>
    client.post('/ops/certificates', { key: OPERATOR, headers, body: { subject, project, user } });
  const bindings = async () => ((await client.get('/ops/certificates', { key: OPERATOR })).json as { items: readonly Binding[] }).items;
  const release = (id: string) => client.delete(`/ops/certificates/${id}`, { key: OPERATOR });
  const refused = (status: number, message: string, word = status === 404 ? 'NOT_FOUND' : 'UNAUTHORIZED') => ({
    status,
    json: { error: { code: status, message, status: word } },
  });

  it('is given to the user to whom the certificate is bound, in either form of its name, until the binding ends', async () => {
    expect(await ask(site)).toEqual(refused(404, `No user is bound to the certificate ${SITE}`));
    for (const subject of [
      SITE,
      'CN=CE.example.org, OU=site  a, O=eScience, C=UK',
      'cn=ce.example.org,ou=Site\\20A,O=\\65Science,2.5.4.6=UK',
    ]) {
      const bound = await bind(subject);
      expect([bound.status, bound.json]).toEqual([
        201,
        { id: expect.any(String), subject, project: 'accounting', user: 'site-a', boundAt: expect.any(String) },
      ]);
      expect(await ask(site)).toEqual({ status: 200, json: { token: tokens.get('site-a') } });
      const again = await bind(SITE, 'site-b');
      const { id } = bound.json as Binding;
      expect([again.status, (again.json as { detail: string }).detail]).toEqual([409, expect.stringContaining(id)]);
      expect((await bindings()).map((one) => one.id)).toEqual([id]);
      expect((await release(id)).status).toBe(204);
      expect((await release(id)).status).toBe(404);
      expect((await ask(site)).status).toBe(404);
    }
  });

  it('is refused without a certificate, and with one that is foreign, expired, revoked, or not for clients', async () => {
    expect(await ask()).toEqual(refused(401, 'No client certificate: the port for certificates takes this call, with one'));
    const cases: readonly (readonly [IssuedCertificate, string])[] = [
      [foreign.issue({ subject: SITE }), 'its authority is not known here'],
      [authority.issue({ subject: SITE, ends: '20200102000000Z' }), 'it has expired'],
      [authority.issue({ subject: SITE, use: 'serverAuth' }), 'it is not for TLS clients'],
    ];
    const { json } = await bind(SITE);
    for (const [shown, reason] of cases) expect(await ask(shown)).toEqual(refused(401, `The client certificate is refused: ${reason}`));
    const lost = authority.issue({ subject: SITE });
    expect((await ask(lost)).status).toBe(200);
    authority.revoke(lost);
    await writeFile(join(folder, 'crl.pem'), authority.revocationList());
    await eventually(() => ask(lost)).until(({ status }) => status === 401);
    expect(await ask(lost)).toEqual(refused(401, 'The client certificate is refused: it was revoked'));
    expect((await ask(site)).status).toBe(200);
    await release((json as Binding).id);
  });

  it('resumes no session and keeps no connection, so that every call is checked', async () => {
    const options = { host: '127.0.0.1', port, ca: authority.ca, cert: site.cert, key: site.key };
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const sessions: Buffer[] = [];
      const call = async (socket: TLSSocket) => {
        socket.on('session', (session: Buffer) => sessions.push(session));
        await once(socket, 'secureConnect');
        const reused = socket.isSessionReused();
        socket.write(`GET ${PATH} HTTP/1.1\r\nhost: here\r\n\r\n`);
        const answer = await text(socket); // until the server ends the connection
        return [reused, answer.startsWith('HTTP/1.1 404'), /connection: close/i.test(answer)];
      };
      expect(await call(connect({ ...options, maxVersion }))).toEqual([false, true, true]);
      const session = sessions.at(-1);
      expect(await call(connect({ ...options, maxVersion, ...(session && { session }) }))).toEqual([false, true, true]);
    }
  });

  it('is the only thing that the port answers, and no other port gives it', async () => {
    const { json } = await bind(SITE);
    for (const path of ['/v1/users', '/ops/keys', '/health', '/', `${PATH}/x`, '/v1/service-types/web/hosts/x:authx509'])
      expect(await ask(site, path, 'GET', { 'x-api-key': SERVICE_TOKEN })).toEqual(refused(404, '404 page not found'));
    expect((await ask(site, PATH, 'POST')).status).toBe(405);
    expect((await ask(site, `${PATH}?key=x`)).status).toBe(200);
    expect(await ask(site, PATH, 'GET', { 'logbook-as-of': '1' })).toEqual({ status: 200, json: { token: tokens.get('site-a') } });
    const elsewhere = await client.get(PATH, { headers: { 'x-client-certificate': site.cert.toString('base64') } });
    expect(elsewhere.status).toBe(401);
    await release((json as Binding).id);
  });

  it('is not given to users who are gone or no members any more', async () => {
    const bindOnce = () => bind(SITE, 'gone', 'accounting', { 'idempotency-key': 'bound once' });
    const { json } = await bindOnce();
    const { id } = json as Binding;
    expect(await ask(site)).toEqual({ status: 200, json: { token: tokens.get('gone') } });
    const member = '/v1/projects/accounting/members/gone';
    expect((await client.post(`${member}:remove`, { key: SERVICE_TOKEN })).status).toBe(200);
    expect((await ask(site)).status).toBe(404);
    expect((await client.post(`${member}:add`, { key: SERVICE_TOKEN, body: { roles: ['consumer'] } })).status).toBe(200);
    expect((await ask(site)).status).toBe(200);
    expect((await client.delete('/v1/users/gone', { key: SERVICE_TOKEN })).status).toBe(200);
    expect((await ask(site)).status).toBe(404);
    expect(await bindOnce()).toMatchObject({ status: 201, json });
    expect(await bindings()).toEqual([expect.objectContaining({ id, project: 'accounting', user: null })]);
    await release(id);
  });

  it('is not given to a user who is erased, and cannot be bound to it', async () => {
    const { id } = (await bind(SITE, 'erased')).json as Binding;
    expect((await ask(site)).status).toBe(200);
    const { uuid } = (await client.get('/v1/users/erased', { key: SERVICE_TOKEN })).json as { uuid: string };
    const erasure = { service: 'messaging', kind: 'user', id: uuid, reason: 'request 4711' };
    expect((await client.post('/ops/erasures', { key: OPERATOR, body: erasure })).status).toBe(202);
    expect((await ask(site)).status).toBe(404);
    await release(id);
    const { status, json } = await bind(SITE, 'erased');
    expect([status, (json as { detail: string }).detail]).toEqual([404, 'the messaging project has no member of this name']);
  });

  it('is bound by operators, to members, and the log says by whom', async () => {
    for (const subject of ['', 'nobody', '/', 'CN=', 'C=UK,O=eScience,CN=ce.example.org', 'CN="x"', '/CN=a\nb', `/CN=${'x'.repeat(2_000)}`])
      expect([subject, (await bind(subject)).status]).toEqual([subject, 400]);
    for (const [user, project] of [
      ['nobody', 'accounting'],
      ['site-a', 'nowhere'],
      ['site-a', 'other'],
    ])
      expect((await bind(SITE, user, project)).status).toBe(404);
    expect((await client.post('/ops/certificates', { body: { subject: SITE, project: 'accounting', user: 'site-a' } })).status).toBe(401);
    const { json } = await bind('/DC=org/DC=example/CN=robot/with slash/CN=Ünï');
    await release((json as Binding).id);
    const events = async () =>
      (await client.get('/audit/events?category=ops.certificates&order=desc&limit=2', { key: OPERATOR })).json as {
        items: readonly Readonly<{ type: string; actor: { kind: string }; data: Readonly<Record<string, unknown>> }>[];
      };
    const { items } = await eventually(events).until(({ items: [last] }) => last?.type === 'CertificateReleased');
    expect(items.map(({ type, actor }) => [type, actor.kind])).toEqual([
      ['CertificateReleased', 'key'],
      ['CertificateBound', 'key'],
    ]);
    expect(JSON.stringify(items)).not.toContain('robot');
  });

  it.each(['operator', 'auditor'])('is listed with the name of its certificate to an %s, which is on record', async (role) => {
    const { id: reader, key } = await issueKey(client, 'ops', role);
    const listed = async () => ((await client.get('/ops/certificates', { key })).json as { items: readonly Binding[] }).items;
    expect(await listed()).toEqual([]); // no personal data: not on record
    const { id } = (await bind(SITE)).json as Binding;
    expect(await listed()).toEqual([expect.objectContaining({ id, subject: SITE })]);
    const reads = async () => (await client.get(`/audit/events?actor=${reader}`, { key: OPERATOR })).json as { items: readonly object[] };
    const { items } = await eventually(reads).until(({ items: [first] }) => first !== undefined);
    expect(items).toEqual([expect.objectContaining({ type: 'PersonalDataRead', data: { path: '/ops/certificates', query: {} } })]);
    await release(id);
  });

  it('takes exactly the certificate with the name, however odd it is', async () => {
    const odd = authority.issue({ subject: '/DC=org/O=A,B\\+C/CN=host\\/a.example.org' });
    const lure = authority.issue({ subject: '/O=eScience/CN=x\\/CN=ce.example.org' });
    const ids: string[] = [];
    for (const subject of ['/DC=org/O=A,B+C/CN=host/a.example.org', '/O=eScience/CN=x/CN=ce.example.org'])
      ids.push(((await bind(subject)).json as Binding).id);
    expect((await ask(odd)).status).toBe(200);
    expect((await ask(lure)).status).toBe(404);
    for (const id of ids) await release(id);
  });

  it('is watched: health and metrics say when the first revocation list ends', async () => {
    const { clientAuthorities } = (await client.get('/health')).json as { clientAuthorities: { crlExpires: string; trouble: null } };
    expect(clientAuthorities).toEqual({ crlExpires: expect.stringMatching(/Z$/), trouble: null });
    const { text: metrics } = await client.get('/metrics');
    const [, seconds] = /^logbook_x509_crl_expiry_timestamp_seconds ([\d.e+]+)$/m.exec(metrics) ?? [];
    expect(Number(seconds) * 1_000).toBe(Date.parse(clientAuthorities.crlExpires));
    await writeFile(join(folder, 'crl.pem'), 'no list');
    const health = async () => (await client.get('/health')).json as { clientAuthorities: { trouble: string | null } };
    await eventually(health).until((now) => now.clientAuthorities.trouble !== null);
    expect((await ask(site)).status).toBe(404); // those before stay
    await writeFile(join(folder, 'crl.pem'), authority.revocationList());
    await eventually(health).until((now) => now.clientAuthorities.trouble === null);
  });

  it('is refreshed where only its hash is kept, and stays the same for the next call', async () => {
    expect(await server.stop()).toBe(0);
    server = await startLogbook({
      ...deployment.environment,
      ...environment(),
      LOGBOOK_HISTORY: 'off',
      LOGBOOK_MESSAGING_TOKENS_SHOWN: 'once',
    });
    client = httpClient(server.url, '', authority.ca);
    await untilReady(client);
    const body = { email: 'a@example.org', projects: [{ project: 'accounting', roles: ['publisher'] }] };
    const { json } = await client.post('/v1/users/hashed', { key: SERVICE_TOKEN, body });
    const before = (json as { token: string }).token;
    const bound = await bind(SITE, 'hashed');
    const profile = async (key: string) => (await client.get('/v1/users/profile', { key })).status;
    expect(await profile(before)).toBe(200);
    const given = await ask(site);
    const { token } = given.json as { token: string };
    expect([given.status, token === before, await profile(token), await profile(before)]).toEqual([200, false, 200, 401]);
    expect(await ask(site)).toEqual(given);
    await release((bound.json as Binding).id);
  });

  it('needs all that belongs to it at the start', async () => {
    const { LOGBOOK_X509_CA_FILE: _, ...withoutCa } = environment();
    const { LOGBOOK_TLS_KEY_FILE: __, ...withoutKey } = environment();
    const wrong = { ...environment(), LOGBOOK_X509_CA_FILE: tls.keyFile };
    for (const [given, variable] of [
      [withoutCa, 'LOGBOOK_X509_CA_FILE'],
      [withoutKey, 'LOGBOOK_TLS_KEY_FILE'],
      [wrong, 'LOGBOOK_X509_CA_FILE'],
    ] as const) {
      const { code, stderr } = await runLogbook(['serve'], { ...given, LOGBOOK_DATA_DIR: join(folder, 'none') });
      expect([code, stderr]).toEqual([1, expect.stringContaining(variable)]);
    }
  });
});
