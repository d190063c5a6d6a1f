import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './vary.js';

/** Pages of other origins that may call a service from a browser, and their permissions (CORS protocol of the Fetch standard). */
export type CorsPolicy = Readonly<{
  /** `*` for any origin. Otherwise `<scheme>://<host>[:<port>]`. */
  origins: readonly string[];
  /** Request headers beyond the simple ones, comma-separated. */
  headers: string;
  /** More headers, which contracts do not list: they are sent only if the preflight requests them. */
  headersOnRequest?: readonly string[];
  /** Comma-separated. */
  methods: string;
  /** The same for methods. */
  methodsOnRequest?: readonly string[];
}>;

/** Headers of Logbook that pages may read. */
const EXPOSED =
  'Location, Retry-After, X-Request-Id, X-Correlation-Id, Logbook-Read-Model, Logbook-Position, Logbook-As-Of, Logbook-As-Of-Time';
/** Pages may send them to every service. The lists of headers in contracts lack them, so they are sent only if the preflight asks. */
const ON_REQUEST = ['Idempotency-Key', 'Logbook-As-Of', 'Logbook-Tenant', 'X-Tenant-Id', 'X-Correlation-Id'] as const;
/** For auditors, who use it to read the past of every service. */
const AUDITOR = ['x-api-key'] as const;

const namesIn = (list: string): readonly string[] => list.split(',').map((name) => name.trim().toLowerCase());

/** Returns whether the request is a preflight. */
const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

const allowedHeaders = ({ headers, headersOnRequest = [] }: CorsPolicy, request: FastifyRequest): string => {
  if (!isPreflight(request)) return headers;
  const asked = namesIn(String(request.headers['access-control-request-headers'] ?? ''));
  const listed = namesIn(headers);
  const named = [...ON_REQUEST, ...headersOnRequest, ...(asked.includes('logbook-as-of') ? AUDITOR : [])];
  const added = named.filter((name) => asked.includes(name.toLowerCase()) && !listed.includes(name.toLowerCase()));
  return [headers, ...added].join(', ');
};

const allowedMethods = ({ methods, methodsOnRequest = [] }: CorsPolicy, request: FastifyRequest): string => {
  const asked = isPreflight(request) ? String(request.headers['access-control-request-method']) : '';
  return methodsOnRequest.includes(asked) ? `${methods}, ${asked}` : methods;
};

/** The request's origin if it may read the answer, otherwise `undefined`. */
const allowedOrigin = ({ origins }: CorsPolicy, { headers: { origin } }: FastifyRequest): string | undefined => {
  if (origins.includes('*')) return '*';
  return origin !== undefined && origins.includes(origin) ? origin : undefined;
};

/** Adds the CORS headers of this policy to an answer, and marks that it depends on the origin. */
export const setCorsHeaders = (policy: CorsPolicy, request: FastifyRequest, reply: FastifyReply): void => {
  const origin = allowedOrigin(policy, request);
  if (origin !== '*') addVary(reply, 'origin');
  if (origin === undefined) return;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-headers': allowedHeaders(policy, request),
    'access-control-allow-methods': allowedMethods(policy, request),
    'access-control-expose-headers': EXPOSED,
  });
};

/** Returns whether the request is a preflight that the policy permits. It needs no key, and the answer is 200 with only the headers. */
export const isAllowedPreflight = (policy: CorsPolicy | undefined, request: FastifyRequest): boolean =>
  policy !== undefined && isPreflight(request) && allowedOrigin(policy, request) !== undefined;
