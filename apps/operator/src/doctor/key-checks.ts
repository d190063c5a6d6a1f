import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import { knownSigningKeys } from '#infra/engine/integrity/known-keys.js';
import { SigningKeyFile } from '#infra/engine/integrity/signing-key.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { confirmsMasterKey } from '#infra/stores/secrets/key-events.js';
import { loadMasterKey } from '#infra/stores/secrets/master-key.js';
import { CommandFailed } from '#operator/command-failed.js';
import { type DoctorCheck, fine, wrong } from './check.js';

const keysIn = ({ dataDirectory }: Configuration): string => join(dataDirectory, 'keys');

/** Master key of a log. @throws MissingMasterKey, CommandFailed it is another one */
export const masterKeyOf = async (log: Pick<EventStore, 'readStream'>, configuration: Configuration): Promise<Buffer> => {
  const directory = keysIn(configuration);
  const key = await loadMasterKey({ fromEnvironment: configuration.masterKey, directory, isSealed: async () => true });
  if (await confirmsMasterKey(log, key)) return key;
  throw new CommandFailed(
    `the master key is not the one that this log was sealed with: see LOGBOOK_MASTER_KEY and ${join(directory, 'master.key')}`,
  );
};

/** Checks whether this node has the key that signs anchors. Nodes that sign none do not need it. */
export const checkSigningKey = async (log: EventStore, configuration: Configuration): Promise<DoctorCheck> => {
  const { roles, chain, signingKey } = configuration;
  const current = (await knownSigningKeys(log)).find(({ until }) => until === null);
  if (!current || !chain || !roles.includes('history')) return fine('signing key');
  const { key, next } = await new SigningKeyFile(keysIn(configuration), signingKey).load();
  if ([key, next].some((one) => one?.keyId === current.keyId)) return fine('signing key');
  const what = key ? 'it is not the key that signed the last anchors' : 'it is missing';
  return wrong(
    'signing key',
    `${what}: put back keys/signing.key (or LOGBOOK_SIGNING_KEY) before the next start, which would use a new one`,
  );
};
