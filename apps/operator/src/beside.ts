import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverAddress } from '#api/hosting/server-address.js';
import { loadConfiguration, type NodeRole } from '#infra/platform/config/configuration.js';
import { isOpen } from '#infra/platform/lmdb/opener-record.js';
import { CommandFailed } from './command-failed.js';
import { fetchFrom } from './fetch-from.js';
import { OpsClient } from './ops-client.js';

/** The key of the configuration, or the one that was generated at the first start; `undefined`: neither is there. */
const keyIn = (environment: NodeJS.ProcessEnv, dataDirectory: string): string | undefined => {
  if (environment.LOGBOOK_OPS_KEY) return environment.LOGBOOK_OPS_KEY;
  try {
    const { LOGBOOK_OPS_KEY } = JSON.parse(readFileSync(join(dataDirectory, 'credentials.json'), 'utf8')) as Record<string, unknown>;
    return typeof LOGBOOK_OPS_KEY === 'string' ? LOGBOOK_OPS_KEY : undefined;
  } catch {
    return undefined; // it is not there, or not for this account
  }
};

/**
 * Lets a server answer that has the embedded stores of the configuration open; `undefined`: there is none.
 * @param role that the server needs to answer
 * @throws CommandFailed there is one, and it cannot be asked
 */
export const askBeside = async <T>(
  environment: NodeJS.ProcessEnv,
  role: NodeRole,
  ask: (server: OpsClient) => Promise<T>,
): Promise<T | undefined> => {
  const { dataDirectory, eventStoreUrl, tls } = loadConfiguration(environment);
  const log = join(dataDirectory, 'log');
  if (eventStoreUrl || !isOpen(log)) return undefined;
  const [url, key] = [serverAddress(dataDirectory, role), keyIn(environment, dataDirectory)];
  if (url === undefined || key === undefined)
    throw new CommandFailed(`a server has the log in ${log} open: ask one that has the role ${role}, with LOGBOOK_URL and LOGBOOK_OPS_KEY`);
  return ask(OpsClient.at(url, key, tls && (await fetchFrom(tls))));
};
