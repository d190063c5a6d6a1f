import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { ADMINISTRATOR_KEY, type MadeInstallation, makeInstallation } from '#test/migration/made-up/index.js';
import { SMALL } from '#test/migration/made-up/size.js';
import { type Deployment, distributed, embedded, OPERATOR } from '#test/support/deployments.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { untilReady } from '#test/support/eventually.js';
import { columnOf, type Export, reportIn, writeExport } from '#test/support/migration/exports.js';
import { type LogbookProcess, runLogbook } from '#test/support/processes/logbook-process.js';
import { startServer } from '#test/support/server-host/hosted-server.js';
import { type HttpClient, httpClient, statusClient } from '#test/support/status-client.js';
import { SEED } from '#test/support/test-runs.js';
import { core, ids, TENANT, tenant } from './status-documents.js';

const migrating = (open: () => Promise<Deployment>) => {
  let deployment: Deployment;
  const suite = {
    folder: '',
    server: undefined as LogbookProcess | undefined,
    get deployment() {
      return deployment;
    },
  };
  const environment = () => ({ ...deployment.environment, LOGBOOK_HISTORY: 'off' });
  beforeAll(async () => {
    suite.folder = await mkdtemp(join(tmpdir(), 'logbook-migrate-'));
    deployment = await open();
  });
  afterAll(async () => {
    await suite.server?.stop();
    await deployment.dispose();
    await rm(suite.folder, { recursive: true, force: true });
  });
  return {
    suite,
    migrate: async (...options: readonly string[]) => {
      const path = join(suite.folder, 'report.json');
      const finished = await runLogbook(['migrate', 'status', join(suite.folder, 'status'), '--report', path, ...options], environment());
      return { ...finished, report: await reportIn(path) };
    },
    serve: async (): Promise<HttpClient> => {
      suite.server = await startServer(environment());
      await untilReady(httpClient(suite.server.url));
      return statusClient(suite.server.url);
    },
  };
};

const data = async (client: HttpClient, path: string, key: string): Promise<unknown> =>
  ((await client.get(path, { key })).json as { data?: unknown }).data;

