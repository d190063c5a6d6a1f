import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accountingCatalogues } from '#domain/accounting/index.js';
import { integrityCatalogues } from '#domain/integrity/integrity-events.js';
import { CURSORS_CATEGORY } from '#domain/messaging/cursors/cursor-events.js';
import { messagingCatalogues } from '#domain/messaging/index.js';
import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import { ACCESS_KEYS_CATEGORY, accessKeyEvents } from '#domain/operations/access-keys.js';
import { AUDIT_CATEGORY, auditEvents } from '#domain/operations/audit-events.js';
import { BACKUPS_CATEGORY, backupEvents } from '#domain/operations/backup-events.js';
import { LOG_CATEGORY, logEvents } from '#domain/operations/log-events.js';
import { PROJECTIONS_CATEGORY, projectionOperations } from '#domain/operations/projection-operations.js';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { statusCatalogues } from '#domain/status/index.js';
import type { Configuration } from '#infra/config/configuration.js';
import { refuseUnfinishedImport } from '#infra/copies/import-marker.js';
import { EventCodec } from '#infra/event-codec/event-codec.js';
import { Integrity, type IntegrityDependencies } from '#infra/integrity/integrity.js';
import { Jobs } from '#infra/jobs/jobs.js';
import { GatedReadStore } from '#infra/log-identity/gated-read-store.js';
import { OpeningEventStore } from '#infra/log-identity/opening-event-store.js';
import { createLogger, type Logger } from '#infra/logging/logger.js';
import { OwnTokens } from '#infra/oidc/own-tokens.js';
import type { DecodeEvents } from '#infra/projection-runner/apply-batch.js';
import { Completeness } from '#infra/projection-runner/completeness.js';
import type { RunnerDependencies } from '#infra/projection-runner/dependencies.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import { RebuildKind } from '#infra/projection-runner/rebuild/rebuild-kind.js';
import { DEFAULT_TIMING } from '#infra/projection-runner/runner-timing.js';
import { SealedDocuments } from '#infra/read-store/sealed/sealed-documents.js';
import { SealedReadStore } from '#infra/read-store/sealed/sealed-read-store.js';
import type { CredentialHashes } from '#infra/secrets/credential-hashes.js';
import { Eraser } from '#infra/secrets/eraser.js';
import { confirmMasterKey } from '#infra/secrets/key-events.js';
import { loadMasterKey } from '#infra/secrets/master-key.js';
import type { Pseudonyms } from '#infra/secrets/pseudonyms.js';
import { SubjectKeys } from '#infra/secrets/subject-keys.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
import { accountingProjections } from '#projections/accounting/index.js';
import { messagingProjections } from '#projections/messaging/index.js';
import { operationsProjections } from '#projections/operations/index.js';
import type { Projection } from '#projections/shared/projection.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { statusProjections } from '#projections/status/index.js';
import type { PastSources, TimeOfCall } from './as-of/time-of-call.js';
import { DamageWatch, type ReadModelsLost } from './damage-watch.js';
import { expectInstallation } from './installation.js';
import { openBackups } from './operations/backups/open-backups.js';
import { CannotUseDirectory } from './start-failure.js';

/** Every event type of the log, by stream category. */
export const catalogues: Readonly<Record<string, EventCatalogue>> = {
  [ACCESS_KEYS_CATEGORY]: accessKeyEvents,
  [BACKUPS_CATEGORY]: backupEvents,
  [AUDIT_CATEGORY]: auditEvents,
  [LOG_CATEGORY]: logEvents,
  [PROJECTIONS_CATEGORY]: projectionOperations,
  ...integrityCatalogues,
  ...messagingCatalogues,
  ...accountingCatalogues,
  ...statusCatalogues,
};

/** Every read model. */
export const projections: readonly Projection[] = [
  ...operationsProjections,
  ...messagingProjections,
  ...accountingProjections,
  ...statusProjections,
];

/** Categories whose streams may lose events from their start. */
const EXPIRING = [MESSAGES_CATEGORY, CURSORS_CATEGORY];

/** Everything below HTTP, as the configuration says: the server and the operators' commands work on it. */
export type Runtime = Readonly<{
  configuration: Configuration;
  logger: Logger;
  clock: Clock;
  eventStore: OpeningEventStore;
  /** Events as `eventStore` returns them, in their current shape and readable. */
  decode: DecodeEvents;
  /** The same events as auditors are shown them. */
  codec: Pick<EventCodec, 'readable'>;
  /** Between documents and their sealed form, also for copies of them elsewhere; with marks for auditors. */
  sealing: SealedDocuments;
  /** Withholds documents that are not known to come from this log. */
  readStore: ReadStore;
  processor: StreamProcessor;
  /** Of texts that are sealed where they are kept. */
  pseudonyms: Pseudonyms;
  credentialHashes: CredentialHashes;
  /** Access tokens that this installation issues itself. */
  ownTokens: OwnTokens;
  /** Not started. */
  readModels: ReadModels;
  completeness: Completeness;
  /** Long work that operators ask for. Not started: kinds may be registered. */
  jobs: Jobs;
  /** Not started. */
  eraser: Eraser;
  /** The chain of the log and its proofs. Not started. */
  integrity: Integrity;
  /** What reads as of the past are made of; absent on nodes without history. */
  past?: PastSources;
  /** The only point in time that this server shows, with all before it. Default: now. */
  asOf?: TimeOfCall;
  /** Resolves, if ever, when the process has to end because its read models cannot be used any more. */
  lost: Promise<ReadModelsLost>;
  /** Finishes what is under way, then closes the stores. */
  close(): Promise<void>;
}>;

