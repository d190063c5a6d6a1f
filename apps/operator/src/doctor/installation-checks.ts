import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { KEY_SET } from '#api/audit/integrity/documentation.js';
import { openEventStoreDbLog } from '#api/runtime/foreign-streams.js';
import { expectLog, expectProjector, expectReadModels } from '#api/runtime/installation.js';
import { foreignMetadataIn } from '#api/runtime/metadata-watch.js';
import { NoInstallation } from '#api/runtime/start-failure.js';
import { requireClientTrust } from '#api/shared/http/tls/client-authorities.js';
import { endOf, type KeyPairFiles, readKeyPair } from '#api/shared/http/tls/key-pair.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { ANCHORS_STREAM, LEAVES_STREAM } from '#domain/integrity/integrity-events.js';
import { findingsIn, isBeyond } from '#domain/operations/findings.js';
import { memoryMeasurements } from '#domain/operations/memory-findings.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { refuseUnfinishedRestore } from '#infra/edges/copies/backups/restoring.js';
import { refuseUnfinishedImport } from '#infra/edges/copies/import-marker.js';
import { knownSigningKeys } from '#infra/engine/integrity/known-keys.js';
import { type Configuration, loadConfiguration } from '#infra/platform/config/configuration.js';
import { unknownVariables } from '#infra/platform/config/unknown-variables.js';
import { DEFAULT_RESERVE_BYTES } from '#infra/stores/event-store/embedded/embedded-options.js';
import type { EventStoreDbLog } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { MemoryWatch } from '#infra/stores/read-store/store-memory.js';
import { announceStores } from '#operator/announced-stores.js';
import { serverBeside } from '#operator/beside.js';
import { isServed } from '#operator/copies/log-stores.js';
import { checkAnchor, checkCertificate, checkClock, checked, checkMetadata, type DoctorCheck, fine, wrong } from './check.js';
import { checkDirectories } from './directory-checks.js';
import { checkSigningKey, masterKeyOf, servedMasterKeyOf } from './key-checks.js';
import { checkServer, memoryText } from './server-checks.js';

const GIB = 2 ** 30;

/** Paths of secrets below the data directory. The directory itself may be open to a group: Kubernetes gives it to that of `fsGroup`. */
const PRIVATE = ['keys', join('keys', 'master.key'), join('keys', 'signing.key'), 'credentials.json', 'log', 'documents'];

/** Paths that other users of this machine can read. A missing path is private. */
const openToOthers = async (directory: string): Promise<readonly string[]> => {
  const found = await Promise.all(
    ['', ...PRIVATE].map(async (name) => {
      const path = join(directory, name);
      const { mode } = await stat(path).catch(() => ({ mode: 0 }));
      return (mode & (name === '' ? 0o007 : 0o077)) === 0 ? [] : [path];
    }),
  );
  return found.flat();
};

const checkPermissions = async ({ dataDirectory }: Configuration): Promise<DoctorCheck> => {
  const open = await openToOthers(dataDirectory);
  return open.length === 0 ? fine('permissions') : wrong('permissions', `others may read ${open.join(', ')}: chmod go-rwx`);
};

const freeBytes = async (directory: string): Promise<number> => {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
};

const checkDisk = async ({ dataDirectory }: Configuration): Promise<DoctorCheck> => {
  const free = await freeBytes(dataDirectory);
  if (!isBeyond('disk', free)) return fine('disk', `${(free / GIB).toFixed(1)} GiB free`);
  const told = `${Math.floor(free / 2 ** 20)} MiB free under ${dataDirectory}`;
  return wrong(
    'disk',
    `${told}: make room${free < DEFAULT_RESERVE_BYTES ? ', the log refuses writes until then' : ' before the log refuses writes'}`,
  );
};

/** Opens the log for reading only; a missing embedded log is not created. */
const openLog = async ({ eventStoreUrl, eventStoreClient, dataDirectory }: Configuration): Promise<EventStore | EventStoreDbLog> => {
  if (eventStoreUrl) return openEventStoreDbLog({ eventStoreUrl, eventStoreClient });
  const { openEmbeddedEventStore } = await import('#infra/stores/event-store/embedded/embedded-event-store.js');
  return openEmbeddedEventStore({ path: join(dataDirectory, 'log'), readOnly: true });
};

const checkReadStore = async (configuration: Configuration): Promise<DoctorCheck> => {
  const { redisUrl, redisPrefix } = configuration;
  expectReadModels(configuration);
  if (!redisUrl) return fine('read store', 'embedded');
  const { openRedisReadStore } = await import('#infra/stores/read-store/redis/redis-read-store.js');
  const store = await openRedisReadStore({ url: redisUrl, keyPrefix: redisPrefix });
  try {
    const trouble = await store.trouble();
    if (trouble !== null) return wrong('read store', trouble);
    const memory = await new MemoryWatch(store, Date.now, false).look();
    const [found] = findingsIn(memoryMeasurements(memory));
    if (found) return wrong('read store', [found.text, found.figures ?? [], found.todo].flat().join(' '));
    return fine('read store', memory ? memoryText(memory) : '');
  } finally {
    await store.close();
  }
};

const newestOf = async (log: EventStore, stream: string): Promise<RecordedEvent | undefined> =>
  (await log.readStream(stream, { direction: 'backwards', limit: 1 }))[0];

