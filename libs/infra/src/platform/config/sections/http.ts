import { IsOptional, IsString, Matches, ValidateIf } from 'class-validator';
import {
  EveryItem,
  Flag,
  Integer,
  isAddressRange,
  isOrigin,
  List,
  OneOf,
  OptionalText,
  OptionalUrl,
  secondsOf,
} from '#infra/platform/config/checks.js';
import { oldSpaceLimit } from '#infra/platform/program/heap-limit.js';

const MIB = 1024 * 1024;

const TLS = ['LOGBOOK_TLS_CERT_FILE', 'LOGBOOK_TLS_KEY_FILE'] as const;
const X509 = ['LOGBOOK_X509_PORT', 'LOGBOOK_X509_CA_FILE', 'LOGBOOK_X509_CRL_FILE'] as const;
const isX509Given = (given: HttpVariables): boolean => X509.some((name) => given[name] !== undefined);
const isTlsGiven = (given: HttpVariables): boolean => TLS.some((name) => given[name] !== undefined) || isX509Given(given);

/** Address of the server, and limits of requests. */
export class HttpVariables {
  @Integer('must be a port number', 0, 65_535)
  LOGBOOK_PORT = 8080;

  @IsString()
  LOGBOOK_HOST = '127.0.0.1';

  /** PEM files: the certificate with those of the authorities between, and its private key. With them the server speaks https, and nothing else. */
  @ValidateIf(isTlsGiven)
  @IsString({ message: `must be given where ${TLS[1]} is, and for ${X509[0]}` })
  LOGBOOK_TLS_CERT_FILE?: string;

  @ValidateIf(isTlsGiven)
  @IsString({ message: `must be given where ${TLS[0]} is, and for ${X509[0]}` })
  LOGBOOK_TLS_KEY_FILE?: string;

  /** Port at which clients with a certificate are given their token of the messaging service. Default: no such port. */
  @ValidateIf(isX509Given)
  @Integer('must be a port number', 1, 65_535)
  LOGBOOK_X509_PORT?: number;

  /** PEM file of the authorities whose certificates are taken there. */
  @ValidateIf(isX509Given)
  @IsString({ message: `must be given where ${X509[0]} is` })
  LOGBOOK_X509_CA_FILE?: string;

  /** PEM file of their revocation lists: then a certificate without a list that holds now, of each authority above it, is refused. */
  @OptionalText()
  LOGBOOK_X509_CRL_FILE?: string;

  /** Public URL of this server, used in links. */
  @OptionalUrl('must be an http or https URL')
  LOGBOOK_PUBLIC_URL?: string;

  /** Origins whose pages may call the services from a browser; `*`: any. */
  @EveryItem((value) => value === '*' || isOrigin(value), 'must be * or origins such as https://pages.example.org, separated by commas')
  @List()
  LOGBOOK_CORS_ORIGINS: readonly string[] = [];

  /** Whether pages of any origin may call the status service from a browser; `LOGBOOK_CORS_ORIGINS` takes precedence. */
  @Flag()
  LOGBOOK_STATUS_CORS = false;

  /** Reverse proxies whose `X-Forwarded-*` headers are trusted. */
  @EveryItem(isAddressRange, 'must be IP addresses or ranges such as 192.0.2.0/24, separated by commas')
  @List()
  LOGBOOK_TRUSTED_PROXIES: readonly string[] = [];

  /** Largest request body, in bytes. Default: 64 MiB, less where the heap is small. */
  @IsOptional()
  @Integer('must be a number of bytes', 1024, 512 * MIB)
  LOGBOOK_BODY_LIMIT?: number;

  /** Limit of the bytes of all request bodies at a time. Default: four of the largest, and at least 256 MiB; less where the heap is small. */
  @IsOptional()
  @Integer('must be a number of bytes', MIB)
  LOGBOOK_BODY_BUDGET?: number;

  /** Time limit of headers and of a pause in a body, and time until the speed of a body is checked. */
  @Matches(/^[1-9]\d{0,3}[sm]$/, { message: 'must be a number of seconds or minutes, such as 30s' })
  LOGBOOK_BODY_TIMEOUT = '30s';

