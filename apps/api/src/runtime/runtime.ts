import { join } from 'node:path';
import { ReadTrail } from '#api/ops-kit/read-trail.js';
import type { PastSources, TimeOfCall } from '#api/shared/as-of/time-of-call.js';
import { Drain } from '#api/shared/http/connections/drain.js';
import type { ClientAuthorities } from '#api/shared/http/tls/client-authorities.js';
import type { ServerCertificate } from '#api/shared/http/tls/server-certificate.js';
import { EXPIRING } from '#domain/integrity/expiring.js';
import type { LogTimeline } from '#domain/operations/moments.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { refuseUnfinishedRestore } from '#infra/edges/copies/backups/restoring.js';
import { OwnTokens } from '#infra/edges/oidc/own-tokens.js';
import type { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { type AuditEvents, openAuditIndex } from '#infra/engine/audit-index/open-audit-index.js';
import { Erasing } from '#infra/engine/erasure/erasing.js';
import type { Followers } from '#infra/engine/followers/followers.js';
import { DocumentCopies } from '#infra/engine/history/document-copies.js';
import { DocumentsHistory } from '#infra/engine/history/documents-history.js';
import { RequestedRebuilds } from '#infra/engine/history/requested-rebuilds.js';
import { hasEarlierHistory, TakeOver } from '#infra/engine/history/take-over.js';
import { Integrity } from '#infra/engine/integrity/integrity.js';
import { leavesFrom } from '#infra/engine/integrity/leaf-follower.js';
import { LogVerificationKind } from '#infra/engine/integrity/verification/verification-kind.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { RebuildKind } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { DEFAULT_TIMING } from '#infra/engine/projection-runner/runner-timing.js';
import { VerificationKind } from '#infra/engine/projection-runner/verify/verification-kind.js';
import { Snapshots } from '#infra/engine/stream-processor/snapshots/snapshots.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { createLogger, type Logger, withFacts } from '#infra/platform/logging/logger.js';
import type { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import type { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SealedReadStore } from '#infra/stores/read-store/sealed/sealed-read-store.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import type { Pseudonyms } from '#infra/stores/secrets/pseudonyms.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { chainedBytes } from './chained-bytes.js';
import { DamageWatch, type StoreLost } from './damage-watch.js';
import { openFollowers } from './followers/open-followers.js';
import { expectInstallation } from './installation.js';
import { lastingFindings } from './lasting-findings.js';
import { shownDocuments } from './layers.js';
import type { MetadataWatch } from './metadata-watch.js';
import { openBackups } from './open-backups.js';
import { recordLeftOut } from './projection-commands.js';
import type { ResultsThread, ThreadParts } from './results-thread.js';
import { type OpenParts, openIntegrity, openStores, prepareDirectory, type StoreOptions } from './stores.js';
import { catalogues, projections } from './vocabulary.js';

/** Everything below HTTP, according to the configuration. The server and the operators' commands use it. */
export type Runtime = Readonly<{
  configuration: Configuration;
  logger: Logger;
  telemetry: Telemetry;
  clock: Clock;
  eventStore: OpeningEventStore;
  /** Decodes events of `eventStore` to readable ones in their current shape. */
  decode: DecodeEvents;
  /** Converts events to their stored form and back, also in the auditors' view. */
  codec: EventCodec;
  /** The log itself, for imports of records of other logs: `eventStore` must have been opened for writing before. */
  log: ImportTarget;
  /** Converts documents to their sealed form and back, also for other copies of them; with marks for auditors. */
  sealing: SealedDocuments;
  /** Withholds documents that are not known to belong to this log. */
  readStore: ReadStore;
  processor: StreamProcessor;
  /** Recorded reads. */
  reads: ReadTrail;
  /** Pseudonyms of texts that are sealed in their store. */
  pseudonyms: Pseudonyms;
  credentialHashes: CredentialHashes;
  /** Access tokens issued by this installation. */
  ownTokens: OwnTokens;
  /** Not started. */
  readModels: ReadModels;
  completeness: Completeness;
  /** Long-running jobs requested by operators. Not started: kinds may still be registered. */
  jobs: Jobs;
  /** Not started. */
  erasing: Erasing;
  /** The chain of the log and its proofs. Not started. */
  integrity: Integrity;
  /** Sources of reads as of the past; absent on nodes without history. */
  past?: PastSources;
  /** Stores the documents of the past if those of `readModels` are elsewhere. Not started. */
  keeper?: ReadModels;
  /** Fills lost documents of `readModels` from those of `keeper`. Not started. */
  copies?: DocumentCopies;
  /** Migrates data of earlier releases in the data directory; absent for read-only use. Not started. */
  takeOver?: TakeOver;
  /** Followers in addition to the write path; absent on nodes without any. Not started. */
  followers?: Followers;
  /** Checks the metadata of our streams on an EventStoreDB; absent elsewhere. Not started. */
  metadataWatch?: MetadataWatch;
  /** Absent for read-only use. Not started. */
  results?: ResultsThread;
  /** The only point in time that this server shows, with all before it. Default: the present. */
  asOf?: TimeOfCall;
  /** Certificate of the server; absent without TLS, and before it is loaded. */
  certificate?: ServerCertificate;
  /** With `LOGBOOK_X509_PORT`. */
  clientAuthorities?: ClientAuthorities;
  audit: AuditEvents;
  /** Total bytes of the data of chained events; `null` if the store does not count them. */
  logBytes: () => Promise<number | null>;
  /** Begins with the signal to end. */
  drain: Drain;
  /** Resolves if the process has to end because a store cannot be used any more. */
  lost: Promise<StoreLost>;
  /** Finishes running work, then closes the stores. */
  close(): Promise<void>;
}>;

type Stores = Awaited<ReturnType<typeof openStores>>;

/** Sources of the past, and the read models that store it if those of the node are elsewhere. */
const openPast = (
  { dataDirectory }: Configuration,
  { past, documents, sealing }: Pick<Stores, 'past' | 'documents' | 'sealing'>,
  { seats: _, ...dependencies }: RunnerDependencies,
  readModels: ReadModels,
  timeline: LogTimeline,
  opened: OpenParts,
): Pick<Runtime, 'past' | 'keeper' | 'copies'> => {
  if (!past) return {};
  const isTakingOver = () => hasEarlierHistory(dataDirectory);
  const options = { store: past, projections, sealed: sealing, isTakingOver };
  if (past === documents) return { past: { history: new DocumentsHistory({ ...options, readModels }), timeline } };
  const log = withFacts(dependencies.log, { documents: 'history' });
  const rebuilds = new RequestedRebuilds({ events: dependencies.events, store: past, readModels: () => keeper, log });
  const keeper: ReadModels = new ReadModels(
    { ...dependencies, log, store: new SealedReadStore(past, sealing), onRebuildRequested: (request) => rebuilds.request(request) },
    projections,
  );
  const copies = new DocumentCopies({ past, shared: documents, keeper, readModels, projections });
  opened.push({ close: () => keeper.stop() }, { close: () => rebuilds.stop() }, { close: () => copies.stop() });
  return { past: { history: new DocumentsHistory({ ...options, readModels: keeper }), timeline }, keeper, copies };
};

const openTakeOver = (
  { dataDirectory, redisUrl }: Configuration,
  log: Logger,
  { past, eventStore: events }: Stores,
  readModels: ReadModels,
  opened: OpenParts,
): Pick<Runtime, 'takeOver'> => {
  const built = () => Promise.all(projections.map(({ name }) => readModels.readGate(name)?.opened));
  const common = { dataDirectory, events, projections, expiring: EXPIRING, log, timing: DEFAULT_TIMING };
  const takeOver = new TakeOver({ ...common, ...(past && { past }), ...(redisUrl === undefined && { built }) });
  opened.push({ close: () => takeOver.stop() });
  return { takeOver };
};

const newJobs = (dependencies: RunnerDependencies, readModels: ReadModels, log: ImportTarget, processor: () => StreamProcessor): Jobs => {
  const jobs = new Jobs({ ...dependencies, lasting: lastingFindings });
  jobs.register(new RebuildKind(readModels, recordLeftOut(processor)));
  jobs.register(new VerificationKind(dependencies, readModels, projections));
  jobs.register(new LogVerificationKind(log));
  return jobs;
};

/** Opens the parts that work on the stores. */
const assemble = (
  configuration: Configuration,
  logger: Logger,
  stores: Stores,
  opened: OpenParts,
): Omit<Runtime, 'drain' | 'reads' | 'log' | 'telemetry' | 'metadataWatch' | 'lost' | 'close'> => {
  const { log, foreign, eventStore, documents, wrappingKey, keys, sealing, codec, store, readOnly, derived, tree, seats } = stores;
  const clock = Date.now;
  const decode: DecodeEvents = (events) => codec.decodeAll(events);
  const dependencies: RunnerDependencies = {
    events: eventStore,
    store,
    decode: (events) => codec.decodeToApply(events),
    expiring: EXPIRING,
    log: logger,
    now: clock,
    timing: DEFAULT_TIMING,
    count: (categories, signal) => audit.counted.count(categories, signal),
    ...(seats !== undefined && { seats }),
  };
  const readModels = new ReadModels(dependencies, projections);
  const jobs = newJobs(dependencies, readModels, log, () => processor);
  opened.push({ close: () => readModels.stop() }, { close: () => jobs.stop() });
  const erasing = new Erasing({ ...dependencies, decode, keys, catalogues });
  const snapshots = readOnly ? undefined : new Snapshots({ store: documents, masterKey: wrappingKey, keys, log: logger, now: clock });
  const processor = new StreamProcessor(eventStore, codec, { ...(snapshots && { snapshots }) });
  opened.push(erasing, processor);
  const chain = () => integrity.chain;
  const audit: AuditEvents = openAuditIndex({ dataDirectory: derived, events: eventStore, codec, chain, log: logger });
  opened.push(audit);
  const followers = openFollowers({ configuration, logger, foreign, eventStore, masterKey: wrappingKey });
  if (followers) opened.push({ close: () => followers.stop() });
  const integrity = openIntegrity(configuration, tree, {
    events: eventStore,
    store: documents,
    processor,
    log: logger,
    now: clock,
    ...(followers && { source: leavesFrom(followers) }),
  });
  openBackups(jobs, log, configuration, integrity);
  opened.push({ close: () => integrity.stop() });
  return {
    configuration,
    logger,
    clock,
    eventStore,
    decode,
    codec,
    sealing,
    readStore: readOnly ? store : shownDocuments(store, readModels, sealing),
    processor,
    pseudonyms: keys.pseudonyms,
    credentialHashes: keys.credentialHashes,
    ownTokens: new OwnTokens(wrappingKey, clock),
    readModels,
    completeness: new Completeness(dependencies, projections),
    jobs,
    erasing,
    integrity,
    audit,
    logBytes: () => chainedBytes(log),
    ...(followers && { followers }),
    ...openPast(configuration, stores, dependencies, readModels, audit.index, opened),
  };
};

type OpenOptions = Partial<StoreOptions> &
  Readonly<{
    /** Opens the thread of results. Default: there is none. */
    openResults?: (parts: ThreadParts) => ResultsThread;
  }>;

/**
 * Opens the stores and the parts that use them.
 * @throws NoInstallation, MissingReadModels with `existing` or `readOnly`, if there is nothing to open
 * @throws if a store cannot be opened; then nothing stays open
 */
export const openRuntime = async (
  configuration: Configuration,
  logger: Logger = createLogger(configuration.logLevel),
  { existing = false, readOnly = false, isNode = false, openResults }: OpenOptions = {},
): Promise<Runtime> => {
  if (!configuration.eventStoreUrl) refuseUnfinishedRestore(join(configuration.dataDirectory, 'log'));
  if (existing || readOnly) expectInstallation(configuration);
  else await prepareDirectory(configuration.dataDirectory);
  const damage = new DamageWatch(logger, configuration.dataDirectory);
  const opened: OpenParts = [];
  const close = async (): Promise<void> => {
    damage.close();
    for (const part of opened.splice(0).reverse()) await part.close();
  };
  try {
    const stores = await openStores(configuration, logger, damage, opened, { readOnly, existing, isNode });
    const assembled = assemble(configuration, logger, stores, opened);
    if (isNode) stores.lostDocuments.start({ ...assembled, store: stores.documents });
    const reads = new ReadTrail(assembled.processor, assembled.clock, logger);
    opened.push(reads);
    const parts = { ...assembled, reads, drain: new Drain() };
    const { log, telemetry, metadataWatch, documents, past = documents } = stores;
    if (!readOnly) damage.watchOver({ readModels: parts.keeper ?? parts.readModels, store: past });
    if (readOnly) return { ...parts, log, telemetry, lost: damage.lost, close };
    const results = openResults?.({ ...stores, configuration, logger, masterKey: stores.wrappingKey });
    if (results) opened.push(results);
    return {
      ...parts,
      log,
      telemetry,
      ...(metadataWatch && { metadataWatch }),
      ...openTakeOver(configuration, logger, stores, parts.readModels, opened),
      ...(results && { results }),
      lost: damage.lost,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
