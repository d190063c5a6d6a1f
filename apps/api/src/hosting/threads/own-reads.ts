import type { FastifyRequest } from 'fastify';
import { AS_OF } from '#api/shared/as-of/as-of-header.js';
import { announcedBytes } from '#api/shared/bodies/incoming-body.js';

const DATED = ['aggregation_profiles', 'metric_profiles', 'operations_profiles', 'thresholds_profiles', 'weights'];
const STATUS = [
  ...DATED.flatMap((kind) => [kind, `${kind}/:id`]),
  'factors',
  'downtimes',
  'reports',
  'reports/:id',
  'topology/endpoints',
  'topology/groups',
];
const MESSAGING = [
  'topics',
  'topics/:topic',
  'subscriptions',
  'subscriptions/:subscription',
  'schemas',
  'schemas/:schema',
  'members',
  'members/:user',
];
const ACCOUNTING = [
  'installations/:installation_id',
  'installations/:installation_id/metrics',
  'installations/:installation_id/metrics/:id',
  'installations/external',
  'installations/external/metrics',
  'installations/external/metrics/:id',
  'metric-definitions',
  'metric-definitions/:id',
  'projects',
  'projects/:project_id',
  'providers',
  'providers/:provider_id',
  'providers/external',
];

/** Patterns of routes, as the router has them. */
export const OWN_READS: ReadonlySet<string> = new Set([
  ...STATUS.map((route) => `/api/v2/${route}`),
  ...MESSAGING.map((route) => `/v1/projects/:project/${route}`),
  ...ACCOUNTING.map((route) => `/accounting-system/${route}`),
]);

/**
 * Whether an API thread answers a request itself: reads of records from the read models and nothing else, each a few look-ups or a list made in slices.
 * Whatever counts for the whole node (bodies, memory, turns of large answers), writes, waits, or belongs to one process is for the main process.
 */
export const isOwnRead = ({ method, is404, routeOptions, headers, raw }: FastifyRequest): boolean =>
  method === 'GET' && !is404 && OWN_READS.has(routeOptions.url ?? '') && headers[AS_OF] === undefined && announcedBytes(raw) === 0;
