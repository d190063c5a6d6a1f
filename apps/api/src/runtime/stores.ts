import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXPIRING } from '#domain/integrity/expiring.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { refuseUnfinishedImport } from '#infra/edges/copies/import-marker.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { isIrreplaceable } from '#infra/engine/history/irreplaceable.js';
import { Integrity, type IntegrityDependencies } from '#infra/engine/integrity/integrity.js';
import { treeIn } from '#infra/engine/integrity/tree-store.js';
import { PROJECTOR_SEATS } from '#infra/engine/projection-runner/dependencies.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { Seats } from '#infra/platform/coordination/seats/seats.js';
import { isLocked } from '#infra/platform/lmdb/lock.js';
import { giveToOwner } from '#infra/platform/lmdb/ownership.js';
import { flushParent } from '#infra/platform/lmdb/write-file-durably.js';
import { type Logger } from '#infra/platform/logging/logger.js';
import { nodeName } from '#infra/platform/program/node-name.js';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import type { EventStoreDbLog } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { isSealedLog } from '#infra/stores/secrets/key-events.js';
import { loadMasterKey } from '#infra/stores/secrets/master-key.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DamageWatch } from './damage-watch.js';
import { derivedRoot } from './derived-root.js';
import { ForeignStreams, openEventStoreDbLog } from './foreign-streams.js';
import { documentsPath } from './installation.js';
import { appliedDocuments, writtenLog } from './layers.js';
import { LostDocuments } from './lost-documents.js';
import { MetadataWatch } from './metadata-watch.js';
import { CannotUseDirectory } from './start-failure.js';
import { catalogues, projections } from './vocabulary.js';

/**
 * Creates a directory and its parents, mode 0700. Does not use Node's `recursive`, which never returns on a file system that cannot create
 * directories, such as `/proc`.
 */
