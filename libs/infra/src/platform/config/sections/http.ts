import { IsBoolean, IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min } from 'class-validator';
import { Each, Flag, Integer, isAddressRange, isOrigin, List, secondsOf } from '#infra/platform/config/checks.js';

const MIB = 1024 * 1024;

/** Where the server listens, and what it takes from whom. */
export class HttpVariables {
  @IsInt({ message: 'must be a port number' })
  @Min(0)
  @Max(65_535)
  @Integer()
  LOGBOOK_PORT = 8080;

  @IsString()
  LOGBOOK_HOST = '127.0.0.1';

  /** Public URL of this server, used in links. */
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] }, { message: 'must be an http or https URL' })
  LOGBOOK_PUBLIC_URL?: string;

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

  /** How long the server goes on after the signal to end, while `/health/ready` is 503. */
  @IsInt({ message: 'must be a number of seconds' })
  @Min(0)
  @Max(600)
  @Integer()
  LOGBOOK_DRAIN_SECONDS = 0;

  /** Whether this server has the page for operators and auditors, under `/console`. */
  @IsIn(['on', 'off'], { message: 'must be on or off' })
  LOGBOOK_CONSOLE: 'on' | 'off' = 'on';
}

export type HttpSettings = Readonly<{
  host: string;
  port: number;
  /** Without a slash at the end. Default: the address where the server listens. */
  publicUrl?: string;
  /** By service: origins whose pages may call it from a browser; `*`: any. */
  corsOrigins: Readonly<Record<'messaging' | 'accounting' | 'status', readonly string[]>>;
  /** IP addresses, or ranges with a prefix length. */
  trustedProxies: readonly string[];
  bodyLimitBytes: number;
  bodyBudgetBytes: number;
  bodyTimeoutSeconds: number;
  drainSeconds: number;
  /** The page for operators and auditors is served. */
  console: boolean;
}>;

/** By default pages of any origin may call the messaging service (messaging contract 0.1), and none the others. */
const corsOriginsOf = ({ LOGBOOK_CORS_ORIGINS: given, LOGBOOK_STATUS_CORS: status }: HttpVariables): HttpSettings['corsOrigins'] => {
  if (given.length === 0) return { messaging: ['*'], accounting: [], status: status ? ['*'] : [] };
  const origins = given.map((one) => (one === '*' ? one : new URL(one).origin)); // the form that browsers send
  return { messaging: origins, accounting: origins, status: origins };
};

export const httpSettings = (given: HttpVariables): HttpSettings => ({
  host: given.LOGBOOK_HOST,
  port: given.LOGBOOK_PORT,
  publicUrl: given.LOGBOOK_PUBLIC_URL?.replace(/\/+$/, ''),
  corsOrigins: corsOriginsOf(given),
  trustedProxies: given.LOGBOOK_TRUSTED_PROXIES,
  bodyLimitBytes: given.LOGBOOK_BODY_LIMIT,
  bodyBudgetBytes: given.LOGBOOK_BODY_BUDGET ?? Math.max(256 * MIB, 4 * given.LOGBOOK_BODY_LIMIT),
  bodyTimeoutSeconds: secondsOf(given.LOGBOOK_BODY_TIMEOUT),
  drainSeconds: given.LOGBOOK_DRAIN_SECONDS,
  console: given.LOGBOOK_CONSOLE === 'on',
});
