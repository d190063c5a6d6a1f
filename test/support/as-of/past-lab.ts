import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp } from '#api/app.js';
import type { PastSources } from '#api/as-of/time-of-call.js';
import { ensureAdministrators } from '#api/credentials.js';
import { openRuntime, type Runtime } from '#api/runtime.js';
import { projections } from '#api/vocabulary.js';
import type { Position } from '#domain/shared/events.js';
import { loadConfiguration } from '#infra/config/configuration.js';
import type { Deployment } from '#test/support/deployments.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';
import { naiveHistory, naiveTimeline } from './naive-past.js';

/** A server in this process that shows the past. */
export type PastLab = Readonly<{
  runtime: Runtime;
  url: string;
  http: HttpClient;
  /** Every route of the server, from its router. */
  routes: readonly Readonly<{ method: string; url: string }>[];
  /** Moves the clock of the server on by milliseconds: it stands still otherwise. */
  advance(milliseconds: number): void;
  /** Of the last event. Everything up to it is shown by the read models. */
  settled(): Promise<Position>;
  close(): Promise<void>;
}>;

/** @param past what the past is read from. Default: the log itself, replayed */
export const openPastLab = async (
  deployment: Deployment,
  environment: Readonly<Record<string, string>> = {},
  past: (runtime: Runtime) => PastSources | undefined = naivePast,
): Promise<PastLab> => {
  const configuration = loadConfiguration({
    ...deployment.environment,
    LOGBOOK_LOG_LEVEL: 'error',
    LOGBOOK_PORT: '0',
    ...environment,
  });
  const opened = await openRuntime(configuration);
  await opened.eventStore.open();
  await writeFile(join(deployment.dataDirectory, 'credentials.json'), '{}'); // an absent one is told by a class that differs between realms
  await ensureAdministrators(opened);
  opened.readModels.start();
  opened.eraser.start();
  await opened.readModels.examined();
  const time = { now: Date.now() - 365 * 86_400_000 };
  const runtime: Runtime = { ...opened, clock: () => time.now, past: past(opened) };
  const app = await createApp(runtime);
  const routes: { method: string; url: string }[] = [];
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', ({ method, url }: { method: string | readonly string[]; url: string }) => {
      for (const one of [method].flat()) routes.push({ method: one, url });
    });
  await app.init();
  const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
  return {
    runtime,
    url,
    http: httpClient(url),
    routes,
    advance: (milliseconds) => {
      time.now += milliseconds;
    },
    settled: async () => {
      const position = await runtime.eventStore.head();
      for (const projection of projections) {
        const [category = ''] = projection.categories;
        await runtime.readModels.applied(category, await runtime.eventStore.head(projection.categories));
      }
      return position;
    },
    close: async () => {
      await app.close();
      await runtime.close();
    },
  };
};

export const naivePast = ({ eventStore, decode }: Runtime): PastSources => ({
  history: naiveHistory(eventStore, decode, projections),
  timeline: naiveTimeline(eventStore),
});
