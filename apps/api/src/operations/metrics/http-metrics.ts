import type { FastifyInstance } from 'fastify';
import { Histogram, Registry } from 'prom-client';
import { TimeSlice } from '#infra/scheduling/time-slice.js';

/** Upper ends of the buckets, in seconds. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const durations = (): Readonly<{ registry: Registry; histogram: Histogram }> => {
  const registry = new Registry();
  const histogram = new Histogram({
    name: 'logbook_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  return { registry, histogram };
};

const LINES_OF_HEAD = 2;

/**
 * Requests by method, pattern of the route and status: never by path, so the number of series stays bounded. There are thousands all the same, so they
 * are kept route by route: the text of all at once would hold the event loop. Returns how to get it.
 */
export const httpMetrics = (fastify: FastifyInstance): (() => Promise<string>) => {
  const routes = new Map<string, ReturnType<typeof durations>>();
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'none';
    let known = routes.get(route);
    if (!known) {
      known = durations();
      routes.set(route, known);
    }
    known.histogram.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
  return async () => {
    const slice = new TimeSlice();
    const parts = [(await durations().registry.metrics()).trimEnd()];
    for (const { registry } of routes.values()) {
      const lines = (await registry.metrics()).trimEnd().split('\n');
      parts.push(...lines.slice(LINES_OF_HEAD));
      if (slice.isOver) await slice.next();
    }
    return `${parts.join('\n')}\n`;
  };
};
