import { isIP } from 'node:net';
import 'reflect-metadata';
import { plainToInstance, Transform } from 'class-transformer';
import {
  IsBase64,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  ValidateBy,
  validateSync,
} from 'class-validator';
import type { LogLevel } from '#infra/logging/logger.js';

const MIB = 1024 * 1024;

/** Converts the text of an integer; leaves anything else for the check to refuse. */
const Integer = () => Transform(({ value }) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value));
const Flag = () => Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));
const List = () => Transform(({ value }) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value));

/** Checks every element of a list. */
const Each = (passes: (value: string) => boolean, message: string) =>
  ValidateBy({ name: message, validator: { validate: (value) => passes(String(value)) } }, { each: true, message });

/** An origin as browsers send it: scheme, host and optional port. */
const isOrigin = (value: string): boolean => /^https?:\/\/[\w.:[\]-]+$/i.test(value) && URL.canParse(value);

/** An IP address, or a range: an address with a prefix length. */
const isAddressRange = (value: string): boolean => {
  const [, address = '', prefix = '1'] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(prefix) >= 1 && Number(prefix) <= (family === 4 ? 32 : 128);
};

/** The environment variables, with the defaults of docs/operations.md. An empty variable counts as unset. */
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
  @Matches(/^rediss?(\+(sentinel|cluster))?:\/\/.+/, {
    message: 'must be a redis://, redis+sentinel:// or redis+cluster:// URL (rediss: TLS)',
  })
  REDIS_URL?: string;

  /** Prefix of every key and channel in Redis, so that several installations can share a server. */
  @Matches(/^[\w.-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, dots, hyphens or underscores' })
  LOGBOOK_REDIS_PREFIX = 'logbook';

  /** Encrypts the keys of secrets and personal data in the log; must be the same on every node. */
  @IsOptional()
  @IsBase64({}, { message: 'must be 32 bytes in base64' })
  @Matches(/^.{44}$/, { message: 'must be 32 bytes in base64' })
  LOGBOOK_MASTER_KEY?: string;

  @IsOptional()
  @IsString()
  LOGBOOK_MESSAGING_SERVICE_TOKEN?: string;

  @IsOptional()
  @IsString()
  LOGBOOK_ACCOUNTING_ADMIN_TOKEN?: string;

  /** OpenID Connect issuers whose tokens the accounting service accepts; keys are fetched over https, or http on this machine. */
  @Matches(/^(https:\/\/|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$))[^\s@]*$/i, {
    each: true,
    message: 'must be https URLs (http on loopback), separated by commas',
  })
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] }, { each: true, message: 'must be URLs' })
  @List()
  LOGBOOK_OIDC_ISSUERS: readonly string[] = [];

  /** Accepted audiences: the claim `aud` of an issuer's token must name one of them. */
  @Matches(/^\S(.{0,254}\S)?$/, { each: true, message: 'must be texts without blanks at their ends, separated by commas' })
  @List()
  LOGBOOK_OIDC_AUDIENCE: readonly string[] = [];

  /** Prefix of entitlement names: `<namespace>:group:<parent>`. */
  @IsString()
  LOGBOOK_ENTITLEMENT_NAMESPACE = 'urn:geant:sandbox.eosc-beyond.eu:core:integration:group';

  @IsString()
  LOGBOOK_ENTITLEMENT_PARENT = 'accounting';

  /** Public URL of this server, used in links. */
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] }, { message: 'must be an http or https URL' })
  LOGBOOK_PUBLIC_URL?: string;

  @IsOptional()
  @IsString()
  LOGBOOK_STATUS_ADMIN_KEY?: string;

  @IsOptional()
  @IsString()
  LOGBOOK_OPS_KEY?: string;

  /** Origins whose pages may call the services from a browser; `*`: any. */
  @Each((value) => value === '*' || isOrigin(value), 'must be * or origins such as https://pages.example.org, separated by commas')
  @List()
  LOGBOOK_CORS_ORIGINS: readonly string[] = [];

  /** Whether pages of any origin may call the status service from a browser; `LOGBOOK_CORS_ORIGINS` takes precedence. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_STATUS_CORS = false;

  /** Reverse proxies whose `X-Forwarded-*` headers are trusted. */
  @Each(isAddressRange, 'must be IP addresses or ranges such as 192.0.2.0/24, separated by commas')
  @List()
  LOGBOOK_TRUSTED_PROXIES: readonly string[] = [];

  /** Whether the data of a message must be base64. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_MESSAGING_STRICT_BASE64 = true;

  /** Whether approving a registration without a project creates a project. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL = true;

  /** Retention of messages. */
  @Matches(/^[1-9]\d{0,5}[smhd]$/, { message: 'must be a number of seconds, minutes, hours or days, such as 7d' })
  LOGBOOK_MESSAGING_RETENTION = '7d';

  /** Whether messages may be pushed to private and loopback addresses, and to plain http. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_PUSH_ALLOW_PRIVATE = false;

  /** Roles of this node besides answering requests (`api`). */
  @IsOptional()
  @Matches(/^(api|push|history)(,(api|push|history))*$/, { message: 'must be a list of api, push, history, separated by commas' })
  LOGBOOK_ROLES?: string;

  /** The external catalogue of projects. */
  @IsOptional()
  @Matches(/^https?:\/\/.+/, { message: 'must be an http:// or https:// URL' })
  LOGBOOK_PROJECT_CATALOGUE?: string;

  /** The external catalogue of providers: a URL, or the path of a JSON file. */
  @IsOptional()
  @IsString()
  LOGBOOK_PROVIDER_CATALOGUE?: string;

  /** Interval between reads of the catalogue of providers. */
  @Matches(/^[1-9]\d{0,5}(s|m|h|d)$/, { message: 'must be a number with s, m, h or d' })
  LOGBOOK_PROVIDER_CATALOGUE_INTERVAL = '24h';

  /** Accepted `Authorization` values of the accounting service's push listener, separated by commas. */
  @IsOptional()
  @IsString()
  LOGBOOK_AMS_LISTENER_SECRETS?: string;

  /** Project of pushed providers and installations. */
  @IsOptional()
  @IsString()
  LOGBOOK_AMS_LISTENER_PROJECT?: string;

  /** Answer of `/ams_verification_hash`, for the messaging service that pushes. */
  @IsOptional()
  @IsString()
  LOGBOOK_AMS_VERIFICATION_HASH?: string;

  /** Subscriptions from which metric data of tenants come. */
  @Matches(/^[^=,]+=[\w-]+\/[\w-]+(\/[\w-]+)?$/, {
    each: true,
    message: 'must be a list of <tenant>=<project>/<subscription>[/<dead letter topic>], separated by commas',
  })
  @List()
  LOGBOOK_METRIC_SOURCES: readonly string[] = [];

  /** Largest request body, in bytes. */
  @IsInt({ message: 'must be a number of bytes' })
  @Min(1024)
  @Max(512 * MIB)
  @Integer()
  LOGBOOK_BODY_LIMIT = 64 * MIB;

  /** Limit of the bytes of all request bodies at a time. Default: four of the largest, and at least 256 MiB. */
  @IsOptional()
  @IsInt({ message: 'must be a number of bytes' })
  @Min(MIB)
  @Integer()
  LOGBOOK_BODY_BUDGET?: number;

  /** Time limit of headers and of a pause in a body, and time until the speed of a body is checked. */
  @Matches(/^[1-9]\d{0,3}[sm]$/, { message: 'must be a number of seconds or minutes, such as 30s' })
  LOGBOOK_BODY_TIMEOUT = '30s';

  /** Whether this node chains the events of the log: `off` for a node that leaves it to others. */
  @IsIn(['on', 'off'], { message: 'must be on or off' })
  LOGBOOK_CHAIN: 'on' | 'off' = 'on';

  /** Whether this node keeps the history of the read models. Default: where both stores are embedded, and on nodes with the role `history`. */
  @IsOptional()
  @IsIn(['on', 'off'], { message: 'must be on or off' })
  LOGBOOK_HISTORY?: 'on' | 'off';

  /** Signs anchors, instead of the file `keys/signing.key`; must be the same on every node. */
  @IsOptional()
  @IsBase64({}, { message: 'must be 32 bytes in base64' })
  @Matches(/^.{44}$/, { message: 'must be 32 bytes in base64' })
  LOGBOOK_SIGNING_KEY?: string;

  /** Directory where each anchor is written as a signed note. */
  @IsOptional()
  @IsString()
  LOGBOOK_ANCHOR_DIR?: string;

  /** Directory in which operators may have backups made over HTTP. */
  @IsOptional()
  @IsString()
  LOGBOOK_BACKUP_DIR?: string;

  @IsIn(['error', 'warn', 'info', 'debug', 'silent'], { message: 'must be one of error, warn, info, debug, silent' })
  LOGBOOK_LOG_LEVEL: LogLevel = 'info';

  /** One log line for every request. */
  @IsBoolean({ message: 'must be true or false' })
  @Flag()
  LOGBOOK_ACCESS_LOG = false;
}

