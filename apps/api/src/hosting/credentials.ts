import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '#api/runtime/runtime.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { ACCESS_KEYS_STREAM, type AccessKeyCommand, accessKeys, type KeyService } from '#domain/operations/access-keys.js';
import { writeFileDurably } from '#infra/platform/lmdb/write-file-durably.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';

/** The first administrator of a service: the source of its key, and its roles. Every administrator of the service has the first one. */
type Administrator = Readonly<{ variable: string; given: string | undefined; service: KeyService; roles: readonly string[] }>;

/** Keys by their environment variables. */
type Credentials = Readonly<Record<string, string>>;

/**
 * Ensures that every service has an administrator (design 7). A key from the environment is valid from the first start with it until it is
 * revoked. Without one, a key is generated if the service has no administrator yet, and stored in `<data dir>/credentials.json` (mode
 * 0600). Returns the path of that file if it was written.
 */
export const ensureAdministrators = async (runtime: Runtime): Promise<string | undefined> => {
  const { configuration } = runtime;
  const file = join(configuration.dataDirectory, 'credentials.json');
  const known = await readCredentials(file);
  const administrators: readonly Administrator[] = [
    {
      variable: 'LOGBOOK_MESSAGING_SERVICE_TOKEN',
      given: configuration.messagingServiceToken,
      service: 'messaging',
      roles: ['service_admin'],
    },
    {
      variable: 'LOGBOOK_ACCOUNTING_ADMIN_TOKEN',
      given: configuration.accountingAdminToken,
      service: 'accounting',
      roles: ['system_admin'],
    },
    { variable: 'LOGBOOK_STATUS_ADMIN_KEY', given: configuration.statusAdminKey, service: 'status', roles: ['super_admin'] },
    { variable: 'LOGBOOK_OPS_KEY', given: configuration.opsKey, service: 'ops', roles: ['operator', 'auditor'] },
  ];

  const generated: Record<string, string> = {};
  for (const administrator of administrators) {
    const key = administrator.given ?? known[administrator.variable];
    if (key !== undefined) await issue(runtime, 'EnsureKey', administrator, key);
    else generated[administrator.variable] = newKey();
  }
  if (Object.keys(generated).length === 0) return undefined;

  // Stored on disk before they are valid: after a crash in between, the next start makes them valid.
  writeCredentials(file, { ...known, ...generated });
  for (const administrator of administrators) {
    const key = generated[administrator.variable];
    if (key !== undefined && !(await issue(runtime, 'EnsureAdministrator', administrator, key))) delete generated[administrator.variable];
  }
  if (Object.keys(generated).length > 0) {
    writeCredentials(file, { ...known, ...generated });
    return file;
  }
  if (Object.keys(known).length > 0) writeCredentials(file, known);
  else await rm(file);
  return undefined;
};

/** Resolves with whether the key was new to the log. */
const issue = async (
  { processor, clock, credentialHashes }: Runtime,
  type: 'EnsureKey' | 'EnsureAdministrator',
  { service, roles, variable }: Administrator,
  key: string,
): Promise<boolean> => {
  const command: AccessKeyCommand = {
    type,
    key: { keyId: randomUUID(), service, roles, name: variable, keyHash: credentialHashes.of(key) },
  };
  const context = systemContext('start', 'ops', clock(), null);
  const { events } = await processor.execute({ stream: ACCESS_KEYS_STREAM, decider: accessKeys, command, context });
  return events.length > 0;
};

const readCredentials = async (file: string): Promise<Credentials> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Credentials;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new Error(`${file} cannot be read`, { cause: error });
  }
};

const writeCredentials = (file: string, credentials: Credentials): void =>
  writeFileDurably(file, `${JSON.stringify(credentials, null, 2)}\n`);
