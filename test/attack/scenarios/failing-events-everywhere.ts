import type { Attack, Outcome } from '#test/attack/attack.js';
import { accountingClient } from '#test/support/accounting/accounting-client.js';
import type { Cleanup } from '#test/support/cleanup.js';
import { ADMIN, type Deployment, distributed, embedded, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { untilReady } from '#test/support/eventually.js';
import { vitalsOf } from '#test/support/neighbours/event-loop-probe.js';
import { inWords, watchNeighbour } from '#test/support/neighbours/neighbour.js';
import { changeLog, openLogOf, type Planted, plant } from '#test/support/plant.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { skipAll } from '#test/support/projections/skip-set-aside.js';
import { type Answer, httpClient, recordsOf, registerTenant, statusClient } from '#test/support/status-client.js';

/** What the neighbour waits for most of its answers, in milliseconds, and what the memory of the server may grow by, in MiB. */
const TYPICAL_WAIT = 500;
const MOST_GROWTH = 1_000;
/** Reports of 1,000 levels and 600,000 elements. Laid out, each would be 600 MB. */
const DEEP_REPORTS = 6;

const NAMES = ['attacker', 'neighbour'] as const;
const BEHIND = 'logbook-read-model';

type Ids = Readonly<{ tenant: string; messaging: string }>;
type Scene = Readonly<{ server: LogbookProcess; attacker: Ids }>;

const expectOk = ({ status, text }: Answer): void => {
  if (status !== 200 && status !== 201) throw new Error(`${status} ${text.slice(0, 200)}`);
};

const bearing = (token: string) => ({ headers: { 'x-api-key': token } });

const accountingProject = (id: string) => ({
  id,
  acronym: id,
  title: 't',
  start_date: '2030-01-01',
  end_date: '2032-01-01',
  call_identifier: 'c',
});

/** Answers do not show it. */
const projectIdOf = async (deployment: Deployment, name: string): Promise<string> => {
  const log = await openLogOf(deployment);
  try {
    const { events } = await log.readAll({ after: 0n, categories: ['messaging.accounts'], limit: 100 });
    const created = events.find(({ type, data }) => type === 'ProjectCreated' && (data as { name?: unknown }).name === name);
    if (!created) throw new Error(`${name} is in no event`);
    return (created.data as { projectId: string }).projectId;
  } finally {
    await log.close();
  }
};

/** A server with an attacker and a neighbour in each of the three services. */
const open = async (cleanup: Cleanup, deployment: Deployment): Promise<Scene> => {
  cleanup.defer(() => deployment.dispose());
  const server = await startLogbook(deployment.environment);
  cleanup.defer(() => server.stop());
  const { url } = server;
  const [root, status, accounting] = [httpClient(url), statusClient(url), accountingClient(url, SYSTEM_ADMIN)];
  await untilReady(root);
  const tenant = await registerTenant(status, ADMIN, 'attacker', ['admin']);
  await registerTenant(status, ADMIN, 'neighbour', ['admin']);
  for (const name of NAMES) {
    expectOk(await root.post(`/v1/projects/${name}`, { ...bearing(SERVICE_TOKEN), body: {} }));
    expectOk(await root.call('PUT', `/v1/projects/${name}/topics/kept`, { ...bearing(SERVICE_TOKEN), body: {} }));
    expectOk(await accounting.post('/admin/projects', accountingProject(name)));
    expectOk(await status.post('/reports', { key: `${name}-admin`, body: { info: { name: 'kept' } } }));
  }
  return { server, attacker: { tenant, messaging: await projectIdOf(deployment, 'attacker') } };
};

const report = (name: string, schema: string) => ({
  name,
  description: '',
  weight: '',
  disabled: false,
  computations: {},
  thresholds: null,
  topology_schema: schema,
  profiles: [],
  filter_tags: [],
});

const deepSchema = (): string => `${'{"group":'.repeat(1_000)}{"x":[${'1,'.repeat(600_000)}1]}${'}'.repeat(1_000)}`;

/** What no command would append: events that cannot be read, whose documents cannot be made, or be stored. */
const hostileEvents = ({ tenant, messaging }: Ids): readonly Planted[] => [
  ...Array.from({ length: DEEP_REPORTS }, (_, index) => ({
    stream: `status.reports-${tenant}`,
    type: 'ReportCreated',
    data: { id: `deep-${index}`, report: report(`deep ${index}`, deepSchema()) },
  })),
  { stream: `status.reports-${tenant}`, type: 'ReportCreated', data: { id: 'cut', report: report('cut', '{"no":') } },
  { stream: 'status.tenants-global', type: 'TenantEngineStatusReported', data: { tenantId: tenant, status: null } },
  { stream: `status.feeds-${tenant}`, type: 'FeedReplaced', data: {} },
  { stream: `messaging.resources-${messaging}`, type: 'TopicCreated', data: {}, service: 'messaging' },
  {
    stream: 'accounting.project-attacker',
    type: 'InstallationCreated',
    data: { projectId: 'attacker', generation: 1 },
    service: 'accounting',
  },
];

/** How many calls of somebody are answered in full, and how many are refused because something is set aside. */
const callsOf = async (url: string, name: string) => {
  const [root, status, accounting] = [httpClient(url), statusClient(url), accountingClient(url, SYSTEM_ADMIN)];
  const key = `${name}-admin`;
  const project = `/v1/projects/${name}`;
  const reads = [
    await status.get('/reports', { key }),
    await status.get('/weights', { key }),
    await root.get(`${project}/topics`, bearing(SERVICE_TOKEN)),
    await accounting.get(`/projects/${name}`),
  ];
  const writes = [
    await status.post('/reports', { key, body: { info: { name: `of ${Date.now()}` } } }),
    await root.call('PUT', `${project}/topics/t${Date.now()}`, { ...bearing(SERVICE_TOKEN), body: {} }),
  ];
  const isServed = (answer: Answer): boolean => answer.status < 300 && answer.headers.get(BEHIND) === null;
  return {
    reads: reads.filter(isServed).length === reads.length,
    writes: writes.filter(isServed).length === writes.length,
    refused: reads.filter(({ status: code }) => code === 503).length,
  };
};

const run = async (cleanup: Cleanup, deployment: Deployment): Promise<Outcome> => {
  const { server, attacker } = await open(cleanup, deployment);
  const planted = hostileEvents(attacker);
  const start = async (at: Readonly<{ LOGBOOK_PORT: string }>): Promise<LogbookProcess> => {
    const next = await startLogbook({ ...deployment.environment, ...at });
    cleanup.defer(() => next.stop());
    await untilReady(httpClient(next.url));
    return next;
  };
  const { url, pid } = await changeLog(deployment, server, start, () => plant(deployment, ...planted));
  const root = httpClient(url);
  await vitalsOf(root);
  const watch = await watchNeighbour({ url, pid, path: '/api/v2/reports', key: 'neighbour-admin' });
  const degraded = async () => ((await root.get('/health')).json as { partitionsSetAside?: object }).partitionsSetAside ?? {};
  while (Object.keys(await degraded()).length < 7) await new Promise((resolve) => setTimeout(resolve, 50));
  const ready = (await root.get('/health/ready')).status;
  const [hurt, well] = [await callsOf(url, 'attacker'), await callsOf(url, 'neighbour')];
  const list = await statusClient(url).get('/admin/tenants', { key: ADMIN });
  const neighbour = await watch.stop();
  const { pause } = await vitalsOf(root);
  const skipped = await skipAll(root, 'no command makes such an event');
  // What a stream holds that no decider can read stays in the way of writes to it.
  const [back, stillWell] = [await callsOf(url, 'attacker'), await callsOf(url, 'neighbour')];
  const held =
    ready === 200 &&
    hurt.refused === 4 &&
    recordsOf(list).length === 2 &&
    back.reads &&
    [well, stillWell].every(({ reads, writes }) => reads && writes) &&
    neighbour.typical < TYPICAL_WAIT &&
    neighbour.memoryPeak - neighbour.memoryBefore < MOST_GROWTH;
  const detail = `the attacker was refused ${hurt.refused} reads of 4 (503), its neighbour nothing; read again after ${skipped} skips; ${inWords(neighbour)}, longest pause ${Math.round(pause)} ms`;
  return { held, attempts: planted.length, detail };
};

export const attacks: readonly Attack[] = [
  {
    name: 'events of a tenant and two projects that read models cannot take, in all services, embedded',
    run: async (cleanup) => run(cleanup, await embedded()),
  },
  {
    name: 'events of a tenant and two projects that read models cannot take, on Redis and the EventStoreDB client',
    run: async (cleanup) => run(cleanup, await distributed()),
  },
];
