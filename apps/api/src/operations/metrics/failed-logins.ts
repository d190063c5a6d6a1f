import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { traceIdOf } from '#api/shared/http/tracing.js';
import { loggedPath } from '#api/shared/logging/logged-path.js';
import type { Logger } from '#infra/logging/logger.js';

/** At most one line in this time for each service: milliseconds. */
const QUIET_MS = 10_000;

const PREFIXES = [
  ['/v1', 'messaging'],
  ['/accounting-system', 'accounting'],
  ['/api/', 'status'],
  ['/metrics/status', 'status'],
] as const;
const OTHERS = 'operations';

const serviceOf = (url: string): string => PREFIXES.find(([prefix]) => url.startsWith(prefix))?.[1] ?? OTHERS;

/** Whether the caller sent any credential: without one, 401 may only be how a client asks. */
const hasCredential = ({ headers, url }: FastifyRequest): boolean =>
  headers['x-api-key'] !== undefined || headers.authorization !== undefined || /[?&]key=/.test(url);

/**
 * Counts answers with 401, and logs those to a credential: the first at once, then one in ten seconds for each service, with the number of those in
 * between that were not logged. A line has address and route, never the credential.
 */
export const failedLogins = (
  fastify: FastifyInstance,
  registry: Registry,
  logger: Pick<Logger, 'warn'>,
  now = () => performance.now(),
): void => {
  const failures = new Counter({
    name: 'logbook_failed_logins_total',
    help: 'Requests answered with 401, by service and by whether they had a credential',
    labelNames: ['service', 'credential'],
    registers: [registry],
  });
  const logged = new Map<string, { at: number; others: number }>();
  for (const service of [...new Set(PREFIXES.map(([, name]) => name)), OTHERS]) {
    for (const credential of ['none', 'refused']) failures.inc({ service, credential }, 0);
    logged.set(service, { at: Number.NEGATIVE_INFINITY, others: 0 });
  }
  const log = (service: string, request: FastifyRequest): void => {
    const last = logged.get(service);
    if (!last) return;
    if (now() - last.at < QUIET_MS) {
      last.others += 1;
      return;
    }
    const { id: requestId, method, ip } = request;
    logger.warn(
      { service, requestId, ...traceIdOf(request), method, path: loggedPath(request), ip, others: last.others },
      'a credential was refused',
    );
    logged.set(service, { at: now(), others: 0 });
  };
  fastify.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode === 401) {
      const service = serviceOf(request.url);
      const credential = hasCredential(request) ? 'refused' : 'none';
      failures.inc({ service, credential });
      if (credential === 'refused') log(service, request);
    }
    done();
  });
};