describe.each([
  ['embedded stores', embedded],
  ['Redis and the EventStoreDB client', distributed],
] as const)('logbook migrate status, on %s', (_name, open) => {
  const { suite, migrate, serve } = migrating(open);
  beforeAll(async () => {
    const plain = (exported: object) => JSON.parse(JSON.stringify(exported)) as Export;
    await writeExport(join(suite.folder, 'status', 'argo_core'), { ...plain(core), reports: [] });
    await writeExport(join(suite.folder, 'status', 'argo_TEN'), plain(tenant));
    await writeExport(join(suite.folder, 'status', 'argo_GONE'), { reports: [] });
  });

  it('says in a dry run what would be taken and refused, and writes nothing', async () => {
    const { code, report, stderr } = await migrate('--dry-run', '--points');
    expect([code, stderr]).toEqual([3, expect.stringContaining('documents refused, whole or in part: 9')]);
    expect(columnOf(report, 'refused')).toMatchObject({ authentication: 1, tenants: 1, weights: 2, operations_profiles: 0, reports: 2 });
    if (open === embedded) expect(existsSync(join(suite.deployment.dataDirectory, 'log'))).toBe(false);
  });

  it('takes over what it can, verifies it, and doubles nothing in a second run', async () => {
    const { code, report, stdout } = await migrate('--points');
    expect([code, stdout]).toEqual([3, expect.stringContaining('verified tenants: 3 compared, 0 different, 0 missing')]);
    expect(stdout).toContain(
      'refused of reports, by reason:\n  1: Profile type strange is invalid\n  1: the rules forbid it: REPORT_NAME_TAKEN\n',
    );
    expect(report.refused?.reports).toEqual({ 'Profile type strange is invalid': 1, 'the rules forbid it: REPORT_NAME_TAKEN': 1 });
    expect(columnOf(report, 'taken')).toEqual({
      authentication: 3,
      tenants: 3,
      monitoring_metrics: 2,
      metric_profiles: 2,
      operations_profiles: 2,
      aggregation_profiles: 1,
      thresholds_profiles: 1,
      weights: 4,
      topology_service_types: 1,
      topology_groups: 3,
      topology_endpoints: 4,
      downtimes: 2,
      reports: 3,
      node_report: 1,
      recomputations: 3,
      status_metrics: 3,
      feeds_topology: 1,
      feeds_data: 1,
    });
    expect(columnOf(report, 'left')).toMatchObject({ weights: 3, downtimes: 1, status_metrics: 2, feeds_data: 1 });
    expect(Object.values(report.verified ?? {}).every(({ different, missing }) => different + missing === 0)).toBe(true);
    expect(report.verified?.topology_endpoints?.counted).toEqual({ expected: 2, found: 2 });
    const again = await migrate('--points');
    expect(again.code).toBe(3);
    expect(columnOf(again.report, 'present')).toEqual(columnOf(report, 'taken'));
    expect(Object.values(columnOf(again.report, 'taken')).every((count) => count === 0)).toBe(true);
  });

  it('reports what was changed, left out and refused, without secrets and people', async () => {
    const path = join(suite.folder, 'report.json');
    const { items, left } = await reportIn(path);
    expect(left).toEqual({
      status_metrics: { 'the engine repeats the state of the day before here': 1, 'the same point of another report': 1 },
    });
    const reasons = items.map(({ what, collection, reason }) => (what === 'note' ? reason : `${what} ${collection}: ${reason}`));
    expect(reasons).toEqual(
      expect.arrayContaining([
        'argo_core.reports is not taken: it belongs in the database of a tenant, not in the core',
        'refused authentication: it is the key of an integration that Logbook does not know',
        'changed reports: its mark node_report is left out: another report has it',
        'left node_report: only the first document counts',
        expect.stringMatching(/^changed tenants: user \S+ is left out: another user has the same key$/),
        expect.stringMatching(/^changed tenants: user \S+ has no key: it gets one that nobody knows/),
        'changed tenants: its data are not taken: its database is that of TEN',
        'refused tenants: the rules forbid it: TENANT_NAME_TAKEN',
        'remark operations_profiles: taken over though the rules for new ones forbid it: Default Down State: B not in available States; Default Missing State: A not in available States; Default Unknown State: C not in available States',
        'changed operations_profiles: date is shown as 2024-01-01, not 2023-12-31',
        'remark thresholds_profiles: taken over though the rules for new ones forbid it: Invalid threshold: time=;;;oops',
        'changed reports: info.created is shown as 2024-01-02 03:04:05, not 2024-1-2 3:04:05',
        'changed reports: its mark public is false, which no list of the original shows: it is private',
        'left weights: there is a newer document of the same id and day',
        'left weights: it has no day, so the original does not show it: say --base-day to take it over',
        `weights of TEN: several records have the name w (${ids.WEIGHTS}, ${ids.OTHER_WEIGHTS})`,
        'refused weights: date_integer must be a day, yyyymmdd',
        'topology_groups and topology_endpoints of TEN: 1 of 3 days are those before them, and are not written again',
        'refused topology_endpoints: n must be a text',
        'refused reports: Profile type strange is invalid',
        'refused reports: the rules forbid it: REPORT_NAME_TAKEN',
        expect.stringMatching(/^report \S+ of TEN: these of its profiles are not there: metric \S+$/),
        'changed recomputations: its history begins with pending',
        'changed downtimes: the list of 2025-05-02 is dated later than the start of the migration: that start counts instead',
        'remark recomputations: taken over though the rules for new ones forbid it: Parameter start_time: never is not in the form of YYYY-MM-DDTHH:MM:SSZ',
        'changed recomputations: timestamp is shown as 2025-05-03T08:00:00Z, not 2025-05-02T08:00:00Z',
        'the files of the database argo_GONE belong to no tenant that was taken: they are not taken',
        'endpoint_group_ar is not taken: Logbook computes it from metric data',
      ]),
    );
    expect(await readFile(path, 'utf8')).not.toMatch(/do-not-show|Do Not Show|Person|user-key|root-key/);
  });

  it('serves what was exported to those who have the keys', async () => {
    const client = await serve();
    const get = (path: string, key = 'user-key-0') => data(client, path, key);
    expect(await get(`/admin/tenants/${TENANT}`, 'root-key')).toEqual([
      expect.objectContaining({
        id: TENANT,
        info: expect.objectContaining({ name: 'TEN', created: '2023-01-01 10:00:00', updated: '2025-01-01 10:00:00' }),
        users: [
          expect.objectContaining({ api_key: 'user-key-0' }),
          expect.objectContaining({ api_key: 'user-key-1' }),
          expect.objectContaining({ component: 'component_poem' }),
        ],
        node: true,
      }),
    ]);
    expect(await get(`/admin/tenants/${TENANT}/ready`, 'root-key')).toMatchObject({
      ready: false,
      topology: { ready: true },
      reports: { message: 'none' },
      last_check: 'now',
    });
    expect((await client.get('/admin/tenants', { key: 'restricted-key' })).status).toBe(200);
    expect(await get(`/weights/${ids.WEIGHTS}?date=2024-02-15`)).toEqual([
      expect.objectContaining({ date: '2024-02-01', groups: [{ name: 'S1', value: 2.5 }] }),
    ]);
    expect(await get(`/weights/${ids.WEIGHTS}?date=2024-01-15`)).toMatchObject([{ date: '2024-01-01', groups: [{ value: 1.5 }] }]);
    expect(await get(`/metric_profiles/${ids.METRIC}?date=2024-01-31`)).toMatchObject([{ name: 'crit' }]);
    expect(await get('/topology/endpoints?date=2025-05-02')).toEqual([
      {
        date: '2025-05-01',
        group: 'S1',
        type: 'SITES',
        service: 'web',
        hostname: 'h1.example',
        notifications: { contacts: ['do-not-show@example.org'], enabled: true },
        tags: { 'info.ID': '7' },
      },
    ]);
    expect(await get('/topology/endpoints?date=2025-05-03')).toHaveLength(2);
    expect(await get('/topology/endpoints/by_report/R1?date=2025-05-03')).toHaveLength(2);
    expect(await get('/downtimes?date=2025-05-01')).toMatchObject([{ endpoints: [{ severity: 'outage' }] }]);
    expect(await get('/downtimes?date=2025-05-03')).toMatchObject([{ endpoints: [] }]);
    const reports = (await get('/reports')) as { thresholds?: object }[];
    expect(reports).toMatchObject([
      { id: ids.REPORT, tenant: 'TEN', thresholds: { availability: 80.1, uptime: 0.8 }, profiles: [{ name: 'as it was' }] },
      { info: { name: 'R2' }, profiles: [{ name: 'lost' }], computations: { ar: true } },
      { info: { name: 'ODD', created: '2024-01-02 03:04:05' } },
    ]);
    expect(reports[1]).not.toHaveProperty('thresholds');
    expect(await get('/reports?node')).toMatchObject([{ id: ids.REPORT, node_report: true }]);
    expect(await get('/reports?public')).toMatchObject([{ info: { name: 'R2' }, public: true }]);
    expect(await get('/reports?private')).toMatchObject([{ info: { name: 'R1' } }, { info: { name: 'ODD' } }]);
    expect(await get(`/recomputations/${ids.RECOMPUTATION}`)).toMatchObject({
      requester_name: 'Do Not Show',
      status: 'done',
      timestamp: '2025-05-03T08:00:00Z',
      history: [
        { status: 'pending', timestamp: '2025-05-02T08:00:00Z' },
        { status: 'approved', timestamp: '2025-05-02T09:00:00Z' },
        { status: 'done', timestamp: '2025-05-03T08:00:00Z' },
      ],
      exclude_metrics: [{ metric: 'm.http' }],
    });
    const points = await client.get('/metric_result/h1.example/m.http?exec_time=2025-05-03T10:05:00Z', { key: 'user-key-0' });
    expect(points.text).toContain('WARNING');
    const midnight = await client.get('/metric_result/h1.example/m.http?exec_time=2025-05-04T00:00:00Z', { key: 'user-key-0' });
    expect(midnight.text).toContain('by a probe');
    expect(
      (await client.put(`/weights/${ids.WEIGHTS}?date=2024-04-01`, { key: 'user-key-0', body: { name: 'w2', groups: [] } })).status,
    ).toBe(200);
  });

  it('computes with profiles that today’s rules forbid, marks them, and holds the rules in the next PUT', async () => {
    const { url } = suite.server!;
    const [client, root] = [statusClient(url), httpClient(url)];
    const key = 'user-key-0';
    const span = 'start_time=2025-05-03T00:00:00Z&end_time=2025-05-03T23:59:59Z';
    const statuses = await client.get(`/status/ODD/SITES/S1/services/web/endpoints?${span}`, { key });
    expect([statuses.status, statuses.text]).toEqual([200, expect.stringContaining('"C"')]);
    const results = await client.get(`/results/ODD/SITES?${span}`, { key });
    expect([results.status, results.text]).toEqual([200, expect.stringContaining('"S1"')]);
    for (const resource of ['operations_profiles', 'thresholds_profiles']) {
      const [record] = (await data(client, `/${resource}?name=${resource === 'operations_profiles' ? 'bad' : 'odd'}`, key)) as [
        Readonly<{ id: string }>,
      ];
      expect(record).not.toHaveProperty('unchecked');
      expect((await client.put(`/${resource}/${record.id}`, { key, body: record })).status).toBe(422);
      const events = await root.get(`/audit/events?category=status.${resource}`, { key: OPERATOR });
      expect(events.json).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ data: expect.objectContaining({ id: record.id, unchecked: true }) })]),
      });
    }
  });
});

