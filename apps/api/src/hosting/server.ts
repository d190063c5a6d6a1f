import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ExternalProviderCatalogue } from '#api/accounting/catalogue/external-provider-catalogue.js';
import { CannotServePast, pointToServe } from '#api/as-of/point-to-serve.js';
import { ServingNodes } from '#api/messaging/deliveries/serving-nodes.js';
import { PushService } from '#api/messaging/push/push-service.js';
import { expectProjector } from '#api/runtime/installation.js';
import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { CannotListen, startFailureOf } from '#api/runtime/start-failure.js';
import { announceInstallation } from '#api/runtime/stores.js';
import { requireClientTrust } from '#api/shared/http/tls/client-authorities.js';
import { readKeyPair } from '#api/shared/http/tls/key-pair.js';
import { ResultsEngine } from '#api/status/results-engine/results-engine.js';
import { ACCESS_CATEGORY } from '#domain/accounting/access/access-events.js';
import { ACCESS_KEYS_CATEGORY } from '#domain/operations/access-keys.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { BACKUP } from '#infra/edges/copies/backups/backup-kind.js';
import { removeLocalCopies } from '#infra/edges/copies/backups/local-copies.js';
import { LOG_VERIFICATION } from '#infra/engine/integrity/verification/verification-kind.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { VERIFICATION } from '#infra/engine/projection-runner/verify/verification-kind.js';
import { type Configuration, loadConfiguration, type NodeRole } from '#infra/platform/config/configuration.js';
import { loadDotEnv, readSecretFiles } from '#infra/platform/config/environment.js';
import { unknownVariables } from '#infra/platform/config/unknown-variables.js';
import { createLogger, type Logger } from '#infra/platform/logging/logger.js';
import { limitHeapGrowth } from '#infra/platform/program/heap-limit.js';
import { masterFingerprint } from '#infra/stores/secrets/key-events.js';
import { ensureAdministratorsAgain } from './administrators-watch.js';
import { createApp } from './app.js';
import { ensureAdministrators } from './credentials.js';
import { ABANDONED_CLOSE_MS, type Server, serveAnew, withinTime } from './ending.js';
import { isServed, servePastOfServer } from './past-proxy.js';
import { announceAddress, withdrawAddress } from './server-address.js';
import { watchDescriptors } from './start/descriptor-watch.js';
import { logProcessEvents } from './start/process-events.js';
import { shutdownSignal } from './start/shutdown-signal.js';
import { StoreWait, startWhenThere } from './start/wait-for-stores.js';
import { isTerminal, whereToGo, whyNot } from './start/where-to-go.js';
import { listenByCertificate } from './x509-listener.js';

/**
 * A server that accepts requests: stores open, read models following the log, administrators in place.
 * @param asOf point in time to show; then it writes nothing and follows nothing. Default: the present
 */
const startServer = async (configuration: Configuration, logger: Logger, output: NodeJS.WritableStream, asOf?: string): Promise<Server> => {
  if (asOf !== undefined) return startPastServer(configuration, logger, output, asOf);
  expectProjector(configuration);
  const runtime = await openRuntime(configuration, logger, { isNode: true, openResults: (parts) => new ResultsEngine(parts) });
  const has = (role: NodeRole): boolean => configuration.roles.includes(role);
  let application: NestFastifyApplication | undefined;
  const stops: (() => Promise<void>)[] = [];
  let presence: Awaited<ReturnType<typeof announceInstallation>>;
  let isClosing = false;
  /** Ends a start that was given up, so that it does not go on beside the next one. @param end of what was opened beside or after `close` */
  const expectOpen = async (end?: () => Promise<unknown>): Promise<void> => {
    if (!isClosing) return;
    await end?.();
    throw new Error('the start was given up');
  };
  /** Stops pushing and accepting requests, waits for running requests, then closes commands, read models and stores, in this order. */
  const close = async (): Promise<void> => {
    isClosing = true;
    for (const stop of stops) await stop();
    await application?.close();
    await runtime.close();
    await presence?.close();
  };
  const start = async (): Promise<Server> => {
    expectAudience(configuration, runtime.logger);
    await openLog(runtime);
    presence = await announceInstallation(runtime);
    await expectOpen(async () => presence?.close());
    const credentials = await ensureAdministrators(runtime);
    if (credentials && !isTerminal(output)) runtime.logger.info({ credentials }, 'keys of the first administrators were generated');
    await removeLocalCopies(configuration.dataDirectory);
    await expectOpen();
    stops.push(ensureAdministratorsAgain(runtime));
    startFollowing(runtime);
    // A client that sees `listening` may use a key at once. The wait is bounded, so that a server answers without its read store, too.
    await runtime.readModels.examined([ACCESS_KEYS_CATEGORY, ACCESS_CATEGORY]);
    await expectOpen();
    if (has('api') || has('push')) runtime.results?.start(); // only now the read models are known to belong to this log
    const app = await createApp(runtime);
    application = app;
    await expectOpen(() => app.close());
    await app.init(); // without it, commands have no handlers
    await expectOpen(() => app.close());
    await app.get(ExternalProviderCatalogue).start();
    await expectOpen();
    const url = await listen(app, configuration);
    await expectOpen();
    app.get(ServingNodes).start(url); // nothing that takes time may come between: a call could be served here, and by the holder of the seat
    const stopCertificates = await listenByCertificate(app, configuration, runtime.logger);
    stops.push(stopCertificates);
    await expectOpen(stopCertificates);
    const masterKey = await masterFingerprint(runtime.eventStore).catch(() => null);
    await announceAddress(configuration.dataDirectory, url, configuration.roles, masterKey);
    const withdraw = async (): Promise<void> => withdrawAddress(configuration.dataDirectory, url);
    stops.push(withdraw);
    await expectOpen(withdraw);
    if (has('push')) await app.get(PushService).start(new URL(url).host);
    sayWhere(url, runtime, output);
    return { url, runtime, close };
  };
  try {
    return await Promise.race([start(), runtime.lost.then((lost) => Promise.reject(lost))]);
  } catch (error) {
    await Promise.race([close(), runtime.lost.then(() => sleep(ABANDONED_CLOSE_MS))]);
    throw error;
  }
};

