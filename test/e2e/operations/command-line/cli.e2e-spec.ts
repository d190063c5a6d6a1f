import { existsSync } from 'node:fs';
import { chmod, lchown, lstat, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { UNKNOWN_ID, UUID, weights } from '#test/e2e/status/contract.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type Finished, runLogbook } from '#test/support/processes/logbook-process.js';
import { idOf, registerTenant } from '#test/support/status-client.js';

/** Members that differ from one call to the next, or depend on the commands before. */
const VARYING = new Set([
  ...['id', 'key', 'token', 'expires', 'startedAt', 'endedAt', 'requestedBy', 'subject', 'eventsPerSecond', 'remainingSeconds'],
  ...['position', 'processed', 'total', 'compared'],
  ...['next', 'directory', 'file', 'size', 'root', 'bytes'],
]);

const constant = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(constant);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, VARYING.has(name) ? 'varying' : constant(of)]));
};

const shownBy = ({ code, stdout, stderr }: Finished) => ({
  code,
  stdout: stdout.startsWith('{') ? constant(JSON.parse(stdout)) : stdout,
  complains: code !== 0 && stderr !== '',
});

/** Commands with their exit codes. @param copies beginning of the names of files and directories that they may make */
const commandsOn = (tenant: string, actor: string, copies: string): readonly (readonly [number, ...string[]])[] => [
  [0, 'keys', 'create', '--service', 'ops', '--role', 'auditor', '--name', 'n', '--json'],
  [2, 'keys', 'create', '--service', 'ops', '--role', 'auditor', '--name', ''],
  [2, 'keys', 'create', '--service', 'ops', '--role', 'auditor', '--name', 'n'.repeat(201)],
  [1, 'keys', 'revoke', UNKNOWN_ID],
  [0, 'projections', 'list', '--columns', 'name,version,service,setAside'],
  [0, 'projections', 'rebuild', 'status.tenants', '--json'],
  [0, 'projections', 'verify', 'status.tenants', '--json'],
  [1, 'projections', 'verify', 'status.tenants', 'status.nothing'],
  [0, 'projections', 'partitions', 'status.tenants', '--json'],
  [1, 'projections', 'partitions', 'status.nothing'],
  [1, 'projections', 'resume', 'status.tenants'],
  [1, 'projections', 'skip', 'status.tenants', 'tenant:x', '--reason', '🙂'.repeat(500)],
  [2, 'projections', 'skip', 'status.tenants', 'tenant:x', '--reason', '🙂'.repeat(501)],
  [0, 'audit', 'events', '--limit', '3', '--json'],
  [2, 'audit', 'events', '--limit', '0'],
  [0, 'audit', 'events', '--limit', '3', '--personal', 'false', '--json'],
  [0, 'audit', 'actor', actor, '--json'],
  [1, 'audit', 'actor', 'nobody'],
  [0, 'audit', 'anchors', '--limit', '1', '--json'],
  [0, 'audit', 'keys', '--json'],
  [0, 'audit', 'proof', '1', '--json'],
  [1, 'audit', 'proof', '999999'],
  [0, 'token', 'issue', '--subject', 'ada', '--json'],
  [0, 'erase', 'status', 'tenant', tenant, '--reason', 'r', '--json'],
  [1, 'erase', 'status', 'tenant', UNKNOWN_ID, '--reason', 'r'],
  [0, 'export', `${copies}.ndjson`, '--json'],
  [0, 'backup', copies, '--json'],
];

/** With their exit codes where no server runs. */
const NEED_SERVER: readonly (readonly [number, ...string[]])[] = [
  [1, 'messaging', 'topics', 'waiting'],
  [1, 'audit', 'anchor'],
  [1, 'audit', 'resource', 'messaging', 'topic', 'news', '--scope', 'waiting'],
  [1, 'audit', 'resource', 'messaging', 'topic', 'news', '--scope', 'waiting', '--personal'],
  [2, 'audit', 'events', '--limit', '1', '--personal'],
];

