import type { FastifyInstance } from 'fastify';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';

const NAME = 'logbook_http_request_duration_seconds';
const HEAD = `# HELP ${NAME} Time from the first byte of a request to the last of its answer\n# TYPE ${NAME} histogram\n`;

/** Upper bounds of the buckets, in seconds. */
const ENDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, Number.POSITIVE_INFINITY];

/** Durations of requests with the same labels. */
class Durations {
  private readonly buckets = ENDS.map((end) => ({ end, count: 0 }));
  private sum = 0;

  constructor(private readonly labels: string) {}

  observe(seconds: number): void {
    const bucket = this.buckets.find(({ end }) => seconds <= end);
    if (bucket) bucket.count++;
    this.sum += seconds;
  }

  /** In the text format of Prometheus, whose buckets include those before them. */
  text(): string {
    const { labels, sum } = this;
    let count = 0;
    const lines = this.buckets.map((bucket) => {
      count += bucket.count;
      const end = bucket.end === Number.POSITIVE_INFINITY ? '+Inf' : bucket.end;
      return `${NAME}_bucket{le="${end}",${labels}} ${count}\n`;
    });
    return `${lines.join('')}${NAME}_sum{${labels}} ${sum}\n${NAME}_count{${labels}} ${count}\n`;
  }
}

/**
 * Requests by method, pattern of the route and status; never by path, so that the number of series is bounded. There can still be
 * thousands: their text is made in slices, and each request finds its series by short keys, a lookup on which prom-client's histogram
 * spends most of its time.
 * @returns makes the text in the format of Prometheus
 */
export const httpMetrics = (fastify: FastifyInstance): (() => Promise<string>) => {
  /** By route, then by method and status. */
  const routes = new Map<string, Map<string, Durations>>();
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const { statusCode } = reply;
    const route = routeOptions.url ?? 'none';
    const series = getOrInsert(routes, route, () => new Map());
    const name = `${method} ${statusCode}`;
    const durations = getOrInsert(
      series,
      name,
      () => new Durations(`method="${method}",route=${JSON.stringify(route)},status="${statusCode}"`),
    );
    durations.observe(reply.elapsedTime / 1_000);
    done();
  });
  return async () => {
    const slice = new TimeSlice();
    const parts = [HEAD];
    for (const series of routes.values())
      for (const durations of series.values()) {
        parts.push(durations.text());
        if (slice.isOver) await slice.next();
      }
    return parts.join('');
  };
};
