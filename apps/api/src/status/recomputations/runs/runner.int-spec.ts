import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '#api/hosting/app.js';
import { ensureAdministrators } from '#api/hosting/credentials.js';
import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { BackgroundWork } from '#api/status/background-work.js';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import type { ReportItem } from '#infra/platform/coordination/leased-work.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { type RecomputationDocument, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { pointsOf, smallReport } from '#test/e2e/status/results/small-report.js';
import { type Deployment, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { idOf, statusClient } from '#test/support/status-client.js';
import { RecomputationRunner } from './runner.js';

let deployment: Deployment;
let runtime: Runtime;
let app: NestFastifyApplication;
let tenant: TestTenant;
let queries: RecomputationQueries;

beforeAll(async () => {
  deployment = await embedded();
  const environment = { ...deployment.environment, LOGBOOK_LOG_LEVEL: 'error', LOGBOOK_PORT: '0', LOGBOOK_HISTORY: 'off' };
  runtime = await openRuntime(loadConfiguration(environment));
  await runtime.eventStore.open();
  await writeFile(join(deployment.dataDirectory, 'credentials.json'), '{}'); // absence shows as a class that differs between realms
  await ensureAdministrators(runtime);
  runtime.readModels.start();
  await runtime.readModels.examined();
  app = await createApp(runtime);
  await app.init();
  // The runners of these tests stand for nodes.
  await app.get(BackgroundWork).onModuleDestroy();
  const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
  tenant = await newTenant(statusClient(url));
  queries = new RecomputationQueries(runtime.readStore);
  await smallReport(tenant, 'Small');
  expect((await tenant.post('/metric_data', pointsOf('2015-01-01', ['06:00:00', 'CRITICAL']))).status).toBe(201);
});
afterAll(async () => {
  await app?.close();
  await runtime?.close();
  await deployment?.dispose();
});

/** A node that runs recomputations until the signal. */
const node = (signal: AbortSignal, report: ReportItem = () => undefined, log: Pick<Logger, 'warn'> = runtime.logger): Promise<void> => {
  const { readStore, readModels, processor, eventStore: events, clock } = runtime;
  const changes = new ChangeCounter();
  const reports = new ReportQueries(readStore);
  const stops = [queries.onCommit(changes.announce), reports.onCommit(changes.announce)];
  const gateway = new CommandGateway(processor, readModels);
  const runner = new RecomputationRunner(
    { gateway, queries, reports, results: resultsOver(readStore, clock), events, changes, clock, log },
    report,
  );
  return runner.work(signal).finally(() => {
    for (const stop of stops) stop();
  });
};

const request = (changes: object = {}) => ({
  requester_name: 'Ann',
  requester_email: 'ann@example.org',
  reason: 'power cut',
  start_time: '2015-01-01T06:00:00Z',
  end_time: '2015-01-01T07:00:00Z',
  report: 'Small',
  exclude: ['SITE-A'],
  ...changes,
});
const move = async (id: string, status: string): Promise<void> => {
  expect((await tenant.post(`/recomputations/${id}/status`, { status })).status).toBe(200);
};
const approved = async (changes: object = {}): Promise<string> => {
  const id = idOf(await tenant.post('/recomputations', request(changes)));
  await move(id, 'approved');
  return id;
};
const find = async (id: string): Promise<RecomputationDocument> => {
  const found = await queries.recomputation({ tenantId: tenant.id, id });
  if (!found) throw new Error('it is gone');
  return found;
};
const statuses = async (id: string) => (await find(id)).history.map(({ status }) => status);
const RUN = ['pending', 'approved', 'running', 'done'];
const untilDone = (id: string) => eventually(() => find(id)).until(({ status }) => status === 'done');

describe('nodes that run recomputations', () => {
  it('begin and complete each once, however many nodes work at once', async () => {
    const ending = new AbortController();
    const nodes = [1, 2, 3].map(() => node(ending.signal));
    const ids = await Promise.all(Array.from({ length: 30 }, () => approved()));
    for (const id of ids) await untilDone(id);
    expect(new Set(await Promise.all(ids.map(async (id) => (await statuses(id)).join())))).toEqual(new Set([RUN.join()]));
    ending.abort();
    await Promise.all(nodes);
  });

  it('complete what another one was doing when it ended, wherever that was', async () => {
    const [ending, next] = [new AbortController(), new AbortController()];
    const reached: (string | null)[] = [];
    const first = node(ending.signal, (_key, run) => {
      if (run) reached.push((run as { reached: string | null }).reached);
      ending.abort();
    });
    const id = await approved({ end_time: '2017-01-01T00:00:00Z' });
    await first;
    expect([await statuses(id), reached]).toEqual([RUN.slice(0, 3), ['2016-12-31']]);
    const second = node(next.signal);
    await untilDone(id);
    expect(await statuses(id)).toEqual(RUN);
    next.abort();
    await second;
  });

  it('leave alone what was reset, rejected or deleted in the middle, and what has no report that can be computed', async () => {
    const ending = new AbortController();
    const long = { end_time: '2017-01-01T00:00:00Z' };
    const ids = { reset: await approved(long), rejected: await approved(long), deleted: await approved(long) };
    const other = await approved({ report: 'Unknown' });
    const path = (id: string) => `/recomputations/${id}`;
    const acted = new Map<string, Promise<unknown>>();
    const running = node(ending.signal, (key) => {
      const [id = ''] = key.split('/').slice(-1);
      if (acted.has(id)) return;
      if (id === ids.reset) acted.set(id, tenant.delete(`${path(id)}/status`));
      if (id === ids.rejected) acted.set(id, move(id, 'rejected'));
      if (id === ids.deleted) acted.set(id, tenant.delete(path(id)));
    });
    await eventually(async () => acted.size).until((size) => size === 3);
    await Promise.all(acted.values());
    // Once this one is done, the node has looked at all of them again.
    await untilDone(await approved());
    expect([await statuses(ids.reset), await statuses(ids.rejected), await statuses(other)]).toEqual([
      ['pending', 'approved', 'running', 'pending'],
      ['pending', 'approved', 'running', 'rejected'],
      ['pending', 'approved'],
    ]);
    expect((await tenant.get(path(ids.deleted))).status).toBe(404);
    ending.abort();
    await running;
  });

  it('repeat ever more rarely what cannot be computed, and complete others of the report meanwhile', async () => {
    const ending = new AbortController();
    // Each can be computed, but not both on the days of the second one; later days of the first one always can.
    const exclude = Array.from({ length: 12_000 }, (_, index) => `${index}`);
    const first = await approved({ exclude, end_time: '2015-02-01T00:00:00Z' });
    const second = await approved({ exclude });
    const other = await approved({ start_time: '2014-12-01T00:00:00Z', end_time: '2014-12-02T00:00:00Z' });
    const failed: number[] = [];
    const warnings: unknown[] = [];
    const running = node(
      ending.signal,
      (key, run) => {
        if (key.endsWith(first) && run === null) failed.push(performance.now());
      },
      { warn: (facts: unknown) => warnings.push(facts) } as unknown as Pick<Logger, 'warn'>,
    );
    await untilDone(other);
    await eventually(() => failed.length).until((count) => count >= 3);
    expect((failed[2] ?? 0) - (failed[1] ?? 0)).toBeGreaterThan(900);
    // The first failure of all three, the second of each.
    expect(warnings.length).toBeLessThanOrEqual(3);
    expect([await statuses(first), await statuses(second), await statuses(other)]).toEqual([RUN.slice(0, 3), RUN.slice(0, 3), RUN]);
    ending.abort();
    await running;
  });
});
