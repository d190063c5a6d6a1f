import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { untilReady } from '#test/support/eventually.js';
import { columnOf, type Export, LOGGED, reportIn, writeExport } from '#test/support/migration/exports.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { startServer } from '#test/support/server-host/hosted-server.js';
import { type Answer, httpClient } from '#test/support/status-client.js';

const oid = (number: number) => ({ $oid: (0x6400n * 2n ** 80n + BigInt(number)).toString(16).padStart(24, '0') });
const at = (text: string) => ({ $date: text });
const uuid = (kind: number, number: number): string => `${String(kind).repeat(8)}-aaaa-4aaa-8aaa-${String(number).padStart(12, '0')}`;
const ALPHA = uuid(1, 1);
const [ADA, BEN, CEM] = [uuid(2, 1), uuid(2, 2), uuid(2, 3)];
const tokenOf = (digit: string): string => digit.repeat(64);
const OLD_TOKEN = 'b'.repeat(40);
const CREATED = '2023-01-03T00:00:00Z';
const VERIFICATION = 'verification-hash';
const AUTHORIZATION = 'original-authorization-header';

const user = (number: number, name: string, token: string, changes: object = {}) => ({
  _id: oid(100 + number),
  uuid: uuid(2, number),
  projects: [{ project_uuid: ALPHA, roles: ['publisher', 'consumer'] }],
  name,
  token,
  email: `${name}@example.org`,
  first_name: name,
  service_roles: null,
  created_on: at('2023-01-02T08:05:00.25Z'),
  modified_on: at('2024-01-02T08:05:00.25Z'),
  created_by: ADA,
  ...changes,
});
const topic = (number: number, name: string, changes: object = {}) => ({
  _id: oid(200 + number),
  project_uuid: ALPHA,
  name,
  msg_num: { $numberLong: '1200' },
  total_bytes: { $numberLong: '98000' },
  latest_publish: at('2025-05-01T10:00:00.123Z'),
  publish_rate: { $numberDouble: 'Infinity' },
  schema_uuid: '',
  created_on: at(CREATED),
  acl: [ADA],
  ...changes,
});
const subscription = (number: number, name: string, changes: object = {}) => ({
  _id: oid(300 + number),
  project_uuid: ALPHA,
  name,
  topic: 'readings',
  offset: 1200,
  next_offset: 0,
  pending_ack: '',
  push_type: '',
  push_endpoint: '',
  max_messages: 0,
  authorization_type: '',
  authorization_header: '',
  ack: 25,
  retry_policy: '',
  retry_period: 0,
  msg_num: 1190,
  total_bytes: 97000,
  verification_hash: '',
  verified: false,
  latest_consume: at('2025-05-01T10:01:00Z'),
  consume_rate: 0.2,
  created_on: at(CREATED),
  acl: [ADA],
  ...changes,
});
const pushed = {
  push_endpoint: 'https://receiver.example.org/here',
  authorization_type: 'autogen',
  authorization_header: AUTHORIZATION,
  verification_hash: VERIFICATION,
  verified: true,
  max_messages: 3,
  retry_policy: 'linear',
  retry_period: 4000,
};
const day = (date: string, topic_name: string, msg_count: number, number: number) => ({
  _id: oid(400 + number),
  date: at(`${date}T00:00:00Z`),
  project_uuid: ALPHA,
  topic_name,
  msg_count,
});