/** With its parents, mode 0700. Not Node's `recursive`, which never returns where a file system makes no directories, such as `/proc`. */
const makeDirectory = async (path: string): Promise<void> => {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') {
      if ((await stat(path)).isDirectory()) return;
      throw new Error(`${path} is not a directory`);
    }
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await make();
  }
};

/** @throws CannotUseDirectory */
const makeDataDirectory = (path: string): Promise<void> =>
  makeDirectory(path).catch((error: unknown) => {
    throw new CannotUseDirectory(path, error);
  });

/** Drivers are loaded only when they are used: they are most of the start-up time. */
const openEventStore = async ({ eventStoreUrl, dataDirectory, chain }: Configuration, damage: DamageWatch): Promise<EventStore> => {
  if (eventStoreUrl) {
    const { openEventStoreDb } = await import('#infra/event-store/eventstoredb/event-store.js');
    return openEventStoreDb({ connectionString: eventStoreUrl });
  }
  const { openEmbeddedEventStore } = await import('#infra/event-store/embedded/embedded-event-store.js');
  return openEmbeddedEventStore({ path: join(dataDirectory, 'log'), chained: chain, onDamage: damage.ofLog });
};

const openReadStore = async (
  { redisUrl, redisPrefix, dataDirectory }: Configuration,
  damage: DamageWatch,
  logger: Logger,
): Promise<ReadStore> => {
  if (redisUrl) {
    const { openRedisReadStore } = await import('#infra/read-store/redis/redis-read-store.js');
    return openRedisReadStore({ url: redisUrl, keyPrefix: redisPrefix });
  }
  const { openLmdbReadStore } = await import('#infra/read-store/lmdb/lmdb-read-store.js');
  const path = join(dataDirectory, 'read-models');
  return openLmdbReadStore({ path, report: (message) => logger.warn({ path }, message), onDamage: damage.ofReadModels });
};

const openIntegrity = (configuration: Configuration, dependencies: IntegrityDependencies): Integrity => {
  const { dataDirectory, signingKey, anchorDirectory, chain, eventStoreUrl } = configuration;
  const isShared = eventStoreUrl !== undefined;
  return new Integrity(dependencies, { dataDirectory, signingKey, anchorDirectory, chains: chain, isShared, expiring: EXPIRING });
};

/** What this process can do for operators. */
const openJobs = (dependencies: RunnerDependencies, readModels: ReadModels, configuration: Configuration, log: EventStore): Jobs => {
  const jobs = new Jobs(dependencies);
  jobs.register(new RebuildKind(readModels));
  openBackups(jobs, log, configuration);
  return jobs;
};

const runnerDependencies = (events: EventStore, store: ReadStore, decode: DecodeEvents, log: Logger): RunnerDependencies => ({
  events,
  store,
  decode,
  expiring: EXPIRING,
  log,
  now: Date.now,
  timing: DEFAULT_TIMING,
});

export type OpenOptions = Readonly<{
  /** Opens only what is there: no directory, store or key is created. Default: `false`. */
  existing?: boolean;
}>;

/**
 * Opens the stores and what works on them.
 * @throws NoInstallation with `existing`, where there is nothing to open
 * @throws when a store cannot be opened; nothing stays open then
 */
export const openRuntime = async (
  configuration: Configuration,
  logger: Logger = createLogger(configuration.logLevel),
  { existing = false }: OpenOptions = {},
): Promise<Runtime> => {
  const { dataDirectory, masterKey } = configuration;
  await (existing ? expectInstallation(configuration) : makeDataDirectory(dataDirectory));
  const damage = new DamageWatch(logger);
  const opened: { close(): Promise<void> }[] = [];
  const closeAll = async (): Promise<void> => {
    damage.close();
    for (const part of opened.splice(0).reverse()) await part.close();
  };
  try {
    const logStore = await openEventStore(configuration, damage);
    opened.push(logStore);
    await refuseUnfinishedImport(logStore);
    const documents = await openReadStore(configuration, damage, logger);
    opened.push(documents);
    const wrappingKey = await loadMasterKey({ fromEnvironment: masterKey, directory: join(dataDirectory, 'keys') });
    const eventStore = new OpeningEventStore(logStore, (log) => confirmMasterKey(log, wrappingKey));
    const keys = await SubjectKeys.open({ store: eventStore, masterKey: wrappingKey });
    const sealing = new SealedDocuments(keys, projections);
    const store = new SealedReadStore(documents, sealing);
    const codec = new EventCodec(catalogues, keys);
    const decode: DecodeEvents = (events) => codec.decodeAll(events);
    const dependencies = runnerDependencies(eventStore, store, decode, logger);
    const readModels = new ReadModels(dependencies, projections);
    damage.watchOver(readModels);
    opened.push({ close: () => readModels.stop() });
    const jobs = openJobs(dependencies, readModels, configuration, logStore);
    opened.push({ close: () => jobs.stop() });
    const readStore = new GatedReadStore(store, (projection) => readModels.readGate(projection));
    const eraser = new Eraser({ ...dependencies, keys, catalogues });
    opened.push({ close: () => eraser.stop() });
    const processor = new StreamProcessor(eventStore, codec);
    opened.push(processor);
    const clock = Date.now;
    const integrity = openIntegrity(configuration, { events: eventStore, store: documents, processor, log: logger, now: clock });
    opened.push({ close: () => integrity.stop() });
    return {
      configuration,
      logger,
      clock,
      eventStore,
      decode,
      codec,
      sealing,
      readStore,
      processor,
      pseudonyms: keys.pseudonyms,
      credentialHashes: keys.credentialHashes,
      ownTokens: new OwnTokens(wrappingKey, clock),
      readModels,
      completeness: new Completeness(dependencies, projections),
      jobs,
      eraser,
      integrity,
      lost: damage.lost,
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
};