/** Warns of issuers whose tokens for other services are accepted. */
const expectAudience = ({ oidcIssuers, oidcAudiences }: Configuration, logger: Logger): void => {
  if (oidcIssuers.length === 0 || oidcAudiences.length > 0) return;
  logger.warn(
    { issuers: oidcIssuers },
    'LOGBOOK_OIDC_AUDIENCE is not set: tokens of the issuers that were made for other services are taken, too',
  );
};

/** Jobs that a node works on, by its roles. A backup is made by the node that is asked, in its own directory. */
const KINDS: Readonly<Record<NodeRole, readonly string[]>> = {
  api: [],
  projector: [REBUILD, VERIFICATION],
  push: [],
  history: [LOG_VERIFICATION],
};

/** Starts background work without HTTP, by the roles of this node. */
const startFollowing = (runtime: Runtime): void => {
  const { configuration, readModels, keeper, copies, takeOver, jobs, followers, erasing, integrity, metadataWatch } = runtime;
  const { roles } = configuration;
  readModels.start();
  keeper?.start();
  copies?.start();
  void takeOver?.start();
  jobs.start([BACKUP, ...roles.flatMap((role) => KINDS[role])]);
  followers?.start();
  erasing.start(roles.includes('push'));
  if (!roles.includes('history')) return;
  integrity.start();
  metadataWatch?.start();
};

/** Announces the address: as text on a terminal, otherwise as a log line. */
const sayWhere = (url: string, { configuration, logger, asOf }: Runtime, output: NodeJS.WritableStream): void => {
  if (isTerminal(output)) {
    output.write(whereToGo(url, configuration, asOf));
    return;
  }
  if (asOf) {
    logger.info({ url, asOf: `${asOf.moment?.position ?? 0n}`, asOfTime: asOf.moment?.time ?? null }, 'listening');
    return;
  }
  const { roles, eventStoreUrl, eventStoreClient, redisUrl } = configuration;
  const eventLog = eventStoreUrl ? `EventStoreDB, ${eventStoreClient} client` : 'embedded';
  logger.info({ url, roles: roles.join(','), eventLog, readModels: redisUrl ? 'Redis' : 'embedded' }, 'listening');
};