/** `api`: answers requests, as every node does. `push`: also delivers the messages of push subscriptions. See `history` for the third one. */
export type NodeRole = 'api' | 'push';

/** `tenant`: id or name. `deadLetterTopic`: empty if there is none. */
export type ConfiguredMetricSource = Readonly<{ tenant: string; project: string; subscription: string; deadLetterTopic: string }>;

export type Configuration = Readonly<{
  host: string;
  port: number;
  dataDirectory: string;
  eventStoreUrl?: string;
  redisUrl?: string;
  redisPrefix: string;
  masterKey?: string;
  messagingServiceToken?: string;
  /** The data of a message must be base64. */
  messagingStrictBase64: boolean;
  /** Approving a registration without a project creates one, named after the user. */
  messagingProjectOnApproval: boolean;
  messagingRetentionSeconds: number;
  accountingAdminToken?: string;
  oidcIssuers: readonly string[];
  /** Empty: not checked. */
  oidcAudiences: readonly string[];
  entitlementNamespace: string;
  entitlementParent: string;
  /** Without a slash at the end. Default: the address where the server listens. */
  publicUrl?: string;
  statusAdminKey?: string;
  opsKey?: string;
  /** By service: origins whose pages may call it from a browser; `*`: any. */
  corsOrigins: Readonly<Record<'messaging' | 'accounting' | 'status', readonly string[]>>;
  /** IP addresses, or ranges with a prefix length. */
  trustedProxies: readonly string[];
  /** Messages may be pushed to private and loopback addresses, and to plain http. */
  pushAllowPrivate: boolean;
  roles: readonly NodeRole[];
  /** Base URL. */
  projectCatalogue?: string;
  /** URL or path. */
  providerCatalogue?: string;
  providerCatalogueSeconds: number;
  amsListenerSecrets: readonly string[];
  amsListenerProject?: string;
  amsVerificationHash?: string;
  metricSources: readonly ConfiguredMetricSource[];
  bodyLimitBytes: number;
  bodyBudgetBytes: number;
  bodyTimeoutSeconds: number;
  /** This node chains the events of the log. */
  chain: boolean;
  /** This node keeps the history of the read models. */
  history: boolean;
  /** 32 bytes in base64. */
  signingKey?: string;
  anchorDirectory?: string;
  backupDirectory?: string;
  logLevel: LogLevel;
  accessLog: boolean;
}>;

