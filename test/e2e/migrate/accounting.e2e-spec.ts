import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entitlement } from '#test/e2e/accounting/serving.js';
import { accountingClient } from '#test/support/accounting/accounting-client.js';
import { type Deployment, distributed, embedded, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { untilReady } from '#test/support/eventually.js';
import { columnOf, type Export, LOGGED, reportIn, writeExport } from '#test/support/migration/exports.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { startServer } from '#test/support/server-host/hosted-server.js';
import { httpClient } from '#test/support/status-client.js';

const METRICS = 1_500;
const oid = (number: number): string => (0x6500n * 2n ** 80n + BigInt(number)).toString(16).padStart(24, '0');
const at = (text: string) => ({ $date: text });
const INSTALLATION = oid(5);
const DEFINITION = oid(3);
const installation = {
  _id: INSTALLATION,
  creatorId: 'sub-1',
  project: '777001',
  organisation: 'prov-a',
  infrastructure: 'cloud',
  installation: 'node-1',
  resource: oid(4),
  unit_of_access: { $oid: DEFINITION },
  external_id: 'ext-1',
};
const metric = (number: number, changes: object = {}) => ({
  _id: { $oid: oid(1_000 + number) },
  creatorId: 'sub-1',
  resource_id: `777001.prov-a.${INSTALLATION}`,
  metric_definition_id: DEFINITION,
  time_period_start: at(`2024-${String(1 + (number % 12)).padStart(2, '0')}-01T00:00:00Z`),
  time_period_end: at(`2024-${String(1 + (number % 12)).padStart(2, '0')}-20T23:59:59.5Z`),
  value: number + 0.5,
  project: 'OLD-ACRONYM',
  provider: 'prov-a',
  installation: 'node-1',
  infrastructure: 'cloud',
  project_id: '777001',
  installation_id: INSTALLATION,
  resource: oid(4),
  ...(number % 5 === 0 && { user_id: `u${number % 7}` }),
  ...changes,
});

/** A small installation of the original, with what goes wrong in some. */
const made: Export = {
  UnitType: [
    { _id: { $oid: oid(1) }, creatorId: '', unit: 'TB', description: 'terabyte' },
    { _id: { $oid: oid(20) }, creatorId: 'sub-1', unit: 'core-h', description: 'core hours' },
    { _id: { $oid: oid(27) }, creatorId: 'sub-1', unit: 'Core-H', description: 'the same' },
  ],
  MetricType: [
    { _id: { $oid: oid(2) }, creatorId: '', metricType: 'aggregated' },
    { _id: { $oid: oid(24) }, creatorId: 'sub-1', metricType: 'bare' },
  ],
  MetricDefinition: [
    {
      _id: { $oid: DEFINITION },
      creatorId: 'sub-1',
      metric_name: 'used_space',
      metric_description: 'space in use',
      unit_type: 'TB',
      metric_type: 'aggregated',
    },
    { _id: { $oid: oid(25) }, creatorId: 'sub-1', metric_name: 'Used_Space', unit_type: 'TB', metric_type: 'aggregated' },
    { _id: { $oid: oid(21) }, creatorId: 'sub-1', metric_name: 'cores', unit_type: 'core-h', metric_type: 'aggregated' },
    { _id: { $oid: oid(22) }, creatorId: 'sub-1', metric_name: 'lost', unit_type: 'no-such-unit', metric_type: 'aggregated' },
  ],
  Resource: [{ _id: oid(4), creatorId: 'sub-1', name: 'storage' }],
  Provider: [
    { _id: 'prov-a', name: 'Provider A', website: 'https://a.example', abbreviation: 'PA', logo: 'https://a.example/l.png' },
    { _id: 'c-ext', name: 'Provider E', creatorId: 'sub-2' },
    { _id: 'prov-c', name: 'Provider A', creatorId: 'sub-2', external_id: 'c-ext' },
    { _id: 'prov-b', name: 'Provider B', creatorId: 'sub-2', registered_on: at('2024-05-05T05:05:05Z'), external_id: 'b-ext' },
  ],
  Project: [
    {
      _id: '777001',
      acronym: 'DEMO',
      title: 'Demo project',
      start_date: '2024-01-01',
      end_date: '2026-12-31',
      call_identifier: 'CALL-1',
      providers: [
        {
          _id: 'prov-a',
          name: 'Provider A',
          installations: [
            installation,
            { ...installation, _id: oid(6), infrastructure: undefined, registered_on: at('2199-01-01T00:00:00Z') },
            { ...installation, _id: 'no id' },
          ],
        },
        { _id: 'prov-gone', name: 'Provider of before', website: 'https://gone.example' },
      ],
    },
    { _id: '777002', acronym: 'BARE', providers: [{ _id: 'prov-bad', name: 'Bad', external_id: 7 }] },
  ],
  Capacity: [
    {
      _id: oid(7),
      installation_id: INSTALLATION,
      metric_definition_id: DEFINITION,
      registered_on: at('2024-02-01T00:00:00Z'),
      value: { $numberDecimal: '1200.50' },
    },
    {
      _id: oid(18),
      installation_id: INSTALLATION,
      metric_definition_id: DEFINITION,
      registered_on: at('2199-01-01T00:00:00Z'),
      value: { $numberDecimal: '2000' },
    },
    {
      _id: oid(8),
      installation_id: oid(999),
      metric_definition_id: DEFINITION,
      registered_on: at('2024-02-01T00:00:00Z'),
      value: { $numberDecimal: '1' },
    },
  ],
  Metric: [
    ...Array.from({ length: METRICS }, (_, number) => metric(number)),
    metric(METRICS, { project_id: undefined, installation_id: undefined, value: { $numberLong: '10' } }),
    metric(METRICS + 1, { installation_id: oid(999) }),
    metric(METRICS + 2, { value: { $numberDouble: 'NaN' } }),
    metric(METRICS + 3, { time_period_end: at('2023-01-01T00:00:00Z') }),
  ],
  HierarchicalRelation: [
    { _id: `777001.prov-a.${INSTALLATION}`, externalId: INSTALLATION, relationType: 'INSTALLATION', hasMetrics: true },
  ],
  OidcTenantConfig: [
    {
      _id: { $oid: oid(9) },
      creatorId: 'sub-0',
      issuer: 'https://idp.example/r',
      tenantId: 'r',
      clientId: 'acc',
      secret: 'do-not-show-this',
      authorizationPath: '/auth',
      introspectionPath: '/i',
      userInfoPath: '/u',
      tokenPath: '/t',
      authServerUrl: 'https://idp.example/r',
      userIdTokenClaim: 'sub',
      serviceIdTokenClaim: 'client_id',
      groupManagementNamespace: 'urn:x',
      groupManagementParent: 'acc',
    },
  ],
  Setting: [{ _id: oid(10), key: 'ENTITLEMENTS_MANAGEMENT', value: 'database' }],
  Entitlement: [
    { _id: oid(11), name: 'urn:x:group:acc:role=admin', registered_on: at('2025-01-01T00:00:00Z') },
    { _id: oid(19), name: 'urn:x:group:acc:role=admin', registered_on: at('2025-01-01T00:00:00Z') },
    { _id: oid(16), name: entitlement('admin'), registered_on: at('2199-01-01T00:00:00Z') },
  ],
  Actor: [
    {
      _id: oid(12),
      name: 'Ann',
      email: 'ann@example.org',
      registered_on: at('2025-01-01T00:00:00Z'),
      issuer: 'https://idp.example/r',
      oidc_id: 'sub-1',
    },
    { _id: oid(15), name: 'Bea', email: '', registered_on: at('2025-01-02T00:00:00Z'), issuer: 'logbook', oidc_id: 'bea' },
  ],
  ActorEntitlements: [
    { _id: oid(13), actor_id: oid(12), entitlement_id: oid(11), assigned_at: at('2025-02-01T00:00:00Z') },
    { _id: oid(17), actor_id: oid(15), entitlement_id: oid(16), assigned_at: at('2025-02-01T00:00:00Z') },
    { _id: oid(26), actor_id: oid(15), entitlement_id: oid(19), assigned_at: at('2025-02-01T00:00:00Z') },
    { _id: oid(28), actor_id: oid(12), entitlement_id: oid(19), assigned_at: at('2025-02-01T00:00:00Z') },
    { _id: oid(14), actor_id: oid(998), entitlement_id: oid(11), assigned_at: at('2025-02-01T00:00:00Z') },
  ],
};

/** Members that are `undefined` are missing. */
const exported = JSON.parse(JSON.stringify(made)) as Export;

describe.each([
  ['embedded stores', embedded],
  ['Redis and the EventStoreDB client', distributed],
] as const)('logbook migrate accounting, on %s', (_name, open) => {
  let folder: string;
  let deployment: Deployment;
  const environment = () => ({ ...deployment.environment, LOGBOOK_HISTORY: 'off' });
  const migrate = async (...options: readonly string[]) => {
    const report = join(folder, 'report.json');
    const finished = await runLogbook(['migrate', 'accounting', join(folder, 'dump'), '--report', report, ...options], environment());
    return { ...finished, report: await reportIn(report).catch(() => undefined) };
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-migrate-'));
    deployment = await open();
    await writeExport(join(folder, 'dump'), exported);
    await appendFile(join(folder, 'dump', 'Resource.pretty.txt'), 'not an export');
  });
  afterAll(async () => {
    await deployment.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('says in a dry run what would be taken and refused, and writes nothing', async () => {
    const { code, report, stdout, stderr } = await migrate('--dry-run');
    expect([code, stderr.replace(LOGGED, '')]).toEqual([3, expect.stringMatching(/^documents refused, whole or in part: \d+: see \S+\n$/)]);
    expect(columnOf(report!, 'taken')).toMatchObject({
      Metric: METRICS + 1,
      Project: 2,
      Provider: 4,
      Capacity: 2,
      UnitType: 3,
      ActorEntitlements: 3,
    });
    expect(columnOf(report!, 'refused')).toMatchObject({ Metric: 3, Project: 0, Capacity: 1, MetricDefinition: 1, ActorEntitlements: 1 });
    expect(stdout).toContain('would take');
    expect(report?.items).toContainEqual({ what: 'note', reason: expect.stringMatching(/^HierarchicalRelation is not taken: /) });
    expect(stdout).toContain('note: HierarchicalRelation is not taken');
    await rename(join(folder, 'report.json'), join(folder, 'dry.json'));
    if (open === embedded) expect(existsSync(join(deployment.dataDirectory, 'log'))).toBe(false);
  });

  it('goes on after it was killed, and doubles nothing', async () => {
    const killed = spawn(
      process.execPath,
      ['tools/logbook.mjs', 'migrate', 'accounting', join(folder, 'dump'), '--report', join(folder, 'killed.json')],
      {
        env: { PATH: process.env.PATH ?? '', ...environment() },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const gone = once(killed, 'close');
    killed.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('{"step"')) killed.kill('SIGKILL'); // the first line about its progress, when some hundred metrics are read
    });
    expect(await gone).toEqual([null, 'SIGKILL']);
    const { code, report, stdout, stderr } = await migrate();
    expect([code, stderr.replace(LOGGED, '')]).toEqual([3, expect.stringMatching(/^documents refused, whole or in part: \d+: see \S+\n$/)]);
    const [taken, present] = [columnOf(report!, 'taken'), columnOf(report!, 'present')];
    expect(present).toMatchObject({ Project: 2, Resource: 1 });
    expect((taken.Metric ?? 0) + (present.Metric ?? 0)).toBe(METRICS + 1);
    expect(report?.verified?.Metric).toMatchObject({ different: 0, missing: 0, counted: { expected: METRICS + 1, found: METRICS + 1 } });
    expect(stdout).toContain('verified Metric');
    // A type that clients may know by the id of Logbook keeps it.
    const late = { _id: { $oid: oid(23) }, creatorId: '', unit: 's', description: 'second' };
    await appendFile(join(folder, 'dump', 'UnitType.json'), `${JSON.stringify(late)}\n`);
    const again = await migrate();
    expect(again.report?.items).toContainEqual(
      expect.objectContaining({
        what: 'changed',
        id: oid(23),
        reason: expect.stringMatching(/the type keeps the id of Logbook, [0-9a-f]{24}$/),
      }),
    );
    expect(again.report?.verified?.UnitType).toMatchObject({ different: 0, missing: 0 });
    expect([again.code, Object.values(columnOf(again.report!, 'taken')).every((count) => count === 0)]).toEqual([3, true]);
  });

  it('reports what was changed and refused, without secrets and names of people', async () => {
    const report = await readFile(join(folder, 'dry.json'), 'utf8');
    const { items, refused } = await reportIn(join(folder, 'dry.json'));
    const reasons = items.map(({ what, collection, id, reason }) => `${what} ${collection} ${id}: ${reason}`);
    expect(reasons).toEqual(
      expect.arrayContaining([
        `refused MetricDefinition ${oid(22)}: the rules forbid it: TYPE_VALUE_NOT_FOUND (kind unit, value no-such-unit)`,
        `changed MetricDefinition ${oid(25)}: it is taken although the rules forbid it: DEFINITION_TAKEN (metric_name Used_Space, unit_type TB, metric_type aggregated, definitionId ${DEFINITION})`,
        'changed Provider prov-c: it is taken although the rules forbid it: PROVIDER_NAME_TAKEN (name Provider A)',
        expect.stringMatching(/^changed Provider c-ext: it had no external_id: it is [0-9a-f-]{36} now$/),
        `changed Project 777001: the external_id of installation ${oid(6)} belongs to another one: its own id takes its place`,
        expect.stringMatching(
          `changed Project 777001: installation ${oid(6)} is taken although the rules forbid it: INSTALLATION_NAME_TAKEN`,
        ),
        `changed Project 777001: installation ${oid(6)} is dated later than the start of the migration: that start counts instead`,
        'changed Project 777002: provider prov-bad is not associated, and its installations are left out: external_id must be a text',
        `changed UnitType ${oid(27)}: it is taken although the rules forbid it: TYPE_TAKEN (kind unit, typeId ${oid(20)})`,
        `left ActorEntitlements ${oid(28)}: its client has the entitlement of that name already`,
        'changed Project 777001: installation no id is left out: its _id is not 24 hexadecimal characters, and no record could be found by it',
        `changed Entitlement ${oid(16)}: it is dated later than the start of the migration: that start counts instead`,
        `refused Capacity ${oid(8)}: its installation is not there`,
        `refused Metric ${oid(1_000 + METRICS + 2)}: value must be a number`,
        `refused Metric ${oid(1_000 + METRICS + 3)}: the rules forbid it: METRIC_PERIOD_REVERSED`,
        `refused ActorEntitlements ${oid(14)}: its actor is not there`,
      ]),
    );
    expect(reasons.filter((reason) => /^changed (MetricType|Actor) /.test(reason))).toEqual([]);
    expect(refused).toEqual({
      MetricDefinition: { 'the rules forbid it: TYPE_VALUE_NOT_FOUND': 1 },
      Project: {
        'an installation is left out: its _id is not 24 hexadecimal characters, and no record could be found by it': 1,
        'a provider is not associated, and its installations are left out: external_id must be a text': 1,
      },
      Capacity: { 'its installation is not there': 1 },
      Entitlement: { 'another entitlement has the same name: its assignments are those of that one': 1 },
      Metric: { 'its installation is not there': 1, 'value must be a number': 1, 'the rules forbid it: METRIC_PERIOD_REVERSED': 1 },
      ActorEntitlements: { 'its actor is not there': 1 },
    });
    expect(report).not.toMatch(/do-not-show-this|ann@example|"Ann"/);
  });

  it('serves what was exported', async () => {
    const { stdout: token } = await runLogbook(['token', 'issue', '--subject', 'bea'], environment());
    const server = await startServer({ ...environment(), LOGBOOK_HISTORY: 'on' });
    try {
      await untilReady(httpClient(server.url));
      const admin = accountingClient(server.url, SYSTEM_ADMIN);
      const get = async (path: string): Promise<unknown> => (await admin.get(path)).json;
      const shownInstallation = {
        id: INSTALLATION,
        infrastructure: 'cloud',
        installation: 'node-1',
        external_id: 'ext-1',
        resource: oid(4),
        unit_of_access: DEFINITION,
      };
      expect(await get('/projects/777001')).toEqual({
        id: '777001',
        acronym: 'DEMO',
        title: 'Demo project',
        start_date: '2024-01-01',
        end_date: '2026-12-31',
        call_identifier: 'CALL-1',
        providers: [
          {
            id: 'prov-a',
            name: 'Provider A',
            external_id: null,
            website: 'https://a.example',
            abbreviation: 'PA',
            logo: 'https://a.example/l.png',
            installations: [shownInstallation, { ...shownInstallation, id: oid(6), infrastructure: null, external_id: oid(6) }],
          },
          expect.objectContaining({ id: 'prov-gone', name: 'Provider of before', website: 'https://gone.example' }),
        ],
      });
      const absent = { title: null, start_date: null, end_date: null, call_identifier: null };
      const bare = { id: '777002', acronym: 'BARE', ...absent };
      expect(await get('/projects/777002')).toEqual({ ...bare, providers: [] });
      const period = 'start=2024-01-01&end=2024-12-31';
      expect(await get(`/projects/777002/report?${period}`)).toMatchObject(bare);
      const renamed = await admin.patch('/admin/projects/777002', { title: 'No longer bare' });
      expect([renamed.status, renamed.json]).toEqual([200, { ...bare, title: 'No longer bare', providers: [] }]);
      expect(await get(`/metric-types/${oid(24)}`)).toEqual({ id: oid(24), metric_type: 'bare', description: null, creator_id: 'sub-1' });
      expect(await get('/providers/prov-b')).toMatchObject({ name: 'Provider B', external_id: 'b-ext', creator_id: 'sub-2' });
      expect(await get('/providers/prov-c')).toMatchObject({ name: 'Provider A', external_id: 'c-ext' });
      expect(await get('/providers/c-ext')).toMatchObject({ name: 'Provider E', external_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(await get(`/metric-definitions/${oid(25)}`)).toMatchObject({ metric_name: 'Used_Space', unit_type: 'TB' });
      expect(await get(`/metric-definitions/${oid(21)}`)).toMatchObject({ metric_name: 'cores', unit_type: 'core-h', creator_id: 'sub-1' });
      expect(await get(`/unit-types/${oid(20)}`)).toEqual({
        id: oid(20),
        unit_type: 'core-h',
        description: 'core hours',
        creator_id: 'sub-1',
      });
      // What comes with both services has the ids that clients of the original know, and those only.
      const shipped = { id: oid(1), unit_type: 'TB', description: 'terabyte', creator_id: '' };
      expect(await get(`/unit-types/${oid(1)}`)).toEqual(shipped);
      const { content, total_elements } = (await get('/unit-types?size=20')) as { content: { id: string }[]; total_elements: number };
      expect([total_elements, content[0], content.at(-1)]).toEqual([13, shipped, expect.objectContaining({ id: oid(27) })]);
      expect(await get(`/metric-types/${oid(2)}`)).toMatchObject({ metric_type: 'aggregated', creator_id: '' });
      expect((await admin.delete(`/unit-types/${oid(1)}`)).status).toBe(403);
      const metrics = `/installations/${INSTALLATION}/metrics`;
      expect(await get(`${metrics}/${oid(1_005)}`)).toEqual({
        metric_id: oid(1_005),
        metric_definition_id: DEFINITION,
        time_period_start: '2024-06-01T00:00:00Z',
        time_period_end: '2024-06-20T23:59:59.500Z',
        value: 5.5,
        user_id: 'u5',
      });
      expect(await get(`${metrics}/${oid(1_000 + METRICS)}`)).toMatchObject({ value: 10 });
      expect(await get(metrics)).toMatchObject({
        total_elements: METRICS + 1,
        content: expect.arrayContaining([expect.objectContaining({ project: 'OLD-ACRONYM' })]),
      });
      const listed: string[] = [];
      for (let page = 1; page <= METRICS / 100 + 1; page++) {
        const { content } = (await get(`${metrics}?size=100&page=${page}`)) as { content: { id: string }[] };
        listed.push(...content.map(({ id }) => id));
      }
      expect(listed).toEqual(Array.from({ length: METRICS + 1 }, (_, number) => oid(1_000 + number)));
      expect(await get(`/installations/${INSTALLATION}/capacities`)).toEqual([
        {
          id: oid(7),
          installation_id: INSTALLATION,
          metric_definition_id: DEFINITION,
          value: 1200.5,
          registered_on: '2024-02-01T00:00:00Z',
        },
        expect.objectContaining({ id: oid(18), registered_on: '2199-01-01T00:00:00Z' }),
      ]);
      // No time of a document delays the past.
      const now = { 'logbook-as-of': new Date().toISOString() };
      expect((await admin.get('/admin/actors', { headers: now })).json).toEqual(await get('/admin/actors'));
      expect(await get('/admin/actors')).toMatchObject({
        content: [
          { id: oid(12), name: 'Ann', email: 'ann@example.org', registered_on: '2025-01-01T00:00:00', oidc_id: 'sub-1' },
          { id: oid(15), oidc_id: 'bea' },
        ],
      });
      for (const actor of [oid(12), oid(15)])
        expect(JSON.stringify(await get(`/admin/actors/${actor}/entitlements`))).toContain('urn:x:group:acc:role=admin');
      const bea = accountingClient(server.url, token.trim());
      expect((await bea.get('/admin/version')).status).toBe(200); // she holds an entitlement of system administrators
      expect((await bea.post('/clients')).status).toBe(200);
      expect(await get('/admin/actors')).toMatchObject({ total_elements: 2 });
      expect(await get('/admin/oidc-tenants')).toMatchObject({
        total_elements: 1,
        content: [{ id: oid(9), issuer: 'https://idp.example/r', secret: '********', entitlement_management: null }],
      });
      // Rules hold for what comes next.
      const [body] = [
        { metric_definition_id: DEFINITION, time_period_start: '2024-03-02T00:00:00Z', time_period_end: '2024-03-03T00:00:00Z', value: 1 },
      ];
      expect((await admin.post(metrics, body)).status).toBe(201);
      expect((await admin.delete('/providers/prov-b')).status).toBe(200);
      expect((await admin.delete('/providers/prov-a')).status).toBe(403);
    } finally {
      await server.stop();
    }
  });

  it('refuses to fill what a server has open, and directories without an export', async () => {
    const nothing = await mkdtemp(join(folder, 'nothing-'));
    const without = await runLogbook(['migrate', 'accounting', nothing, '--report', join(folder, 'none.json')], environment());
    expect([without.code, without.stderr]).toEqual([1, expect.stringMatching(/^there are no files of the collections UnitType, .*$/m)]);
    const report = join(folder, 'no-such-folder', 'report.json');
    const nowhere = await runLogbook(['migrate', 'accounting', join(folder, 'dump'), '--report', report, '--dry-run'], environment());
    const line = `the report cannot be written to ${report}: there is no such folder (see --report)\n`;
    expect([nowhere.code, nowhere.stderr.replace(LOGGED, '')]).toEqual([1, line]);
    if (open !== embedded) return;
    const server = await startServer(environment());
    try {
      const { code, stderr } = await migrate();
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^a process has the log in .* open: stop it first$/m)]);
    } finally {
      await server.stop();
    }
  });
});
