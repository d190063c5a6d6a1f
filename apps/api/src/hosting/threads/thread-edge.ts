import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OwnMetrics } from '#api/operations/metrics/own-metrics.js';
import { AS_OF } from '#api/shared/as-of/as-of-header.js';
import type { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { announcedBytes } from '#api/shared/bodies/incoming-body.js';
import type { HandOver } from '#api/shared/http/service-routing.js';
import type { Erasing } from '#infra/engine/erasure/erasing.js';
import { seeNewest } from '#infra/platform/lmdb/environment.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { ThreadQuestion } from './messages.js';
import { ToMain } from './to-main.js';

/** Returns whether a thread answers a request itself. */
const isOwn = ({ method, routeOptions, headers, raw }: FastifyRequest): boolean =>
  method === 'GET' && routeOptions.config?.anyThread === true && headers[AS_OF] === undefined && announcedBytes(raw) === 0;

/** The thread-specific part of an application. */
export class ThreadEdge {
  private main: ToMain | undefined;
  /** True while the main process answers everything. */
  private behind = false;
  /** Set by the application. */
  metrics: () => Promise<OwnMetrics | null> = async () => null;

  /** @param door socket of the main process */
  constructor(
    private readonly door: string,
    private readonly keys: Erasing['keys'],
  ) {}

  /** Checks that fail in this thread must not prevent the main process from answering. */
  register(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (request, reply, payload, done) => {
      if (reply.statusCode < 500) done(null, payload);
      else this.main?.take(request, reply);
    });
  }

  /** @param bodies those of the application */
  handOver(bodies: BodyIngress, store: Pick<ReadStore, 'look'>): HandOver {
    const main = new ToMain(this.door, bodies);
    this.main = main;
    return (request, reply) => {
      if (!this.behind && isOwn(request)) {
        seeNewest();
        store.look?.();
        return false;
      }
      main.take(request, reply);
      return true;
    };
  }

  async answer(question: ThreadQuestion): Promise<OwnMetrics | null> {
    if (question.what === 'metrics') return this.metrics();
    if (question.what === 'behind') this.behind = question.is;
    else if (question.subject === null) this.keys.forgetAll();
    else this.keys.noteDestroyed(question.subject);
    return null;
  }

  close(): void {
    this.main?.close();
  }
}