/** A small installation of the original, with what goes wrong in some. Documents are not in the order of their ids. */
const exported: Export = {
  projects: [
    {
      _id: oid(2),
      uuid: uuid(1, 2),
      name: 'ALPHA',
      created_on: at(CREATED),
      modified_on: at(CREATED),
      created_by: '',
      description: 'a second one of the name',
    },
    {
      _id: oid(1),
      uuid: ALPHA,
      name: 'ALPHA',
      created_on: at('2023-01-02T08:00:00Z'),
      modified_on: at('2024-01-02T08:00:00Z'),
      created_by: ADA,
      description: 'demo',
    },
    { _id: oid(3), project: 'of-2016', name: 'OLD' },
  ],
  users: [
    user(2, 'ben', OLD_TOKEN, {
      projects: [
        { project_uuid: ALPHA, roles: ['consumer', 'wizard'] },
        { project_uuid: uuid(1, 9), roles: ['publisher'] },
      ],
    }),
    user(1, 'ada', tokenOf('a'), { service_roles: ['service_admin'] }),
    user(3, 'cem', tokenOf('a')),
    user(4, 'ada', tokenOf('d')),
    user(5, 'pusher', tokenOf('e')),
  ],
  user_registrations: [
    {
      _id: oid(50),
      uuid: uuid(3, 1),
      name: 'newbie',
      first_name: 'N',
      last_name: 'B',
      organization: 'Org',
      description: '',
      email: 'n@example.org',
      activation_token: 'ab12'.repeat(16),
      status: 'pending',
      decline_comment: '',
      registered_at: '2025-03-01T12:00:00Z',
      modified_by: '',
      modified_at: '',
    },
    {
      _id: oid(51),
      uuid: uuid(3, 2),
      name: 'ben',
      first_name: '',
      last_name: '',
      organization: '',
      description: '',
      email: 'b@example.org',
      activation_token: '',
      status: 'accepted',
      registered_at: '2023-01-01T12:00:00Z',
      modified_by: ADA,
      modified_at: '2023-01-02T12:00:00Z',
    },
    {
      _id: oid(52),
      uuid: uuid(3, 3),
      name: 'who',
      email: 'w@example.org',
      activation_token: '',
      status: 'unheard of',
      registered_at: '',
      modified_by: '',
      modified_at: '',
    },
  ],
  schemas: [
    {
      _id: oid(60),
      project_uuid: ALPHA,
      uuid: uuid(4, 1),
      name: 's1',
      type: 'json',
      raw_schema: Buffer.from('{"type":"object"}').toString('base64'),
    },
    {
      _id: oid(61),
      project_uuid: ALPHA,
      uuid: uuid(4, 2),
      name: 's2',
      type: 'json',
      raw_schema: Buffer.from('{"type":"nonsense"}').toString('base64'),
    },
    { _id: oid(62), project_uuid: ALPHA, uuid: uuid(4, 3), name: 's3', type: 'json', raw_schema: 'no JSON' },
  ],
  topics: [
    topic(2, 'second', {
      schema_uuid: uuid(4, 2),
      acl: undefined,
      msg_num: 0,
      total_bytes: 0,
      latest_publish: { $date: { $numberLong: '-62135596800000' } },
    }),
    topic(1, 'readings', { schema_uuid: uuid(4, 1), acl: [ADA, uuid(2, 99), BEN] }),
    topic(3, 'of-nobody', { project_uuid: uuid(1, 9) }),
    topic(4, 'topic4', { msg_num: 0, total_bytes: 0, acl: [] }),
  ],
  daily_topic_msg_count: [day('2025-05-01', 'readings', 40, 1), day('2025-04-01', 'gone', 7, 2), day('2025-04-30', 'readings', 2, 3)],
  subscriptions: [
    subscription(1, 'reader'),
    subscription(2, 'late', { offset: 1190, next_offset: 1195 }),
    subscription(3, 'pushed', pushed),
    subscription(4, 'insecure', { ...pushed, push_endpoint: 'ftp://receiver.example.org/' }),
    subscription(5, 'orphan', { topic: 'gone', offset: 7 }),
    // Refused whatever their offsets are: these keep nobody else from going on.
    subscription(6, 'no name', { offset: 9_000 }),
    subscription(7, 'reader', { next_offset: 9_000 }),
    subscription(8, 'odd', { offset: 9_000, ack: 'ten' }),
    subscription(9, 'undated', { offset: 9_000, created_on: '2023-01-03' }),
    subscription(10, 'unverified', { ...pushed, offset: 9_000, verified: 'yes' }),
    subscription(11, 'unlisted', { offset: 9_000, acl: ADA }),
    subscription(12, 'before', { offset: -1, next_offset: 9_000 }),
    subscription(13, 'beyond', { offset: { $numberLong: '9007199254740991' } }),
  ],
  roles: [{ _id: oid(70), resource: 'topics:publish', roles: ['publisher'] }],
};

