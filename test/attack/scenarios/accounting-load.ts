import { openRuntime } from '#api/runtime/runtime.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import type { Attack, Outcome } from '#test/attack/attack.js';
import { addInstallations, addMetrics } from '#test/bench/inputs/accounting-data.js';
import { type AccountingClient, accountingClient } from '#test/support/accounting/accounting-client.js';
import type { Cleanup } from '#test/support/cleanup.js';
import { type Deployment, embedded, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { vitalsOf } from '#test/support/neighbours/event-loop-probe.js';
import { inWords, type NeighbourTask, watchNeighbour } from '#test/support/neighbours/neighbour.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, type HttpClient, httpClient } from '#test/support/status-client.js';

/** What the neighbour waits for most of its answers: generous, for a machine that has other things to do. */
const MOST_MS = 500;
/** What the server may have in memory, in MiB. */
const MOST_MEMORY = 1_500;

type Scene = Readonly<{ root: HttpClient; admin: AccountingClient; neighbour: NeighbourTask }>;

const created = (answer: Answer): Readonly<Record<string, string>> => {
  if (answer.status !== 200 && answer.status !== 201) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`);
  return answer.json as Readonly<Record<string, string>>;
};

const project = (id: string) => ({ id, acronym: id, title: 't', start_date: '2030-01-01', end_date: '2032-01-01', call_identifier: 'c' });

/** A server with a small project of a neighbour. `plant`: what is in the stores before it starts. */
const open = async (cleanup: Cleanup, plant?: (deployment: Deployment) => Promise<void>): Promise<Scene> => {
  const deployment = await embedded();
  cleanup.defer(() => deployment.dispose());
  await plant?.(deployment);
  const server = await startLogbook(deployment.environment);
  cleanup.defer(() => server.stop());
  const root = httpClient(server.url);
  while ((await root.get('/health/ready')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  const admin = accountingClient(server.url, SYSTEM_ADMIN);
  created(await admin.post('/admin/projects', project('neighbour')));
  created(await admin.post('/providers', { id: 'site', name: 'site' }));
  created(await admin.post('/projects/neighbour/associate/provider/site'));
  created(await admin.post('/installations', { project: 'neighbour', organisation: 'site', infrastructure: 'i', installation: 'vm' }));
  const path = '/accounting-system/projects/neighbour';
  return { root, admin, neighbour: { url: server.url, pid: server.pid, path, token: SYSTEM_ADMIN } };
};

/** What came of calls: how long the neighbour waited meanwhile, and whether it is served afterwards. */
const outcomeOf = async (
  { root, admin, neighbour }: Scene,
  attempts: number,
  work: () => Promise<Readonly<{ held: boolean; detail: string }>>,
): Promise<Outcome> => {
  await vitalsOf(root);
  const watch = await watchNeighbour(neighbour);
  const { held, detail } = await work();
  const report = await watch.stop();
  const serving = (await admin.get('/projects/neighbour')).status === 200 && (await root.get('/health/ready')).status === 200;
  const { pause } = await vitalsOf(root);
  return {
    held: held && serving && report.typical < MOST_MS && report.memoryPeak < MOST_MEMORY,
    attempts,
    detail: `${detail}; ${inWords(report)}, longest pause ${Math.round(pause)} ms${serving ? '' : ', then was not served'}`,
  };
};

const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const LONG = 60_000;
const RECORDS = 20;

/** Metric definitions as long as they may be. */
const plantLongRecords = async (admin: AccountingClient): Promise<void> => {
  for (let index = 0; index < RECORDS; index++)
    created(
      await admin.post('/metric-definitions', {
        metric_name: `m${index}`,
        metric_type: 'count',
        unit_type: 'TB',
        metric_description: `${'é'.repeat(LONG / 2)}${index}`,
      }),
    );
};

/** As bytes: the neighbour's times are taken in this process. */
const any = (queries: readonly string[]): Buffer => Buffer.from(`{"type":"filter","operator":"OR","criteria":[${queries.join()}]}`);
const query = (operand: string, values: string): string =>
  `{"type":"query","field":"metric_description","operand":"${operand}","values":"${values}"}`;
const many = any(Array.from({ length: 100_000 }, (_, index) => query('eq', `none ${index}`)));
/** Each has to be compared with a record to the end. */
const long = any(Array.from({ length: 500 }, (_, index) => query('lt', `${'é'.repeat(LONG / 2)}\\u0000${index}`)));

const found = (answer: Answer): boolean => answer.status === 200 && (answer.json as { total_elements: number }).total_elements === 0;

const oneSearch: Attack = {
  name: 'accounting: a search of 100,000 eq, and one of 500 long texts, over the longest records',
  run: async (cleanup) => {
    const scene = await open(cleanup);
    await plantLongRecords(scene.admin);
    return outcomeOf(scene, 2, async () => {
      const start = performance.now();
      const first = await scene.admin.post('/metric-definitions/search', many);
      const time = seconds(start);
      const next = performance.now();
      const second = await scene.admin.post('/metric-definitions/search', long);
      return { held: found(first) && found(second), detail: `answered after ${time} and ${seconds(next)}` };
    });
  },
};

const manySearches: Attack = {
  name: 'accounting: 64 searches of 100,000 eq at once',
  run: async (cleanup) => {
    const scene = await open(cleanup);
    await plantLongRecords(scene.admin);
    return outcomeOf(scene, 64, async () => {
      const start = performance.now();
      const answers = await Promise.all(Array.from({ length: 64 }, () => scene.admin.post('/metric-definitions/search', many)));
      const [served, refused] = [answers.filter(found).length, answers.filter(({ status }) => status === 503).length];
      return {
        held: served > 0 && served + refused === answers.length,
        detail: `${served} answered, ${refused} refused for now (503) within ${seconds(start)}`,
      };
    });
  },
};

const INSTALLATIONS = 10_000;

/** A project with as many installations as it may have, each with a metric. */
const plantInstallations = async ({ environment }: Deployment): Promise<void> => {
  const runtime = await openRuntime(loadConfiguration({ LOGBOOK_PORT: '0', ...environment }), createLogger('error', process.stderr));
  try {
    const places = await addInstallations(runtime, INSTALLATIONS);
    for (let start = 0; start < places.length; start += 500)
      await Promise.all(places.slice(start, start + 500).map((place) => addMetrics(runtime, place, 1)));
  } finally {
    await runtime.close();
  }
};

const RANGE = 'start=2021-01-01&end=2022-01-01';
const PROJECT = '/projects/bench-project';

const largeProject: Attack = {
  name: `accounting: a project of ${INSTALLATIONS.toLocaleString('en')} installations as tree, report, CSV and lists, 8 times at once`,
  run: async (cleanup) => {
    const scene = await open(cleanup, plantInstallations);
    const { admin } = scene;
    return outcomeOf(scene, 8 * 7, async () => {
      const start = performance.now();
      const bytes: number[] = [];
      let wrong = 0;
      const read = async (path: string, accept = 'application/json'): Promise<void> => {
        const answer = await admin.get(path, { accept });
        if (answer.status !== 200) wrong += 1;
        bytes.push(answer.text.length);
      };
      const round = async (): Promise<void> => {
        await read(PROJECT);
        await read(`${PROJECT}/report?${RANGE}`);
        await read(`${PROJECT}/report?${RANGE}`, 'text/csv');
        await read(`/providers/bench-provider/report?${RANGE}`);
        await read('/admin/projects?size=100');
        await read('/clients/me?size=100');
        await read(`${PROJECT}/providers/bench-provider/metrics?start=2021-01-01`);
      };
      await Promise.all(Array.from({ length: 8 }, round));
      const created = await admin.post('/installations', {
        project: 'bench-project',
        organisation: 'bench-provider',
        infrastructure: 'i',
        installation: 'one more',
      });
      return {
        held: wrong === 0 && created.status === 409,
        detail: `answers of ${megabytes(Math.max(...bytes))} at most within ${seconds(start)}, one installation more refused`,
      };
    });
  },
};

export const attacks: readonly Attack[] = [oneSearch, manySearches, largeProject];
