import { resolve, sep } from 'node:path';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { type Configuration, InvalidConfiguration } from '#infra/platform/config/configuration.js';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { MalformedConnectionString } from '#infra/stores/event-store/eventstoredb/grpc/connection-string.js';
import { MalformedRedisUrl } from '#infra/stores/read-store/redis/connection/redis-url.js';
import { WrongMasterKey } from '#infra/stores/secrets/key-events.js';
import { InvalidMasterKey, MissingMasterKey } from '#infra/stores/secrets/master-key.js';
import { PrefixInUse } from '#infra/stores/store-access/prefix-in-use.js';
import { StoreRefusal, StoresAway } from '#infra/stores/store-access/store-trouble.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { StoreLost } from './damage-watch.js';

/** Reason of a failed start, for its operator. `variable`: the related environment variable. */
type StartFailure = Readonly<{ variable: string; message: string }>;

/** The address cannot be listened on. `cause`: the system's error. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
  constructor(
    readonly host: string,
    readonly port: number,
    cause: unknown,
    private readonly portVariable = 'LOGBOOK_PORT',
  ) {
    super(`cannot listen on ${host} port ${port}: ${reasonOf(cause)}`, { cause });
  }

  /** Variable to correct: most errors are about the host or its name. */
  get variable(): string {
    return codeOf(this.cause) === 'EADDRINUSE' || codeOf(this.cause) === 'EACCES' ? this.portVariable : 'LOGBOOK_HOST';
  }
}

/** The data directory cannot be used. `cause`: the system's error. */
export class CannotUseDirectory extends Error {
  override readonly name = 'CannotUseDirectory';
  constructor(directory: string, cause: unknown) {
    super(`the data directory ${directory} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** There is no log at the configured place. */
export class NoInstallation extends Error {
  override readonly name = 'NoInstallation';
  constructor(missing: string) {
    super(`there is no installation here: ${missing}`);
  }
}

/** The embedded read models do not exist. */
export class MissingReadModels extends Error {
  override readonly name = 'MissingReadModels';
  constructor(path: string) {
    super(`${path} is missing: start a server, which builds the read models anew from the log`);
  }
}

/** The innermost message: outer ones name the operation, this one the reason. */
const reasonOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return String(error);
  const [message, cause] = ['message' in error ? String(error.message) : '', 'cause' in error ? error.cause : undefined];
  return cause === undefined ? message || String(codeOf(error) ?? 'unknown') : reasonOf(cause);
};

const withReason = (error: Error): string => (error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`);

/** The file system failure behind an error, if it is about a file of the directory. */
const fileFailureIn = (directory: string, error: unknown): string | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  const path = 'path' in error ? resolve(String(error.path)) : '';
  if (`${path}${sep}`.startsWith(`${resolve(directory)}${sep}`) && 'message' in error) return String(error.message);
  return 'cause' in error ? fileFailureIn(directory, error.cause) : undefined;
};

/** Failures of stores. */
const outageIn = (error: unknown, { eventStoreUrl, redisUrl }: Partial<Configuration> = {}): StartFailure | undefined => {
  if (error instanceof EventStoreUnavailable)
    return { variable: eventStoreUrl ? 'EVENTSTORE_URL' : 'LOGBOOK_DATA_DIR', message: withReason(error) };
  if (error instanceof ReadStoreUnavailable) return { variable: redisUrl ? 'REDIS_URL' : 'LOGBOOK_DATA_DIR', message: withReason(error) };
  return undefined;
};

/** Reason of a failed start, if it is the machine, its stores or their settings; `undefined` for a bug. */
export const startFailureOf = (error: unknown, configuration?: Configuration): StartFailure | undefined => {
  if (error instanceof CannotListen || error instanceof StoreRefusal || error instanceof PrefixInUse)
    return { variable: error.variable, message: error.message };
  if (error instanceof MalformedConnectionString) return { variable: 'EVENTSTORE_URL', message: error.message };
  if (error instanceof MalformedRedisUrl) return { variable: 'REDIS_URL', message: error.message };
  if (error instanceof InvalidConfiguration) return { variable: error.variables.join(', '), message: error.message };
  if (error instanceof StoresAway) return { variable: error.variables, message: error.message };
  if (
    error instanceof CannotUseDirectory ||
    error instanceof NoInstallation ||
    error instanceof MissingReadModels ||
    error instanceof StoreLost
  )
    return { variable: 'LOGBOOK_DATA_DIR', message: error.message };
  if (error instanceof EnvironmentError) return { variable: 'LOGBOOK_DATA_DIR', message: withReason(error) };
  if (error instanceof WrongMasterKey || error instanceof InvalidMasterKey || error instanceof MissingMasterKey)
    return { variable: 'LOGBOOK_MASTER_KEY', message: withReason(error) };
  const outage = outageIn(error, configuration);
  if (outage) return outage;
  const failure = configuration && fileFailureIn(configuration.dataDirectory, error);
  return failure === undefined ? undefined : { variable: 'LOGBOOK_DATA_DIR', message: `the data directory cannot be used: ${failure}` };
};