/** Names every invalid variable and what it must be. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
  constructor(
    message: string,
    readonly variables: readonly string[],
  ) {
    super(message);
  }
}

/** Default roles: all if the log is embedded, otherwise only `api`. */
const rolesOf = ({ LOGBOOK_ROLES: given, EVENTSTORE_URL: distributed }: Environment): readonly NodeRole[] => {
  const pushes = given === undefined ? distributed === undefined : given.split(',').includes('push');
  return pushes ? ['api', 'push'] : ['api'];
};

/** Kept where nothing else is said: if both stores are embedded, or by the role `history`. */
const keepsHistory = ({
  LOGBOOK_HISTORY: given,
  LOGBOOK_ROLES: roles,
  EVENTSTORE_URL: log,
  REDIS_URL: readModels,
}: Environment): boolean => {
  if (given !== undefined) return given === 'on';
  return roles?.split(',').includes('history') === true || (log === undefined && readModels === undefined);
};

/** By default pages of any origin may call the messaging service (messaging contract 0.1), and none the others. */
const corsOriginsOf = ({ LOGBOOK_CORS_ORIGINS: given, LOGBOOK_STATUS_CORS: status }: Environment): Configuration['corsOrigins'] => {
  if (given.length === 0) return { messaging: ['*'], accounting: [], status: status ? ['*'] : [] };
  const origins = given.map((one) => (one === '*' ? one : new URL(one).origin)); // the form that browsers send
  return { messaging: origins, accounting: origins, status: origins };
};

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of a duration such as `7d`. */
const secondsOf = (span: string): number => Number(span.slice(0, -1)) * (UNITS[span.slice(-1)] ?? 1);

