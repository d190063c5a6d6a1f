import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp } from '#api/hosting/app.js';
import { ensureAdministrators } from '#api/hosting/credentials.js';
import { ServingNodes } from '#api/messaging/deliveries/serving-nodes.js';
import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { projections } from '#api/runtime/vocabulary.js';
import type { PastSources } from '#api/shared/as-of/time-of-call.js';
import type { LogMoment } from '#domain/operations/moments.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import type { History } from '#projections/shared/past.js';
import type { Deployment } from '#test/support/deployments.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';
import { naiveTimeline } from './naive-timeline.js';

/** A server in this process that shows the past. */
export type PastLab = Readonly<{
  runtime: Runtime;
  url: string;
  http: HttpClient;
  /** Every route of the server, from its router. */
  routes: readonly Readonly<{ method: string; url: string }>[];
  /** Moves the clock of the server on by milliseconds: it stands still otherwise. */
  advance(milliseconds: number): void;
  /** The last event, once the read models show everything up to it; the clock stands at its log time from then on. */
  settled(): Promise<LogMoment>;
  close(): Promise<void>;
}>;

/** @param past what the past is read from. Default: the history that this server records */
export const openPastLab = async (
  deployment: Deployment,
  environment: Readonly<Record<string, string>> = {},
  past: (runtime: Runtime) => PastSources | undefined = recordedPast,
): Promise<PastLab> => {
  const configuration = loadConfiguration({
    ...deployment.environment,
    LOGBOOK_LOG_LEVEL: 'error',
    LOGBOOK_PORT: '0',
    LOGBOOK_HISTORY: 'on',
    ...environment,
  });
  const opened = await openRuntime(configuration, undefined, { isNode: true });
  await opened.eventStore.open();
  await writeFile(join(deployment.dataDirectory, 'credentials.json'), '{}'); // an absent one is told by a class that differs between realms
  await ensureAdministrators(opened);
  opened.readModels.start();
  opened.keeper?.start();
  await opened.takeOver?.start();
  opened.erasing.start();
  await Promise.all(projections.map(({ name }) => opened.readModels.readGate(name)?.opened));
  opened.audit.start();
  const time = { now: Date.now() + 60_000 }; // later than what the installation itself has written
  const runtime: Runtime = { ...opened, clock: () => time.now, past: past(opened) };
  const timeline = naiveTimeline(opened.eventStore);
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
  app.get(ServingNodes).start(url);
  return {
    runtime,
    url,
    http: httpClient(url),
    routes,
    advance: (milliseconds) => {
      time.now += milliseconds;
    },
    settled: async () => {
      const moment = await timeline.atPosition(await runtime.eventStore.head());
      if (!moment) throw new Error('the log is empty');
      time.now = Date.parse(moment.time);
      for (const category of new Set(projections.flatMap(({ categories }) => categories)))
        await runtime.readModels.applied(category, await runtime.eventStore.head([category]), LONGEST_MS);
      return moment;
    },
    close: async () => {
      await app.close();
      await runtime.close();
    },
  };
};

/** What the server opens itself. */
export const recordedPast = ({ past }: Runtime): PastSources | undefined => past;

/** The same, where the history answers some questions otherwise. */
export const pastThat =
  (answers: (history: History) => Partial<Pick<History, 'reach' | 'status'>>) =>
  ({ past }: Runtime): PastSources | undefined => {
    if (!past) return undefined;
    const { history } = past;
    return {
      ...past,
      history: {
        view: (...view) => history.view(...view),
        reach: (...reach) => history.reach(...reach),
        status: () => history.status(),
        ...answers(history),
      },
    };
  };
