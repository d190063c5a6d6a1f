import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverAddress } from '#api/hosting/server-address.js';
import { roleOfOperation } from '#api/shared/http/role-elsewhere.js';
import { type Configuration, loadConfiguration } from '#infra/platform/config/configuration.js';
import { isLocked } from '#infra/platform/lmdb/lock.js';
import { CommandFailed } from './command-failed.js';
import { fetchFrom } from './fetch-from.js';
import { type Address, OpsClient, Unreachable } from './ops-client.js';

/** The configured key, or the one generated at the first start; `undefined` if there is neither. */
const keyIn = (environment: NodeJS.ProcessEnv, dataDirectory: string): string | undefined => {
  if (environment.LOGBOOK_OPS_KEY) return environment.LOGBOOK_OPS_KEY;
  try {
    const { LOGBOOK_OPS_KEY } = JSON.parse(readFileSync(join(dataDirectory, 'credentials.json'), 'utf8')) as Record<string, unknown>;
    return typeof LOGBOOK_OPS_KEY === 'string' ? LOGBOOK_OPS_KEY : undefined;
  } catch {
    return undefined; // it does not exist, or this account may not read it
  }
};

/** Directories of the configured stores on this machine. */
const embeddedStores = ({ dataDirectory, eventStoreUrl, redisUrl }: Configuration): readonly string[] =>
  [...(eventStoreUrl ? [] : ['log']), ...(redisUrl ? [] : ['documents'])].map((name) => join(dataDirectory, name));

/**
 * The server that has embedded stores of the configuration open; `undefined` if no process has. If several have, each call goes to one with
 * the required role.
 * @throws CommandFailed there is no key for the call
 */
export const serverBeside = async (environment: NodeJS.ProcessEnv): Promise<OpsClient | undefined> => {
  const configuration = loadConfiguration(environment);
  const { dataDirectory, tls } = configuration;
  const open = embeddedStores(configuration).find(isLocked);
  if (open === undefined) return undefined;
  const key = keyIn(environment, dataDirectory);
  if (key === undefined)
    throw new CommandFailed(`another process has ${open} open, and there is no key to ask it with: give LOGBOOK_OPS_KEY, or stop it first`);
  const address: Address = (path) => {
    const role = roleOfOperation(path) ?? 'api';
    const url = serverAddress(dataDirectory, role);
    if (url !== undefined) return url;
    throw new Unreachable(
      `another process has ${open} open, and no server that has the role ${role} is found there: give LOGBOOK_URL of one, or stop that process first`,
    );
  };
  return new OpsClient(address, key, tls && (await fetchFrom(tls)));
};