describe('a made-up installation', () => {
  const { suite, migrate, serve } = migrating(embedded);
  let made: MadeInstallation;

  it('goes over as a whole, verified', async () => {
    made = await makeInstallation(suite.folder, SMALL);
    const { code, report } = await migrate();
    expect([code, columnOf(report, 'taken')]).toEqual([0, made.documents.status]);
    expect(Object.values(report.verified ?? {}).every(({ different, missing }) => different + missing === 0)).toBe(true);
  });

  it('is served on every day', async () => {
    const client = await serve();
    expect(await data(client, '/admin/tenants', ADMINISTRATOR_KEY)).toHaveLength(SMALL.tenants);
    for (const { users } of made.tenants) {
      const key = users[0]?.api_key ?? '';
      for (const day of ['2020-01-01', '2020-01-20', '2020-02-09']) {
        expect(await data(client, `/weights?date=${day}`, key)).toMatchObject([{ date: day }]);
        expect(await data(client, `/topology/endpoints?date=${day}`, key)).toHaveLength(SMALL.endpoints);
      }
      expect(await data(client, '/metric_profiles?date=2020-01-30', key)).toMatchObject([{ date: '2020-01-01' }]);
      expect(await data(client, '/metric_profiles?date=2020-01-31', key)).toMatchObject([{ date: '2020-01-31' }]);
      expect(await data(client, '/reports', key)).toHaveLength(2);
      expect(await data(client, '/recomputations', key)).toHaveLength(2);
    }
  });
});

