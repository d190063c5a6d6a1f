import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';

/** Upper ends of the buckets, in seconds. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Requests by method, pattern of the route and status: never by path, so the number of series stays bounded. */
export const httpMetrics = (fastify: FastifyInstance, registry: Registry): void => {
  const requests = new Histogram({
    name: 'logbook_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode };
    requests.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
};