describe('the command line beside a running server', () => {
  const scene = serving(embedded);
  const logbook = (...words: readonly string[]) => runLogbook(words, scene.deployment.environment);
  const create = ['keys', 'create', '--service', 'status', '--name', 'console', '--role'];
  beforeAll(() => registerTenant(scene.status, ADMIN, 'commanded', ['admin']));

  it('makes, lists and revokes keys that the server takes at once', async () => {
    const made = await logbook(...create, 'super_admin', '--json');
    expect(made.code).toBe(0);
    const { id, key, ...rest } = JSON.parse(made.stdout) as { id: string; key: string };
    expect([rest, id]).toEqual([{ service: 'status', role: 'super_admin', name: 'console' }, expect.stringMatching(UUID)]);
    const ask = () => scene.status.get('/admin/tenants', { key });
    await eventually(ask).until(({ status }) => status === 200);

    const listed = await logbook('keys', 'list', '--json');
    expect(listed.code).toBe(0);
    expect((JSON.parse(listed.stdout) as { items: object[] }).items).toContainEqual(expect.objectContaining({ id, ...rest }));
    const shown = await logbook('keys', 'list');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(id)]);
    for (const { stdout } of [listed, shown]) for (const secret of [key, ADMIN]) expect(stdout).not.toContain(secret);

    expect((await logbook('keys', 'revoke', id)).code).toBe(0);
    await eventually(ask).until(({ status }) => status === 401);
  });

  it('lists projections and builds them anew while the server reads and writes', async () => {
    const listed = await logbook('projections', 'list', '--json');
    expect(listed.code).toBe(0);
    const { items } = JSON.parse(listed.stdout) as { items: { name: string; version: number }[] };
    const names = items.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['ops.keys', 'status.tenants']));
    const key = 'commanded-admin';
    const ids: string[] = [];
    let rebuilding = true;
    const traffic = async () => {
      while (rebuilding) {
        const created = await scene.status.post('/weights', { key, body: weights(`weights ${ids.length}`) });
        expect(created.status).toBe(201);
        ids.push(idOf(created));
        expect((await scene.status.get(`/weights/${ids.at(-1)}`, { key })).status).toBe(200);
        expect((await scene.status.get('/admin/tenants', { key: ADMIN })).text).toContain('commanded');
      }
    };
    const isReady = async () => {
      const statuses = new Set<number>();
      while (rebuilding) statuses.add((await scene.root.get('/health/ready')).status);
      return [...statuses];
    };
    const [busy, ready] = [traffic(), isReady()];
    const rebuilt = await logbook('projections', 'rebuild', ...names, '--json').finally(() => {
      rebuilding = false;
    });
    await busy;
    expect(await ready).toEqual([200]);
    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, expect.any(String)]);
    const { items: results } = JSON.parse(rebuilt.stdout) as { items: readonly { projection: string; state: string }[] };
    expect(results).toEqual(names.map((projection) => expect.objectContaining({ projection, state: 'done' })));
    for (const id of ids) expect((await scene.status.get(`/weights/${id}`, { key })).status).toBe(200);
  });

  it('shows what waits in the messaging service, as /ops does to operators and auditors', async () => {
    const call = async (method: string, path: string, body: object = {}) => {
      const answer = await scene.root.call(method, `/v1/projects/waiting${path}`, { key: SERVICE_TOKEN, body });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer;
    };
    const topic = (name: string) => `projects/waiting/topics/${name}`;
    await call('POST', '');
    for (const name of ['news', 'lost']) await call('PUT', `/topics/${name}`);
    await call('PUT', '/subscriptions/slow', { topic: topic('news') });
    const deadLetterPolicy = { deadLetterTopic: topic('lost'), maxDeliveryAttempts: 5 };
    await call('PUT', '/subscriptions/shared', { topic: topic('news'), ackMode: 'message', deadLetterPolicy });
    await call('POST', '/topics/news:publish', {
      messages: ['a', 'b', 'c'].map((data) => ({ data: Buffer.from(data).toString('base64') })),
    });
    const { receivedMessages } = (await call('POST', '/subscriptions/shared:pull', { maxMessages: '2' })).json as {
      receivedMessages: { ackId: string }[];
    };
    await call('POST', '/subscriptions/shared:acknowledge', { ackIds: [receivedMessages[0]?.ackId] });
    const list = (path: string, key = OPERATOR) => scene.root.get(`/ops/messaging/${path}`, { key });
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    expect((await list('waiting/topics')).json).toEqual({
      items: [
        { name: 'lost', messages: 0, messagesLastHour: 0, bytes: 0, publishedAt: null },
        { name: 'news', messages: 3, messagesLastHour: 3, bytes: expect.any(Number), publishedAt: instant },
      ],
      next: null,
    });
    const common = { topic: 'news', push: false, pushState: null, pushError: null, oldestPublishedAt: instant };
    const slow = {
      name: 'slow',
      ackMode: 'cursor',
      backlog: 3,
      exact: true,
      outstanding: 0,
      delivered: 0,
      deliveredLastHour: 0,
      pulledAt: null,
    };
    const shared = {
      name: 'shared',
      ackMode: 'message',
      backlog: 2,
      exact: false,
      outstanding: 1,
      delivered: 2,
      deliveredLastHour: 2,
      pulledAt: instant,
    };
    const expected = [
      { ...common, ...shared, deadLetterTopic: 'lost', deadLetters: { count: 0, exact: true }, deadLettersKept: false },
      { ...common, ...slow, deadLetterTopic: null, deadLetters: null, deadLettersKept: null },
    ];
    // That messages were handed out is recorded with the next change.
    const shownToAll = await eventually(() => list('waiting/subscriptions')).until(
      ({ json }) => (json as { items: { delivered: number }[] }).items[0]?.delivered === 2,
    );
    expect(shownToAll.json).toEqual({ items: expected, next: null });
    const auditor = await issueKey(scene.root, 'ops', 'auditor');
    expect((await list('waiting/subscriptions', auditor.key)).json).toEqual(shownToAll.json);
    const first = (await list('waiting/subscriptions?limit=1')).json as { items: object[]; next: string };
    const second = (await list(`waiting/subscriptions?after=${first.next}`)).json;
    expect([first.items, second]).toEqual([expected.slice(0, 1), { items: expected.slice(1), next: null }]);
    for (const [path, status] of [
      ['nothing/topics', 404],
      [`${'x'.repeat(2_000)}/topics`, 404],
      ['waiting/topics?limit=101', 400],
      ['waiting/topics?after=g', 400],
      ['waiting/topics?name=news', 400],
    ] as const)
      expect([path, (await list(path)).status]).toEqual([path, status]);
    expect((await list('waiting/topics', SERVICE_TOKEN)).status).toBe(401);

    const served = { LOGBOOK_URL: scene.server.url, LOGBOOK_OPS_KEY: auditor.key };
    const json = await runLogbook(['messaging', 'subscriptions', 'waiting', '--json'], served);
    expect([json.code, JSON.parse(json.stdout)]).toEqual([0, shownToAll.json]);
    const shown = await runLogbook(['messaging', 'topics', 'waiting', '--limit', '1'], served);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/^name +messages +messagesLastHour +bytes +publishedAt\nlost +0 +0 +0 +-\n/),
    ]);
    expect(shown.stderr).toMatch(/there are more: --after [0-9a-f]+\n/);
    // The server beside it answers.
    expect(await logbook('messaging', 'topics', 'waiting')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^news +3 /m),
      stderr: '',
    });
  });

  it('ends with 2 for wrong usage, with 1 for what fails, and says why', async () => {
    for (const [code, words] of [
      [2, ['nonsense']],
      [2, ['serve', '--roles', 'nonsense']],
      [2, [...create, 'operator']],
      [2, ['keys', 'create', '--service', 'toString', '--role', 'x', '--name', 'n']],
      [2, ['projections', 'skip', 'status.reports', 'tenant:x']],
      [2, ['messaging', 'dead-letters', 'p', 's', 'redrive', '--limit', '5']],
      [2, ['messaging', 'dead-letters', 'p', 's', 'redrive', '7', '--after', '5']],
      [1, ['keys', 'revoke', UNKNOWN_ID]],
      [1, ['projections', 'rebuild', 'status.nothing']],
    ] as const) {
      const { code: actual, stdout, stderr } = await logbook(...words);
      expect([words, actual, stdout, stderr]).toEqual([words, code, '', expect.stringMatching(/./)]);
      expect(stderr).not.toMatch(/^ +at /m);
    }
    const misconfigured = await runLogbook(['keys', 'list'], { ...scene.deployment.environment, REDIS_URL: 'nonsense' });
    expect([misconfigured.code, misconfigured.stderr]).toEqual([1, expect.stringContaining('REDIS_URL')]);
    const elsewhere = join(scene.deployment.dataDirectory, 'elsewhere');
    const away = await runLogbook(['export', '-'], { LOGBOOK_DATA_DIR: elsewhere, EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false' });
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/\(see EVENTSTORE_URL\)\n$/)]);
    expect(away.stderr.split('\n')[0]).toBe('stores: log on EventStoreDB at 127.0.0.1:9 (EVENTSTORE_URL)');
  });

  it('works on a running server, with the same results', async () => {
    const remote = { LOGBOOK_URL: scene.server.url, LOGBOOK_OPS_KEY: OPERATOR };
    const over = (words: readonly string[], environment: Readonly<Record<string, string>> = remote) => runLogbook(words, environment);
    const items = ({ stdout }: Finished) => (JSON.parse(stdout) as { items: Record<string, unknown>[] }).items;
    expect(items(await over(['keys', 'list', '--json']))).toEqual(items(await logbook('keys', 'list', '--json')));
    const names = async (listed: Finished) => items(listed).map(({ name, version, state }) => [name, version, state]);
    expect(await names(await over(['projections', 'list', '--json']))).toEqual(await names(await logbook('projections', 'list', '--json')));
    const rebuilt = await over(['projections', 'rebuild', 'status.tenants', '--json']);
    expect([rebuilt.code, JSON.parse(rebuilt.stdout)]).toEqual([
      0,
      expect.objectContaining({ projection: 'status.tenants', state: 'done' }),
    ]);
    for (const [environment, code, message] of [
      [{ ...remote, LOGBOOK_URL: 'http://127.0.0.1:9' }, 1, /127\.0\.0\.1:9.*LOGBOOK_URL/],
      [{ ...remote, LOGBOOK_OPS_KEY: 'wrong' }, 1, /LOGBOOK_OPS_KEY/],
      [{ LOGBOOK_URL: scene.server.url }, 1, /LOGBOOK_OPS_KEY/],
    ] as const) {
      const refused = await over(['keys', 'list'], environment);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([code, '', expect.stringMatching(message)]);
    }
    const checked = await over(['doctor'], { ...remote, LOGBOOK_OPS_KEY: 'wrong' });
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringMatching(/^key +WRONG: .*\(401\).*LOGBOOK_OPS_KEY/m)]);
  });

  it('says what is well and what is not', async () => {
    const remote = { LOGBOOK_URL: scene.server.url, LOGBOOK_OPS_KEY: OPERATOR };
    for (const environment of [scene.deployment.environment, remote]) {
      const looked = await runLogbook(['doctor', '--json'], environment);
      const { items } = JSON.parse(looked.stdout) as { items: { check: string; ok: boolean }[] };
      expect(items.map(({ check }) => check)).toEqual(expect.arrayContaining(['event log', 'read store', 'clock', 'chain', 'anchor']));
      expect(items.filter(({ ok }) => !ok)).toEqual([]);
    }
    const { dataDirectory } = scene.deployment;
    const masterKey = join(dataDirectory, 'keys', 'master.key');
    await chmod(dataDirectory, 0o2770); // as Kubernetes leaves it
    expect((await logbook('doctor')).stdout).toMatch(/^permissions +ok/m);
    await chmod(dataDirectory, 0o755);
    expect((await logbook('doctor')).stdout).toMatch(/^permissions +WRONG/m);
    await chmod(dataDirectory, 0o700);
    await chmod(masterKey, 0o644);
    const { code, stdout } = await logbook('doctor');
    await chmod(masterKey, 0o600);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/permissions +WRONG.*master\.key/)]);
    const away = join(masterKey, 'below');
    const directories = { ...scene.deployment.environment, LOGBOOK_BACKUP_DIR: away, LOGBOOK_ANCHOR_DIR: join(away, 'notes') };
    expect((await runLogbook(['doctor'], directories)).stdout).toMatch(
      /^backups +WRONG: .* cannot be written \(ENOTDIR\): see LOGBOOK_BACKUP_DIR\nanchors kept +WRONG: .*LOGBOOK_ANCHOR_DIR$/m,
    );
    for (const [given, said] of [
      [{ LOGBOOK_ROLES: 'api' }, /^configuration +WRONG: LOGBOOK_ROLES has no projector/m],
      [{ LOGBOOK_PROT: '8081' }, /^configuration +WRONG: .*did you mean LOGBOOK_PORT/m],
    ] as const)
      expect((await runLogbook(['doctor'], { ...scene.deployment.environment, ...given })).stdout).toMatch(said);
  });

  it('gives without a server what it gives by the one that has the stores open', async () => {
    const tenants = await Promise.all(['first', 'second'].map((name) => registerTenant(scene.status, ADMIN, name, [`${name}-admin`])));
    expect((await scene.root.post('/audit/anchors', { key: OPERATOR, body: {} })).status).toBe(201);
    const registered = (await scene.root.get('/audit/events?type=TenantRegistered&limit=1', { key: OPERATOR })).json;
    const [{ actor } = { actor: { id: '' } }] = (registered as { items: { actor: { id: string } }[] }).items;
    const copies = await mkdtemp(join(tmpdir(), 'logbook-commands-'));
    const resultsOn = async (tenant = '') => {
      const results: object[] = [];
      for (const [expected, ...words] of commandsOn(tenant, actor.id, join(copies, tenant))) {
        const shown = shownBy(await logbook(...words));
        results.push({ command: words[0], ...shown });
        expect([words, shown]).toEqual([words, { ...shown, code: expected, complains: expected !== 0 }]);
      }
      return results;
    };
    const byServer = await resultsOn(tenants[0]);
    for (const [, ...words] of NEED_SERVER) expect([words, (await logbook(...words)).code]).toEqual([words, 0]);
    await scene.restart(async () => {
      const onStores = await resultsOn(tenants[1]);
      for (const [at, result] of byServer.entries()) expect(onStores[at]).toEqual(result);
      for (const [code, ...words] of NEED_SERVER)
        expect([words, await logbook(...words)]).toEqual([
          words,
          { code, stdout: '', stderr: expect.stringContaining('needs a running server') },
        ]);
    });
    await rm(copies, { recursive: true });
  }, 600_000); // fifty processes, one after the other

  it('leaves the data directory to the account that it belongs to, even if the superuser runs it', async () => {
    const { dataDirectory } = scene.deployment;
    const account = process.getuid?.() || 1;
    const all = async () => ['', ...(await readdir(dataDirectory, { recursive: true }))].map((name) => join(dataDirectory, name));
    await scene.restart(async () => {
      for (const path of await all()) await lchown(path, account, account);
      for (const words of [
        [...create, 'super_admin'],
        ['projections', 'rebuild', 'status.tenants'],
        ['audit', 'events'],
      ])
        expect([words, (await logbook(...words)).code]).toEqual([words, 0]);
      const others = await Promise.all((await all()).map(async (path) => ((await lstat(path)).uid === account ? [] : [path])));
      expect(others.flat()).toEqual([]);
    });
  });

  it('finds an actor by its name in any case, and says which ones have a part of it', async () => {
    await registerTenant(scene.status, ADMIN, 'named', ['named-admin']);
    const { code, stdout } = await logbook('audit', 'actor', 'logbook_status_admin_key', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ actor: expect.objectContaining({ kind: 'key' }) })]);
    expect(await logbook('audit', 'actor', 'LOGBOOK_STATUS_ADMIN_KEY', '--json')).toEqual({ code, stdout, stderr: '' });
    const close = /^no actor has this id or name; close ones: .*LOGBOOK_OPS_KEY \(\S+\)/;
    expect(await logbook('audit', 'actor', 'LOGBOOK_')).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(close) });
    expect(await logbook('audit', 'actor', 'nobody')).toEqual({ code: 1, stdout: '', stderr: 'no actor has this id or name\n' });
  });

  it('creates nothing where there is no installation', async () => {
    const directory = join(scene.deployment.dataDirectory, 'elsewhere');
    for (const words of [['keys', 'list'], ['projections', 'list'], ['token', 'issue', '--subject', 'ada'], ['doctor']]) {
      const { code, stdout, stderr } = await runLogbook(words, { LOGBOOK_DATA_DIR: directory });
      expect([words, code, stdout + stderr]).toEqual([words, 1, expect.stringContaining('LOGBOOK_DATA_DIR')]);
    }
    expect(existsSync(directory)).toBe(false);
  });

  it('names the reason where it cannot look for an installation', async () => {
    const loop = join(scene.deployment.dataDirectory, 'loop'); // stands for a directory of another account
    await symlink(loop, loop);
    for (const words of [['keys', 'list'], ['backup', `${loop}-backup`], ['audit', 'verify'], ['doctor']]) {
      const { code, stdout, stderr } = await runLogbook(words, { LOGBOOK_DATA_DIR: loop });
      expect([words, code, stdout + stderr]).toEqual([words, 1, expect.stringContaining('ELOOP: ')]);
      expect(stderr).not.toMatch(/^ +at /m);
    }
    await rm(loop);
  });

  it('explains commands with an example', async () => {
    for (const words of [['keys', 'create'], ['projections', 'rebuild'], ['serve']]) {
      const { code, stdout } = await logbook(...words, '--help');
      expect([words, code, stdout]).toEqual([words, 0, expect.stringMatching(/Example:\n +.*logbook /)]);
    }
    expect((await logbook('--help')).stdout).toMatch(/projections[\s\S]*keys/);
  });
});