const makeDirectory = async (path: string): Promise<void> => {
  const make = async (): Promise<void> => {
    await mkdir(path, { mode: 0o700 });
    giveToOwner(path);
    flushParent(path);
  };
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
export const prepareDirectory = async (path: string): Promise<void> => {
  await makeDirectory(path).catch((error: unknown) => {
    throw new CannotUseDirectory(path, error);
  });
};

/** Drivers are loaded on first use, because they take most of the start-up time. */
const openEventStore = async (
  { eventStoreUrl, eventStoreClient, dataDirectory, chain }: Configuration,
  damage: DamageWatch,
  logger: Logger,
  readOnly: boolean,
  foreign: ForeignStreams,
): Promise<ImportTarget | EventStoreDbLog> => {
  if (eventStoreUrl) return openEventStoreDbLog({ eventStoreUrl, eventStoreClient }, foreign.note);
  const { openEmbeddedEventStore } = await import('#infra/stores/event-store/embedded/embedded-event-store.js');
  const path = join(dataDirectory, 'log');
  const report = (message: string): void => logger.warn({ path }, message);
  return openEmbeddedEventStore({ path, readOnly, chained: chain, report, onDamage: damage.ofLog });
};

/** Read models of earlier releases, whose documents nothing reads. */
const OBSOLETE = ['accounting.usage', 'status.metric-data', 'status.points'];

const openDocuments = async (
  { dataDirectory, history, redisUrl }: Configuration,
  damage: DamageWatch,
  logger: Logger,
  readOnly: boolean,
): Promise<PastStore> => {
  const { openDocumentStore } = await import('#infra/stores/document-store/open.js');
  const path = documentsPath(dataDirectory);
  const byName = new Map(projections.map((projection) => [projection.name, projection]));
  const carriesPast = (name: string): boolean => byName.get(name)?.past === 'in-documents';
  return openDocumentStore({
    path,
    readOnly,
    isAlone: redisUrl === undefined,
    keepsPast: (name) => history && byName.has(name) && !carriesPast(name),
    carriesPast,
    isObsolete: (name) => OBSOLETE.includes(name),
    keepsBuild: (name, build) => {
      const projection = byName.get(name);
      return projection !== undefined && isIrreplaceable(projection, EXPIRING, build);
    },
    report: (message) => logger.warn({ path }, message),
    onDamage: damage.ofReadModels,
  });
};

/**
 * The read models, and the store of their past; absent if this node has none. On embedded stores they are the same. Commands beside Redis begin
 * none, and leave one to the node that has it open.
 */
const openReadStore = async (
  configuration: Configuration,
  damage: DamageWatch,
  logger: Logger,
  opened: OpenParts,
  { readOnly, isNode }: Pick<StoreOptions, 'readOnly' | 'isNode'>,
  lost: LostDocuments,
): Promise<Readonly<{ documents: ReadStore; past?: PastStore }>> => {
  const { redisUrl, redisPrefix, history, dataDirectory } = configuration;
  const path = documentsPath(dataDirectory);
  const keepsPast = history && (isNode || (existsSync(path) && !isLocked(path)));
  const own = redisUrl === undefined || keepsPast ? await openDocuments(configuration, damage, logger, readOnly) : undefined;
  if (own) opened.push(own);
  if (redisUrl === undefined && own) return { documents: own, ...(history && { past: own }) };
  const { openRedisReadStore } = await import('#infra/stores/read-store/redis/redis-read-store.js');
  const report = (message: string): void => logger.warn({}, message);
  const documents = await openRedisReadStore({ url: redisUrl ?? '', keyPrefix: redisPrefix, report, onLost: lost.note });
  opened.push(documents);
  return { documents, ...(own && { past: own }) };
};

/**
 * The right of this node to apply projections; `null` if it lacks the role. `undefined` if it needs none, because embedded documents have a
 * single writing process.
 */
const openSeats = ({ roles, redisUrl }: Configuration, store: ReadStore, log: Logger): Seats | null | undefined => {
  if (!roles.includes('projector')) return null;
  if (redisUrl === undefined) return undefined;
  return new Seats({ store, name: PROJECTOR_SEATS, node: nodeName(), log, now: Date.now });
};

/** Open parts, in the order of opening. */
export type OpenParts = { close(): Promise<void> }[];

export type StoreOptions = Readonly<{
  /** Opens only existing stores: no directory, store or key is created. Default: `false`. */
  existing: boolean;
  /** Opens existing stores for reads only; embedded ones must not be open in another process. Read models are shown unchanged. Default: `false`. */
  readOnly: boolean;
  /** Runs as a node of an installation and does only the work of its roles. Default: `false`, for all requested work. */
  isNode: boolean;
}>;

/** The stores, and the codecs that make events and documents readable. */
export const openStores = async (
  configuration: Configuration,
  logger: Logger,
  damage: DamageWatch,
  opened: OpenParts,
  { readOnly, existing, isNode }: StoreOptions,
) => {
  const { dataDirectory, masterKey } = configuration;
  const telemetry = new Telemetry();
  const foreign = new ForeignStreams(telemetry, logger);
  const log = await openEventStore(configuration, damage, logger, readOnly, foreign);
  opened.push(log);
  const metadataWatch = 'foreignMetadata' in log ? new MetadataWatch(log, telemetry, logger) : undefined;
  if (metadataWatch) opened.push(metadataWatch);
  await refuseUnfinishedImport(log);
  const lostDocuments = new LostDocuments(logger);
  const { documents, past } = await openReadStore(configuration, damage, logger, opened, { readOnly, isNode }, lostDocuments);
  const isSealed = async () => existing || readOnly || (await isSealedLog(log));
  const wrappingKey = await loadMasterKey({ fromEnvironment: masterKey, directory: join(dataDirectory, 'keys'), isSealed });
  const eventStore = writtenLog(log, telemetry, wrappingKey);
  const keys = await SubjectKeys.open({ store: eventStore, masterKey: wrappingKey });
  const sealing = new SealedDocuments(keys, projections);
  const codec = new EventCodec(catalogues, keys);
  const writesTree = !readOnly && (isNode ? configuration.roles.includes('history') : !isLocked(treeIn(dataDirectory)));
  // The process that writes the tree repairs it, and shares it with no other one.
  const derived = await derivedRoot(dataDirectory, existing || readOnly, writesTree ? [] : ['stopped']);
  opened.push(derived);
  const tree = writesTree ? derived : await derivedRoot(dataDirectory, true, ['stopped', 'open']);
  opened.push(tree);
  const seats = isNode ? openSeats(configuration, documents, logger) : undefined;
  if (seats) opened.push(seats);
  return {
    ...{ log, telemetry, foreign, metadataWatch, eventStore, documents, lostDocuments, wrappingKey, keys, sealing, codec, readOnly },
    ...(past && { past }),
    ...(seats !== undefined && { seats }),
    store: appliedDocuments(documents, telemetry, sealing),
    derived: derived.directory,
    tree: { directory: tree.directory, readOnly: !writesTree && tree.directory === dataDirectory },
  };
};

/**
 * Keeps another installation, or another copy of an embedded log, from sharing keys and channels in Redis with this one. `undefined` if
 * the read models are embedded.
 * @throws PrefixInUse
 */
export const announceInstallation = async ({
  configuration: { redisUrl, redisPrefix, eventStoreUrl },
  eventStore,
  logger,
}: Readonly<{ configuration: Configuration; eventStore: EventStore; logger: Logger }>): Promise<
  Readonly<{ close(): Promise<void> }> | undefined
> => {
  if (!redisUrl) return undefined;
  const { InstallationPresence } = await import('#infra/stores/read-store/redis/installation-presence.js');
  const identity = new LogIdentity(eventStore);
  return InstallationPresence.announce({
    url: redisUrl,
    keyPrefix: redisPrefix,
    node: nodeName(),
    installation: () => identity.installation(),
    isOnlyProcess: eventStoreUrl === undefined,
    report: (message) => logger.warn({}, message),
  });
};

/** @param tree directory that contains the chain's tree in `audit`. `readOnly`: it exists and is not written */
export const openIntegrity = (
  configuration: Configuration,
  { directory: derived, readOnly }: Readonly<{ directory: string; readOnly: boolean }>,
  dependencies: IntegrityDependencies,
): Integrity => {
  const { dataDirectory, signingKey, anchorDirectory, eventStoreUrl } = configuration;
  const chains = configuration.chain && configuration.roles.includes('history');
  const isShared = eventStoreUrl !== undefined;
  return new Integrity(dependencies, { dataDirectory, derived, readOnly, signingKey, anchorDirectory, chains, isShared });
};