describe('logbook migrate messaging', () => {
  let folder: string;
  let deployment: Deployment;
  const environment = () => ({ ...deployment.environment, LOGBOOK_HISTORY: 'off', LOGBOOK_ROLES: 'api,projector' });
  const migrate = async (...options: readonly string[]) => {
    const report = join(folder, 'report.json');
    const words = ['migrate', 'messaging', join(folder, 'dump'), '--report', report, '--push-worker', 'pusher', ...options];
    return { ...(await runLogbook(words, environment())), text: await readFile(report, 'utf8'), report: await reportIn(report) };
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-migrate-'));
    deployment = await embedded();
    await writeExport(join(folder, 'dump', 'argo_msg'), JSON.parse(JSON.stringify(exported)) as Export);
    await writeExport(join(folder, 'dump', 'admin'), { settings: [] });
    await writeFile(join(folder, 'offsets'), `${JSON.stringify({ project_uuid: ALPHA, topic: 'readings', min: 900, max: 1200 })}\n`);
  });
  afterAll(async () => {
    await deployment.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('takes what is sound, and says of everything else why not', async () => {
    // Without offsets of Kafka those of the export count, but not those of subscriptions that are refused.
    const { code, stderr, text, report } = await migrate();
    expect([code, stderr.replace(LOGGED, '')]).toEqual([3, expect.stringMatching(/^documents refused, whole or in part: \d+: see \S+\n$/)]);
    expect(columnOf(report, 'taken')).toEqual({
      projects: 1,
      users: 3,
      user_registrations: 2,
      schemas: 2,
      topics: 3,
      daily_topic_msg_count: 3,
      subscriptions: 4,
    });
    expect(columnOf(report, 'refused')).toEqual({
      projects: 2,
      users: 1,
      user_registrations: 1,
      schemas: 1,
      topics: 1,
      daily_topic_msg_count: 0,
      subscriptions: 9,
    });
    expect(report.items).toContainEqual({ what: 'note', reason: 'the files of the database admin are not taken' });
    for (const [collection, { different, missing }] of Object.entries(report.verified ?? {}))
      expect([collection, different, missing]).toEqual([collection, 0, 0]);
    expect(report.refused?.subscriptions).toEqual({
      'messages wait for it, which do not come over: let its consumers take them first, or give --drop-waiting': 1,
      'its name has characters other than letters, digits, - and _': 1,
      'another subscription of the project has the same name': 1,
      'ack must be a number': 1,
      'created_on must be a date': 1,
      'verified must be true or false': 1,
      'acl must be a list': 1,
      'offset must be 0 to 100000000000000': 2,
      'it is pulled now: the rules forbid its push settings: PUSH_ENDPOINT_INVALID': 1,
    });
    const reasons = report.items.map(({ what, collection, reason }) => `${what} ${collection}: ${reason}`);
    expect(reasons).toEqual(
      expect.arrayContaining([
        'refused projects: the rules forbid it: PROJECT_EXISTS',
        'refused projects: it has no uuid: this is the shape of releases before 1.0; update the original first',
        'changed users: role wizard is left out: there is no such role',
        `changed users: roles in project ${uuid(1, 9)} are left out: it is not there`,
        'changed users: another user has the same token: it has a new one, which nobody knows yet; refresh it',
        'refused users: the rules forbid it: USER_EXISTS',
        'left users: it is the user of the push server; Logbook pushes itself',
        'changed schemas: it does not compile: topics do not use it',
        'changed topics: it has no schema any more: that is not there, or does not compile',
        'changed topics: 1 of the users in its ACL are left out: they are not there',
        'remark topics: it has no ACL: nobody who has only a role of publisher or consumer may use it',
        'refused topics: its project is not there',
        'refused subscriptions: 10 messages wait for it, which do not come over: let its consumers take them first, or give --drop-waiting',
        'changed subscriptions: it had an endpoint, but no push type: it is http_endpoint now',
        'changed subscriptions: it is pulled now: the rules forbid its push settings: PUSH_ENDPOINT_INVALID',
      ]),
    );
    for (const secret of [tokenOf('a'), OLD_TOKEN, AUTHORIZATION, VERIFICATION, 'example.org']) expect(text).not.toContain(secret);
  });

  it('takes the rest in a second run', async () => {
    const { code, report } = await migrate('--topic-offsets', join(folder, 'offsets'), '--drop-waiting');
    expect([code, columnOf(report, 'taken')]).toEqual([
      3,
      { projects: 0, users: 0, user_registrations: 0, schemas: 0, topics: 0, daily_topic_msg_count: 0, subscriptions: 1 },
    ]);
    expect(report.items).toContainEqual(
      expect.objectContaining({ what: 'changed', reason: '10 messages that waited for it do not come over' }),
    );
  });

  it('takes what precedes a cut in a file, also if it sorts it, and ends with the report of the cut', async () => {
    const cut = await mkdtemp(join(tmpdir(), 'logbook-migrate-'));
    const other = await embedded();
    try {
      const { projects = [], users = [], topics = [], subscriptions = [] } = exported;
      await writeExport(cut, { projects, users, topics, subscriptions: subscriptions.slice(0, 1) }, ['bson']);
      await appendFile(join(cut, 'subscriptions.bson'), Buffer.from([9, 0, 0, 0]));
      const reportFile = join(cut, 'report.json');
      for (const options of [['--dry-run'], []]) {
        const words = ['migrate', 'messaging', cut, '--report', reportFile, ...options];
        const { code, stdout, stderr } = await runLogbook(words, { ...environment(), ...other.environment });
        expect([code, stderr.replace(LOGGED, '')]).toEqual([
          3,
          expect.stringMatching(/^documents refused, whole or in part: \d+: see \S+\n$/),
        ]);
        expect(stdout).toMatch(/^subscriptions +1 +1 +0 +0 +1 /m);
        const { items } = await reportIn(reportFile);
        expect(items.filter(({ reason }) => reason.endsWith('nothing after it was read'))).toHaveLength(1);
      }
    } finally {
      await other.dispose();
      await rm(cut, { recursive: true });
    }
  });

  it('serves what was exported, and goes on from there', async () => {
    const server = await startServer(environment());
    try {
      const root = httpClient(server.url);
      await untilReady(root);
      const as = (token: string) => ({ headers: { 'x-api-key': token } });
      const get = async (path: string, token = SERVICE_TOKEN): Promise<unknown> => (await root.get(`/v1/${path}`, as(token))).json;
      const post = (path: string, body: object, token: string): Promise<Answer> => root.post(`/v1/${path}`, { ...as(token), body });
      expect(await get('projects/ALPHA')).toEqual({
        name: 'ALPHA',
        description: 'demo',
        created_by: 'ada',
        created_on: '2023-01-02T08:00:00Z',
        modified_on: '2024-01-02T08:00:00Z',
      });
      expect(await get('users/ada')).toMatchObject({
        uuid: ADA,
        email: 'ada@example.org',
        token: tokenOf('a'),
        service_roles: ['service_admin'],
        created_on: '2023-01-02T08:05:00Z',
        modified_on: '2024-01-02T08:05:00Z',
        projects: [expect.objectContaining({ project: 'ALPHA', roles: ['publisher', 'consumer'], topics: ['readings'] })],
      });
      expect(((await get('users/cem')) as { uuid: string; token: string }).token).not.toBe(tokenOf('a'));
      expect(await get('users/cem')).toMatchObject({ uuid: CEM });
      expect(await get('users/profile', OLD_TOKEN)).toMatchObject({
        name: 'ben',
        uuid: BEN,
        projects: [expect.objectContaining({ roles: ['consumer'] })],
      });
      expect(await get(`registrations/${uuid(3, 1)}`)).toMatchObject({
        status: 'pending',
        registered_at: '2025-03-01T12:00:00Z',
        activation_token: 'ab12'.repeat(16),
      });
      expect(await get(`registrations/${uuid(3, 2)}`)).toMatchObject({
        status: 'accepted',
        modified_by: 'ada',
        modified_at: '2023-01-02T12:00:00Z',
      });
      expect(await get('projects/ALPHA/topics')).toMatchObject({
        topics: [
          { name: '/projects/ALPHA/topics/topic4', created_on: CREATED },
          { name: '/projects/ALPHA/topics/second', created_on: CREATED },
          { name: '/projects/ALPHA/topics/readings', created_on: CREATED, schema: 'projects/ALPHA/schemas/s1' },
        ],
      });
      expect(await get('projects/ALPHA/topics/readings:acl')).toEqual({ authorized_users: ['ada', 'ben'] });
      expect(await get('projects/ALPHA/schemas/s2')).toMatchObject({ type: 'json', schema: { type: 'nonsense' } });
      const metrics = JSON.stringify(await get('projects/ALPHA/topics/readings:metrics'));
      expect(metrics).toMatch(/"timestamp":"2025-05-01","value":40/);
      expect(metrics).toMatch(/"value":1200/);
      expect(await get('projects/ALPHA/topics/topic4')).toMatchObject({ name: '/projects/ALPHA/topics/topic4' });
      expect(JSON.stringify(await get('projects/ALPHA/topics/topic4:metrics'))).toContain('2025-05-01T10:00:00');
      expect(JSON.stringify(await get('projects/ALPHA:metrics'))).toMatch(/"timestamp":"2025-04-01","value":7/);
      expect(await get('projects/ALPHA/subscriptions/pushed')).toMatchObject({
        ackDeadlineSeconds: 25,
        pushConfig: {
          type: 'http_endpoint',
          pushEndpoint: pushed.push_endpoint,
          maxMessages: 3,
          authorizationHeader: { type: 'autogen', value: AUTHORIZATION },
          retryPolicy: { type: 'linear', period: 4000 },
          verificationHash: VERIFICATION,
          verified: true,
        },
      });
      expect(await get('projects/ALPHA/subscriptions/insecure')).toMatchObject({ pushConfig: { type: '', pushEndpoint: '' } });
      expect(await get('projects/ALPHA/subscriptions/orphan')).toMatchObject({ topic: '/projects/ALPHA/topics/gone' });
      for (const name of ['reader', 'late'])
        expect(await get(`projects/ALPHA/subscriptions/${name}:offsets`)).toEqual({ max: 1200, min: 1200, current: 1200 });
      const published = await post(
        'projects/ALPHA/topics/readings:publish',
        { messages: [{ data: Buffer.from('{}').toString('base64') }] },
        tokenOf('a'),
      );
      expect([published.status, published.json]).toEqual([200, { messageIds: ['1200'] }]);
      const pulled = await post('projects/ALPHA/subscriptions/reader:pull', { maxMessages: '5', returnImmediately: 'true' }, tokenOf('a'));
      expect(pulled.json).toMatchObject({ receivedMessages: [{ message: { messageId: '1200', data: 'e30=' } }] });
      expect((pulled.json as { receivedMessages: unknown[] }).receivedMessages.length).toBe(1);
    } finally {
      await server.stop();
    }
  });
});