  /** How long the server goes on after the signal to end, while `/health/ready` is 503. */
  @Integer('must be a number of seconds', 0, 600)
  LOGBOOK_DRAIN_SECONDS = 0;

  /** Whether this server has the page for operators and auditors, under `/console`. */
  @OneOf(['on', 'off'])
  LOGBOOK_CONSOLE: 'on' | 'off' = 'on';
}

/** By service: origins whose pages may call it from a browser; `*`: any. */
type CorsOrigins = Readonly<Record<'messaging' | 'accounting' | 'status', readonly string[]>>;

/** By default pages of any origin may call the messaging service (messaging contract 0.1), and none the others. */
const corsOriginsOf = ({ LOGBOOK_CORS_ORIGINS: given, LOGBOOK_STATUS_CORS: status }: HttpVariables): CorsOrigins => {
  if (given.length === 0) return { messaging: ['*'], accounting: [], status: status ? ['*'] : [] };
  const origins = given.map((one) => (one === '*' ? one : new URL(one).origin)); // the form that browsers send
  return { messaging: origins, accounting: origins, status: origins };
};

/** PEM files of the certificate and its private key. Default: http without TLS. */
const tlsOf = ({
  LOGBOOK_TLS_CERT_FILE: certFile,
  LOGBOOK_TLS_KEY_FILE: keyFile,
}: HttpVariables): Readonly<{ tls?: Readonly<{ certFile: string; keyFile: string }> }> =>
  certFile === undefined || keyFile === undefined ? {} : { tls: { certFile, keyFile } };

/** Port at which clients with a certificate get their token; PEM files of authorities and their revocation lists. Default: nowhere. */
const x509Of = (given: HttpVariables): Readonly<{ x509?: Readonly<{ port: number; caFile: string; crlFile?: string }> }> => {
  const { LOGBOOK_X509_PORT: port, LOGBOOK_X509_CA_FILE: caFile, LOGBOOK_X509_CRL_FILE: crlFile } = given;
  return port === undefined || caFile === undefined ? {} : { x509: { port, caFile, ...(crlFile !== undefined && { crlFile }) } };
};

/** Heap that a process needs for itself, and the share of the rest for all bodies: each takes several times its bytes while it is read. */
const OWN_HEAP = 96 * MIB;
const HEAP_SHARE = 1 / 8;

/**
 * Limits of bodies: as given, else what a heap of so many bytes has room for.
 * @param heap bytes for long-lived objects
 */
export const bodyLimits = (given: Pick<HttpVariables, 'LOGBOOK_BODY_LIMIT' | 'LOGBOOK_BODY_BUDGET'>, heap: number) => {
  const room = Math.max(MIB, Math.floor((heap - OWN_HEAP) * HEAP_SHARE));
  const bodyLimitBytes = given.LOGBOOK_BODY_LIMIT ?? Math.min(64 * MIB, room);
  return { bodyLimitBytes, bodyBudgetBytes: given.LOGBOOK_BODY_BUDGET ?? Math.min(Math.max(256 * MIB, 4 * bodyLimitBytes), room) };
};

export const httpSettings = (given: HttpVariables) => ({
  host: given.LOGBOOK_HOST,
  port: given.LOGBOOK_PORT,
  ...tlsOf(given),
  ...x509Of(given),
  /** Without a slash at the end. Default: the address where the server listens. */
  publicUrl: given.LOGBOOK_PUBLIC_URL?.replace(/\/+$/, ''),
  corsOrigins: corsOriginsOf(given),
  /** IP addresses, or ranges with a prefix length. */
  trustedProxies: given.LOGBOOK_TRUSTED_PROXIES,
  ...bodyLimits(given, oldSpaceLimit()),
  bodyTimeoutSeconds: secondsOf(given.LOGBOOK_BODY_TIMEOUT),
  drainSeconds: given.LOGBOOK_DRAIN_SECONDS,
  console: given.LOGBOOK_CONSOLE === 'on',
});