const checkChain = async (log: EventStore, size: number, isFull: boolean): Promise<DoctorCheck> => {
  if (size > 0) return fine('chain', `${size} events`);
  const [first] = (await log.readAll({ limit: 1 })).events;
  if (!first || !isBeyond('chain-behind', (Date.now() - first.recordedAt) / 1_000)) return fine('chain', 'nothing yet');
  return wrong('chain', `nothing is chained: ${isFull ? 'the disk is full' : 'start a server with LOGBOOK_CHAIN=on'}`);
};

/** Time limit of the server's search of the log. */
const SEARCH_MS = 60_000;

const checkForeignMetadata = async (log: EventStoreDbLog): Promise<DoctorCheck> => {
  const signal = AbortSignal.timeout(SEARCH_MS);
  try {
    return checkMetadata(foreignMetadataIn(await log.foreignMetadata(signal)));
  } catch (error) {
    if (!signal.aborted) throw error;
    return fine('metadata', 'unknown: the log is too long to be searched here, see logbook_foreign_stream_metadata of a server');
  }
};

const checkLog = async (configuration: Configuration): Promise<readonly DoctorCheck[]> => {
  const log = await openLog(configuration);
  try {
    const trouble = await log.trouble();
    await refuseUnfinishedImport(log);
    const [leaves, anchor] = await Promise.all([newestOf(log, LEAVES_STREAM), newestOf(log, ANCHORS_STREAM)]);
    const { from = 0, count = 0 } = (leaves?.data ?? {}) as { from?: number; count?: number };
    const size = from + count;
    const isFull = !configuration.eventStoreUrl && (await freeBytes(configuration.dataDirectory)) < DEFAULT_RESERVE_BYTES;
    return [
      trouble === null ? fine('event log') : wrong('event log', trouble),
      checkClock(Date.now(), leaves?.recordedAt ?? 0, 'the newest events of the log'),
      await checkChain(log, size, isFull),
      checkAnchor((anchor?.data as { size: number; time: string } | undefined) ?? null, size),
      ...('foreignMetadata' in log ? [await checked('metadata', () => checkForeignMetadata(log))] : []),
      await checked('master key', async () => {
        await masterKeyOf(log, configuration);
        return fine('master key');
      }),
      await checked('signing key', () => checkSigningKey(() => knownSigningKeys(log), configuration)),
    ];
  } finally {
    await log.close();
  }
};

const checkPair = (files: KeyPairFiles): Promise<DoctorCheck> =>
  checked('certificate', async () => checkCertificate(endOf((await readKeyPair(files)).certificate)));

const checkAuthorities = (files: NonNullable<Configuration['x509']>): Promise<DoctorCheck> =>
  checked('client authorities', async () => {
    await requireClientTrust(files);
    return fine('client authorities');
  });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The server that has the log open says how it is; only the keys on the disk are looked at here. */
const checkServed = async (configuration: Configuration, environment: NodeJS.ProcessEnv): Promise<readonly DoctorCheck[]> => {
  const masterKey = await checked('master key', async () => {
    await servedMasterKeyOf(configuration);
    return fine('master key');
  });
  try {
    const server = await serverBeside(environment);
    if (!server) return [masterKey, wrong('server', 'it has just ended: try again')];
    const keys = async () => {
      const known = await server.get<Answered<typeof KEY_SET>>('/audit/keys');
      return known.keys.map(({ kid: keyId, until }) => ({ keyId, until }));
    };
    return [...(await checkServer(server)), masterKey, await checked('signing key', () => checkSigningKey(keys, configuration))];
  } catch (error) {
    return [masterKey, wrong('server', messageOf(error))];
  }
};

/** Checks the configured stores, while a server runs or at rest. Creates nothing. */
export const checkInstallation = async (environment: NodeJS.ProcessEnv): Promise<readonly DoctorCheck[]> => {
  let configuration: Configuration;
  try {
    configuration = loadConfiguration(environment);
    expectProjector(configuration);
  } catch (error) {
    return [wrong('configuration', messageOf(error))];
  }
  const unknown = unknownVariables(environment).map(({ text }) => wrong('configuration', text));
  const settings = [
    ...(unknown.length > 0 ? unknown : [fine('configuration')]),
    ...(configuration.x509 ? [await checkAuthorities(configuration.x509)] : []),
  ];
  try {
    if (!configuration.eventStoreUrl) refuseUnfinishedRestore(join(configuration.dataDirectory, 'log'));
    expectLog(configuration);
  } catch (error) {
    return [
      ...settings,
      wrong(
        'stores',
        error instanceof NoInstallation ? `${messageOf(error)}: see LOGBOOK_DATA_DIR, or start a server first` : messageOf(error),
      ),
    ];
  }
  const here = [...settings, await checked('permissions', () => checkPermissions(configuration))];
  if (isServed(configuration))
    return [...here, ...(await checkDirectories(configuration)), ...(await checkServed(configuration, environment))];
  announceStores(configuration, 'log and documents');
  const log = checkLog(configuration).catch((error: unknown) => [wrong('event log', messageOf(error))]);
  return [
    ...here,
    await checked('disk', () => checkDisk(configuration)),
    ...(await checkDirectories(configuration)),
    ...(configuration.tls ? [await checkPair(configuration.tls)] : []),
    await checked('read store', () => checkReadStore(configuration)),
    ...(await log),
  ];
};
