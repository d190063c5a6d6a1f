import { join } from 'node:path';
import { servedMasterKey } from '#api/hosting/server-address.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { SigningKeyFile } from '#infra/engine/integrity/signing-key.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { confirmsMasterKey, hasFingerprint } from '#infra/stores/secrets/key-events.js';
import { loadMasterKey } from '#infra/stores/secrets/master-key.js';
import { CommandFailed } from '#operator/command-failed.js';
import { type DoctorCheck, fine, wrong } from './check.js';

const keysIn = ({ dataDirectory }: Configuration): string => join(dataDirectory, 'keys');

/** Master key of a log. @throws MissingMasterKey, CommandFailed it is another one */
export const masterKeyOf = (log: Pick<EventStore, 'readStream'>, configuration: Configuration): Promise<Buffer> =>
  confirmedMasterKey(configuration, (key) => confirmsMasterKey(log, key));

/** Master key of a server that has the embedded log of the configuration open. @throws MissingMasterKey, CommandFailed */
export const servedMasterKeyOf = async (configuration: Configuration): Promise<Buffer> => {
  const served = servedMasterKey(configuration.dataDirectory);
  if (typeof served === 'string') return confirmedMasterKey(configuration, async (key) => hasFingerprint(key, served));
  const log = join(configuration.dataDirectory, 'log');
  throw new CommandFailed(
    `another process has ${log} open, and it is no server of this release, or one that is starting: try again once it has ended or started`,
  );
};

const confirmedMasterKey = async (configuration: Configuration, confirms: (key: Buffer) => Promise<boolean>): Promise<Buffer> => {
  const directory = keysIn(configuration);
  const key = await loadMasterKey({ fromEnvironment: configuration.masterKey, directory, isSealed: async () => true });
  if (await confirms(key)) return key;
  throw new CommandFailed(
    `the master key is not the one that this log was sealed with: see LOGBOOK_MASTER_KEY and ${join(directory, 'master.key')}`,
  );
};

/**
 * Checks whether this node has the key that signs anchors. Nodes that sign none do not need it.
 * @param keys those of the installation
 */
export const checkSigningKey = async (
  keys: () => Promise<readonly Readonly<{ keyId: string; until: string | null }>[]>,
  configuration: Configuration,
): Promise<DoctorCheck> => {
  const { roles, chain, signingKey } = configuration;
  if (!chain || !roles.includes('history')) return fine('signing key');
  const current = (await keys()).find(({ until }) => until === null);
  if (!current) return fine('signing key');
  const { key, next } = await new SigningKeyFile(keysIn(configuration), signingKey).load();
  if ([key, next].some((one) => one?.keyId === current.keyId)) return fine('signing key');
  const what = key ? 'it is not the key that signed the last anchors' : 'it is missing';
  return wrong(
    'signing key',
    `${what}: put back keys/signing.key (or LOGBOOK_SIGNING_KEY) before the next start, which would use a new one`,
  );
};