/** A server that shows one point in time, from stores that no other process has open, or shared ones. */
const startPastServer = async (
  configuration: Configuration,
  logger: Logger,
  output: NodeJS.WritableStream,
  asOf: string,
): Promise<Server> => {
  const opened = await openRuntime(configuration, logger, { readOnly: true });
  let app: NestFastifyApplication | undefined;
  const close = async (): Promise<void> => {
    await app?.close();
    await opened.close();
  };
  try {
    const console = false; // it writes: sessions, and records of auditors' reads
    const runtime = { ...opened, configuration: { ...configuration, console }, asOf: await pointToServe(opened, asOf) };
    app = await createApp(runtime);
    await app.init();
    const url = await listen(app, configuration);
    sayWhere(url, runtime, output);
    return { url, runtime, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Runs before anything is compared with the log. If the log cannot be written now (a full disk), reads are served anyway. */
const openLog = async ({ eventStore, logger }: Runtime): Promise<void> => {
  try {
    await eventStore.open();
  } catch (error) {
    if (!(error instanceof EventStoreUnavailable)) throw error;
    logger.warn({ err: error }, 'the event log takes no writes now');
  }
};

/** Queue of connections to be accepted: thousands of consumers return at once after a restart. */
const BACKLOG = 4_096;

/** Starts to listen. Returns the base of its URLs. Does not use Nest, which logs a failure before it throws it. @throws CannotListen */
const listen = async (app: NestFastifyApplication, { host, port }: Configuration): Promise<string> => {
  try {
    return await app.getHttpAdapter().getInstance().listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    throw new CannotListen(host, port, error);
  }
};

/** Options of the program in addition to its environment. `asOf`: an instant or a position, for a server of that point in time. */
type ServeOptions = Readonly<{ roles?: string | undefined; asOf?: string | undefined }>;

/** @throws InvalidConfiguration */
const configurationFrom = (environment: NodeJS.ProcessEnv, { roles }: ServeOptions): Configuration => {
  readSecretFiles(environment);
  return loadConfiguration(roles === undefined ? environment : { ...environment, LOGBOOK_ROLES: roles });
};

const warnOfUnknown = (environment: NodeJS.ProcessEnv, logger: Logger): void => {
  for (const { variable, text } of unknownVariables(environment)) logger.warn({ variable }, text);
};

/** Parts of the process that a server runs in. */
type ServerDependencies = Readonly<{
  /** Resolves with the name of the ending signal. */
  signalled: Promise<string>;
  /** Receives the log. */
  output: NodeJS.WritableStream;
  /** Receives the reason of a failed start. */
  errors: NodeJS.WritableStream;
  /** Starts to log events of the process. */
  watch(logger: Logger): void;
}>;

const thisProcess = (): ServerDependencies => ({
  signalled: shutdownSignal(),
  output: process.stdout,
  errors: process.stderr,
  watch: (logger) => {
    limitHeapGrowth();
    logProcessEvents(logger);
    watchDescriptors(logger);
  },
});

/**
 * Serves until SIGTERM or SIGINT; a second signal ends the process at once. Waits for stores that do not answer. A failed start writes one
 * line to standard error, in the form of the log, with the reason and the related variable. It also ends if a store cannot be used any
 * more.
 * @param environment gets the variables of `.env`, and secrets in place of the names of their files
 * @param surroundings for a server that shares its process with others. Default: the process
 * @returns the exit code of the process
 */
export const serve = async (
  environment: NodeJS.ProcessEnv,
  options: ServeOptions = {},
  surroundings?: ServerDependencies,
): Promise<number> => {
  const { asOf } = options;
  let configuration: Configuration | undefined;
  try {
    loadDotEnv(environment);
    configuration = configurationFrom(environment, options);
    // Before this line a signal ends the process by default, because reading a secret may wait for another program.
    const { signalled, output, watch } = surroundings ?? thisProcess();
    const settings = configuration;
    const logger = createLogger(settings.logLevel, output);
    watch(logger);
    warnOfUnknown(environment, logger);
    const waiting = new AbortController();
    void signalled.then(() => waiting.abort());
    const work = async (): Promise<number> => {
      if (settings.x509) await requireClientTrust(settings.x509);
      if (settings.tls) await readKeyPair(settings.tls); // otherwise an error would be noticed only after the stores are open
      if (asOf !== undefined && isServed(settings)) return servePastOfServer(settings, asOf, { signalled, logger, output });
      return serveAnew(signalled, logger, (port = settings.port) =>
        startWhenThere(new StoreWait(settings, logger, waiting.signal), () => startServer({ ...settings, port }, logger, output, asOf)),
      );
    };
    // A server that shares its process cannot end it.
    return surroundings ? await work() : await withinTime(signalled, settings.drainSeconds, logger, work);
  } catch (error) {
    const failure = startFailureOf(error, configuration);
    const errors = surroundings?.errors ?? process.stderr;
    const logger = createLogger('error', errors);
    if (failure && isTerminal(errors)) errors.write(whyNot(failure));
    else if (failure) logger.error({ variable: failure.variable }, failure.message);
    else if (error instanceof CannotServePast) logger.error({ asOf }, error.message);
    else logger.error({ err: error }, 'the server ended with an unexpected error');
    return 1;
  }
};
