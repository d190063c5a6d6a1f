import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './vary.js';

/** Which pages of other origins may call a service from a browser, and how (CORS protocol of the Fetch standard). */
export type CorsPolicy = Readonly<{
  /** `*`: any. Otherwise `<scheme>://<host>[:<port>]`. */
  origins: readonly string[];
  /** Request headers beyond the simple ones, comma-separated. */
  headers: string;
  /** Headers beyond them that contracts do not list: they are named to those who ask. */
  headersOnRequest?: readonly string[];
  /** Comma-separated. */
  methods: string;
  /** The same of methods. */
  methodsOnRequest?: readonly string[];
}>;

/** Headers of ours that pages may read. */
const EXPOSED = 'Location, Retry-After, X-Request-Id, Logbook-Read-Model, Logbook-Position, Logbook-As-Of, Logbook-As-Of-Time';
/** Pages may send them to every service, but lists of headers in contracts do not have them: they are named to those who ask. */
const ON_REQUEST = ['Idempotency-Key', 'Logbook-As-Of', 'Logbook-Tenant', 'X-Tenant-Id'] as const;
/** Of auditors, who read the past of every service with it. */
const AUDITOR = ['x-api-key'] as const;

const namesIn = (list: string): readonly string[] => list.split(',').map((name) => name.trim().toLowerCase());

/** Whether a browser asks by this request if it may send another. */
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

/** The origin that the answer names as one that may read it; nothing for any other. */
const allowedOrigin = ({ origins }: CorsPolicy, { headers: { origin } }: FastifyRequest): string | undefined => {
  if (origins.includes('*')) return '*';
  return origin !== undefined && origins.includes(origin) ? origin : undefined;
};

/** Marks an answer of a service with this policy: who may read it, and that it depends on who asks. */
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

/** Whether the request is a preflight that the policy lets through: it needs no key, and the answer is 200 with the headers alone. */
export const isAllowedPreflight = (policy: CorsPolicy | undefined, request: FastifyRequest): boolean =>
  policy !== undefined && isPreflight(request) && allowedOrigin(policy, request) !== undefined;