/** What a migration has written into a log, by stream, without what is sealed with random keys: ids follow from the documents. */
const factsOf = async (dataDirectory: string): Promise<readonly string[]> => {
  const log = openEmbeddedEventStore({ path: join(dataDirectory, 'log'), readOnly: true });
  try {
    const facts: string[] = [];
    for (let after = 0n; ; ) {
      const { events, position, caughtUp } = await log.readAll({ after, limit: 1_000 });
      for (const { stream, revision, id, type, data, metadata } of events)
        if (metadata.actor.id === 'migrate') facts.push([stream, revision, id, type, Object.keys(data).join(), metadata.time].join(' '));
      if (caughtUp) return facts.sort();
      after = position;
    }
  } finally {
    await log.close();
  }
};

const KILLS = 4;

describe(`a migration that is killed again and again (seed ${SEED})`, () => {
  const random = randomNumbers(SEED);
  const whole = migrating(embedded);
  const killed = migrating(embedded);

  it('ends with the same facts as one that is not', async () => {
    await makeInstallation(whole.suite.folder, SMALL);
    const begun = performance.now();
    expect((await whole.migrate('--no-verify')).code).toBe(0);
    const duration = performance.now() - begun;
    const exported = join(whole.suite.folder, 'status');
    const path = join(killed.suite.folder, 'report.json');
    const command = ['tools/logbook.mjs', 'migrate', 'status', exported, '--report', path];
    const env = { PATH: process.env.PATH ?? '', ...killed.suite.deployment.environment, LOGBOOK_HISTORY: 'off' };
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, [...command, '--no-verify'], { env, stdio: 'ignore' });
      const gone = once(child, 'close');
      const timer = setTimeout(() => child.kill('SIGKILL'), duration * (0.4 + 0.6 * random()));
      await gone;
      clearTimeout(timer);
    }
    const { code, stdout } = await runLogbook(command.slice(1), env);
    expect([code, stdout]).toEqual([0, expect.stringContaining('verified tenants: 2 compared, 0 different, 0 missing')]);
    expect(await factsOf(killed.suite.deployment.dataDirectory)).toEqual(await factsOf(whole.suite.deployment.dataDirectory));
  });
});
