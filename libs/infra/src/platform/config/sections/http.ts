import {
  combined,
  duration,
  flag,
  integer,
  isAddressRange,
  isOrigin,
  list,
  neededWith,
  onOrOff,
  secondsOf,
  text,
  url,
  variable,
} from '#infra/platform/config/variables.js';

const MIB = 1024 * 1024;

const [CERT, KEY] = ['LOGBOOK_TLS_CERT_FILE', 'LOGBOOK_TLS_KEY_FILE'];
const [X509_PORT, X509_CA, X509_CRL] = ['LOGBOOK_X509_PORT', 'LOGBOOK_X509_CA_FILE', 'LOGBOOK_X509_CRL_FILE'];
const X509 = [X509_PORT, X509_CA, X509_CRL];
const PORT = 'must be a port number';

const ownPort = variable('LOGBOOK_PORT', integer(PORT, 0, 65_535), 8080);
const x509Port = neededWith(X509, X509_PORT, integer(PORT, 1, 65_535), PORT);

/** By service: origins whose pages may call it from a browser; `*`: any. */
type CorsOrigins = Readonly<Record<'messaging' | 'accounting' | 'status', readonly string[]>>;

/** By default pages of any origin may call the messaging service (messaging contract 0.1), and none the others. */
const corsOriginsOf = ({ given, status }: Readonly<{ given: readonly string[]; status: boolean }>): CorsOrigins => {
  if (given.length === 0) return { messaging: ['*'], accounting: [], status: status ? ['*'] : [] };
  const origins = given.map((one) => (isOrigin(one) ? new URL(one).origin : one)); // the form that browsers send
  return { messaging: origins, accounting: origins, status: origins };
};

/** Heap that a process needs for itself, and the share of the rest for all bodies: each takes several times its bytes while it is read. */
const OWN_HEAP = 96 * MIB;
const HEAP_SHARE = 1 / 8;

/**
 * Limits of bodies: as given, else what a heap of so many bytes has room for.
 * @param heap bytes for long-lived objects
 */
export const bodyLimits = ({ limit, budget }: Readonly<{ limit?: number; budget?: number }>, heap: number) => {
  const room = Math.max(MIB, Math.floor((heap - OWN_HEAP) * HEAP_SHARE));
  const bodyLimitBytes = limit ?? Math.min(64 * MIB, room);
  return { bodyLimitBytes, bodyBudgetBytes: budget ?? Math.min(Math.max(256 * MIB, 4 * bodyLimitBytes), room) };
};

/** Limits of bodies as they are given. */
export const givenLimits = {
  /** Largest request body, in bytes. Default: 64 MiB, less where the heap is small. */
  limit: variable('LOGBOOK_BODY_LIMIT', integer('must be a number of bytes', 1024, 512 * MIB)),
  /** Limit of the bytes of all request bodies at a time. Default: four of the largest, and at least 256 MiB; less where the heap is small. */
  budget: variable('LOGBOOK_BODY_BUDGET', integer('must be a number of bytes', MIB)),
};

/** Address of the server, and limits of requests. */
export const httpSettings = {
  port: ownPort,
  host: variable('LOGBOOK_HOST', text, '127.0.0.1'),
  /** PEM files: the certificate with those of the authorities between, and its private key. With them the server speaks https, and nothing else. */
  tls: combined(
    {
      certFile: neededWith([KEY, ...X509], CERT, text, `must be given where ${KEY} is, and for ${X509_PORT}`),
      keyFile: neededWith([CERT, ...X509], KEY, text, `must be given where ${CERT} is, and for ${X509_PORT}`),
    },
    ({ certFile, keyFile }) => (certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile }),
  ),
  /** Port at which clients with a certificate get their token of the messaging service. Default: no such port. */
  x509: combined(
    {
      port: {
        ...x509Port,
        read: (given, refuse) => {
          const port = x509Port.read(given, refuse);
          if (port !== undefined && port === ownPort.read(given, () => {})) refuse(X509_PORT, 'must differ from LOGBOOK_PORT');
          return port;
        },
      },
      /** PEM file of the authorities whose certificates are taken there. */
      caFile: neededWith(X509, X509_CA, text, `must be given where ${X509_PORT} is`),
      /** PEM file of their revocation lists: then a certificate without a list that holds now, of each authority above it, is refused. */
      crlFile: variable(X509_CRL, text),
    },
    ({ port, caFile, crlFile }) =>
      port === undefined || caFile === undefined ? undefined : { port, caFile, ...(crlFile !== undefined && { crlFile }) },
  ),
  /** Public URL of this server, used in links, without a slash at the end. Default: the address where the server listens. */
  publicUrl: combined(
    { given: variable('LOGBOOK_PUBLIC_URL', url('must be an http or https URL without user, query and fragment', /^[^@?#]*$/)) },
    ({ given }) => given?.replace(/\/+$/, ''),
  ),
  corsOrigins: combined(
    {
      /** Origins whose pages may call the services from a browser; `*`: any. */
      given: variable(
        'LOGBOOK_CORS_ORIGINS',
        list([(one) => one === '*' || isOrigin(one), 'must be * or origins such as https://pages.example.org, separated by commas']),
        [],
      ),
      /** Whether pages of any origin may call the status service from a browser; `LOGBOOK_CORS_ORIGINS` takes precedence. */
      status: variable('LOGBOOK_STATUS_CORS', flag, false),
    },
    corsOriginsOf,
  ),
  /** Reverse proxies whose `X-Forwarded-*` headers are trusted: IP addresses, or ranges with a prefix length. */
  trustedProxies: variable(
    'LOGBOOK_TRUSTED_PROXIES',
    list([isAddressRange, 'must be IP addresses or ranges such as 192.0.2.0/24, separated by commas']),
    [],
  ),
  /** Time limit of headers and of a pause in a body, and time until the speed of a body is checked. */
  bodyTimeoutSeconds: variable(
    'LOGBOOK_BODY_TIMEOUT',
    duration(/^[1-9]\d{0,3}[sm]$/, 'must be a number of seconds or minutes, such as 30s'),
    secondsOf('30s'),
  ),
  /** How long the server goes on after the signal to end, while `/health/ready` is 503. */
  drainSeconds: variable('LOGBOOK_DRAIN_SECONDS', integer('must be a number of seconds', 0, 600), 0),
  /** Whether this server has the page for operators and auditors, under `/console`. */
  console: variable('LOGBOOK_CONSOLE', onOrOff, true),
};
