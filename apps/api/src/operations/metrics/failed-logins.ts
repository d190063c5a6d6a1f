import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { COOKIE, SESSION_PATH } from '#api/ops-kit/console-sessions.js';
import { loggedPath } from '#api/shared/http/paths/logged-path.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { clientCertificateOf } from '#api/shared/http/tls/client-certificates.js';
import { traceIdOf } from '#api/shared/http/tracing.js';
import type { Logger } from '#infra/platform/logging/logger.js';

/** Minimum time between two lines for a service, in milliseconds. */
const QUIET_MS = 10_000;

const PREFIXES = [
  ['/v1', 'messaging'],
  ['/accounting-system', 'accounting'],
  ['/api/', 'status'],
  ['/metrics/status', 'status'],
] as const;
const OTHERS = 'operations';

const serviceOf = (url: string): string => PREFIXES.find(([prefix]) => url.startsWith(prefix))?.[1] ?? OTHERS;

/** Returns whether the caller sent a credential: 401 without one may only start an authentication. A console sign-in has it in its body. */
const hasCredential = ({ headers, url, method, raw }: FastifyRequest): boolean =>
  headers['x-api-key'] !== undefined ||
  headers.authorization !== undefined ||
  clientCertificateOf(raw) !== undefined ||
  headers.cookie?.includes(`${COOKIE}=`) === true ||
  (method === 'POST' && pathOf(url) === SESSION_PATH) ||
  /[?&]key=/.test(url);

type Refused = Readonly<Record<string, unknown>>;

/**
 * Logs the first refused credential at once, then one every ten seconds with the number of others since the previous line. The last ones of
 * a burst are also logged, at the end of their period.
 */
class RefusalLog {
  private quietUntil = Number.NEGATIVE_INFINITY;
  private pending: Refused | undefined;
  private others = 0;

  constructor(
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly quietMs: number,
  ) {}

  refused(facts: Refused): void {
    const leftMs = this.quietUntil - performance.now();
    if (this.pending) this.others += 1;
    else if (leftMs > 0) setTimeout(() => this.logLast(), leftMs).unref();
    else {
      this.log(facts);
      return;
    }
    this.pending = facts;
  }

  private logLast(): void {
    const { pending } = this;
    this.pending = undefined;
    if (pending) this.log(pending);
  }

  private log(facts: Refused): void {
    this.logger.warn({ ...facts, others: this.others }, 'a credential was refused');
    this.others = 0;
    this.quietUntil = performance.now() + this.quietMs;
  }
}

/** Counts answers with 401, and logs those to a credential, see {@link RefusalLog}. A line has address and route, never the credential. */
export const failedLogins = (fastify: FastifyInstance, registry: Registry, logger: Pick<Logger, 'warn'>, quietMs = QUIET_MS): void => {
  const failures = new Counter({
    name: 'logbook_failed_logins_total',
    help: 'Requests answered with 401, by service and by whether they had a credential',
    labelNames: ['service', 'credential'],
    registers: [registry],
  });
  const logs = new Map<string, RefusalLog>();
  for (const service of [...PREFIXES.map(([, name]) => name), OTHERS]) {
    for (const credential of ['none', 'refused']) failures.inc({ service, credential }, 0);
    logs.set(service, new RefusalLog(logger, quietMs));
  }
  fastify.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode === 401) {
      const service = serviceOf(request.url);
      const credential = hasCredential(request) ? 'refused' : 'none';
      failures.inc({ service, credential });
      const { id: requestId, method, ip } = request;
      if (credential === 'refused')
        logs.get(service)?.refused({ refusedBy: service, requestId, ...traceIdOf(request), method, path: loggedPath(request), ip });
    }
    done();
  });
};