/** `<tenant>=<project>/<subscription>[/<dead letter topic>]` */
const metricSourceOf = (text: string): ConfiguredMetricSource => {
  const [tenant = '', path = ''] = text.split('=');
  const [project = '', subscription = '', deadLetterTopic = ''] = path.split('/');
  return { tenant, project, subscription, deadLetterTopic };
};

/** Reads the configuration from environment variables. @throws InvalidConfiguration that names every invalid variable, never a value */
export const loadConfiguration = (environment: Readonly<Record<string, string | undefined>>): Configuration => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const settings = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const problems = validateSync(settings, { stopAtFirstError: true });
  if (problems.length > 0) {
    const lines = problems.map(
      ({ property, constraints }) => `${property} ${Object.values(constraints ?? {})[0]?.replace(`${property} `, '')}`,
    );
    throw new InvalidConfiguration(
      `wrong configuration: ${lines.join('; ')}`,
      problems.map(({ property }) => property),
    );
  }
  return {
    host: settings.LOGBOOK_HOST,
    port: settings.LOGBOOK_PORT,
    dataDirectory: settings.LOGBOOK_DATA_DIR,
    eventStoreUrl: settings.EVENTSTORE_URL,
    redisUrl: settings.REDIS_URL,
    redisPrefix: settings.LOGBOOK_REDIS_PREFIX,
    masterKey: settings.LOGBOOK_MASTER_KEY,
    messagingServiceToken: settings.LOGBOOK_MESSAGING_SERVICE_TOKEN,
    messagingStrictBase64: settings.LOGBOOK_MESSAGING_STRICT_BASE64,
    messagingProjectOnApproval: settings.LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL,
    messagingRetentionSeconds: secondsOf(settings.LOGBOOK_MESSAGING_RETENTION),
    accountingAdminToken: settings.LOGBOOK_ACCOUNTING_ADMIN_TOKEN,
    oidcIssuers: settings.LOGBOOK_OIDC_ISSUERS,
    oidcAudiences: settings.LOGBOOK_OIDC_AUDIENCE,
    entitlementNamespace: settings.LOGBOOK_ENTITLEMENT_NAMESPACE,
    entitlementParent: settings.LOGBOOK_ENTITLEMENT_PARENT,
    publicUrl: settings.LOGBOOK_PUBLIC_URL?.replace(/\/+$/, ''),
    statusAdminKey: settings.LOGBOOK_STATUS_ADMIN_KEY,
    opsKey: settings.LOGBOOK_OPS_KEY,
    corsOrigins: corsOriginsOf(settings),
    trustedProxies: settings.LOGBOOK_TRUSTED_PROXIES,
    pushAllowPrivate: settings.LOGBOOK_PUSH_ALLOW_PRIVATE,
    roles: rolesOf(settings),
    projectCatalogue: settings.LOGBOOK_PROJECT_CATALOGUE,
    providerCatalogue: settings.LOGBOOK_PROVIDER_CATALOGUE,
    providerCatalogueSeconds: secondsOf(settings.LOGBOOK_PROVIDER_CATALOGUE_INTERVAL),
    amsListenerSecrets: (settings.LOGBOOK_AMS_LISTENER_SECRETS ?? '').split(',').filter((secret) => secret !== ''),
    amsListenerProject: settings.LOGBOOK_AMS_LISTENER_PROJECT,
    amsVerificationHash: settings.LOGBOOK_AMS_VERIFICATION_HASH,
    metricSources: settings.LOGBOOK_METRIC_SOURCES.map(metricSourceOf),
    bodyLimitBytes: settings.LOGBOOK_BODY_LIMIT,
    bodyBudgetBytes: settings.LOGBOOK_BODY_BUDGET ?? Math.max(256 * MIB, 4 * settings.LOGBOOK_BODY_LIMIT),
    bodyTimeoutSeconds: secondsOf(settings.LOGBOOK_BODY_TIMEOUT),
    chain: settings.LOGBOOK_CHAIN === 'on',
    history: keepsHistory(settings),
    signingKey: settings.LOGBOOK_SIGNING_KEY,
    anchorDirectory: settings.LOGBOOK_ANCHOR_DIR,
    backupDirectory: settings.LOGBOOK_BACKUP_DIR,
    logLevel: settings.LOGBOOK_LOG_LEVEL,
    accessLog: settings.LOGBOOK_ACCESS_LOG,
  };
};
