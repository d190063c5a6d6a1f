import 'reflect-metadata';
import { plainToInstance, Transform } from 'class-transformer';
import { IsBase64, IsBoolean, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min, validateSync } from 'class-validator';
import type { LogLevel } from '../logging/logger.js';

const MIB = 1024 * 1024;

/** Text that spells an integer becomes one; anything else stays for the check to refuse. */
const Integer = () => Transform(({ value }) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value));
const Flag = () => Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));

/** The environment, member by variable, with the defaults of design.md 7. Unset and empty are the same. */
class Environment {
  @IsInt({ message: 'must be a port number' })
  @Min(0)
  @Max(65_535)
  @Integer()
  LOGBOOK_PORT = 8080;

  @IsString()
  LOGBOOK_HOST = '127.0.0.1';

  @IsString()
  LOGBOOK_DATA_DIR = './data';

  @IsOptional()
  @Matches(/^(esdb|kurrentdb)(\+discover)?:\/\/.+/, { message: 'must be an esdb:// or kurrentdb:// connection string' })
  EVENTSTORE_URL?: string;

  @IsOptional()
  @Matches(/^rediss?:\/\/.+/, { message: 'must be a redis:// or rediss:// URL' })
  REDIS_URL?: string;

  /** Starts every key and channel in Redis, so that several installations can share one server. */
  @Matches(/^[\w.-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, dots, hyphens or underscores' })
  LOGBOOK_REDIS_PREFIX = 'logbook';

  /** Wraps the keys that encrypt secrets and personal data in the log; must be the same on every node. */
  @IsOptional()
  @IsBase64({}, { message: 'must be 32 bytes in base64' })
  @Matches(/^.{44}$/, { message: 'must be 32 bytes in base64' })
  LOGBOOK_MASTER_KEY?: string;

  @IsOptional()
  @IsString()
  LOGBOOK_STATUS_ADMIN_KEY?: string;

  @IsOptional()
  @IsString()
  LOGBOOK_OPS_KEY?: string;

  /** Whether pages of any origin may call the status service from a browser. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_STATUS_CORS = false;

  /** Largest request body, in bytes. */
  @IsInt({ message: 'must be a number of bytes' })
  @Min(1024)
  @Max(512 * MIB)
  @Integer()
  LOGBOOK_BODY_LIMIT = 64 * MIB;

  @IsIn(['error', 'warn', 'info', 'debug', 'silent'], { message: 'must be one of error, warn, info, debug, silent' })
  LOGBOOK_LOG_LEVEL: LogLevel = 'info';

  /** One log line for every request. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_ACCESS_LOG = false;
}

export type Configuration = Readonly<{
  host: string;
  port: number;
  dataDirectory: string;
  eventStoreUrl?: string;
  redisUrl?: string;
  redisPrefix: string;
  masterKey?: string;
  statusAdminKey?: string;
  opsKey?: string;
  statusCors: boolean;
  bodyLimitBytes: number;
  logLevel: LogLevel;
  accessLog: boolean;
}>;

/** Says for every wrong variable its name and what it must be. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
}

/** Reads the configuration from environment variables. @throws InvalidConfiguration, naming every variable that is wrong; never their values */
export const loadConfiguration = (environment: Readonly<Record<string, string | undefined>>): Configuration => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const settings = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const problems = validateSync(settings, { stopAtFirstError: true });
  if (problems.length > 0) {
    const lines = problems.map(
      ({ property, constraints }) => `${property} ${Object.values(constraints ?? {})[0]?.replace(`${property} `, '')}`,
    );
    throw new InvalidConfiguration(`wrong configuration: ${lines.join('; ')}`);
  }
  return {
    host: settings.LOGBOOK_HOST,
    port: settings.LOGBOOK_PORT,
    dataDirectory: settings.LOGBOOK_DATA_DIR,
    eventStoreUrl: settings.EVENTSTORE_URL,
    redisUrl: settings.REDIS_URL,
    redisPrefix: settings.LOGBOOK_REDIS_PREFIX,
    masterKey: settings.LOGBOOK_MASTER_KEY,
    statusAdminKey: settings.LOGBOOK_STATUS_ADMIN_KEY,
    opsKey: settings.LOGBOOK_OPS_KEY,
    statusCors: settings.LOGBOOK_STATUS_CORS,
    bodyLimitBytes: settings.LOGBOOK_BODY_LIMIT,
    logLevel: settings.LOGBOOK_LOG_LEVEL,
    accessLog: settings.LOGBOOK_ACCESS_LOG,
  };
};
