import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { chainMetrics } from '#api/audit/integrity/chain-status.js';
import { setAsideCounts } from '#api/operations/projections/projection-views.js';
import { resultsMetrics } from '#api/operations/results/results-health.js';
import type { Runtime } from '#api/runtime.js';
import type { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { metricSourceMetrics } from '#api/status/metric-source/metric-source-metrics.js';
import type { ProjectionStatus } from '#infra/projection-runner/read-models.js';

/** Upper ends of the buckets, in seconds. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const observeRequests = (fastify: FastifyInstance, registry: Registry): void => {
  const requests = new Histogram({
    name: 'logbook_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // The pattern of the route, never the path: the number of series stays bounded.
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode };
    requests.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
};

/** Gauges by projection. Returns how to set them. */
const projectionGauges = (registry: Registry): ((status: ProjectionStatus) => void) => {
  const projectionGauge = (name: string, help: string): Gauge<'projection'> =>
    new Gauge({ name: `logbook_projection_${name}`, help, labelNames: ['projection'], registers: [registry] });
  const position = projectionGauge('position', 'Last log position applied');
  const lagEvents = projectionGauge('lag_events', 'Events of its categories not applied yet');
  const lagSeconds = projectionGauge('lag_seconds', 'Age of the oldest event not applied yet');
  const documents = projectionGauge('documents', 'Documents served');
  const stopped = projectionGauge('stopped', '1 when an event could not be applied');
  const mismatched = projectionGauge('mismatched', '1 while the documents are withheld, because they do not come from this log');
  const partitions = projectionGauge('partitions_set_aside', 'Partitions whose events are held back behind one that could not be applied');
  const held = projectionGauge('events_held_back', 'Events that wait in partitions that are set aside');
  const batchSeconds = projectionGauge('batch_seconds', 'Time that the last batch took');
  const rebuilding = new Gauge({
    name: 'logbook_rebuild_processed',
    help: 'Events that the rebuild under way has read; 0: there is none',
    labelNames: ['projection'],
    registers: [registry],
  });
  return (status) => {
    const labels = { projection: status.name };
    position.set(labels, Number(status.position));
    lagEvents.set(labels, status.lag.events);
    lagSeconds.set(labels, status.lag.seconds);
    documents.set(labels, status.documents);
    stopped.set(labels, status.state === 'stopped' ? 1 : 0);
    mismatched.set(labels, status.mismatch === null ? 0 : 1);
    const setAside = setAsideCounts(status.setAside);
    partitions.set(labels, setAside.partitions);
    held.set(labels, setAside.events);
    batchSeconds.set(labels, status.times.last ?? 0);
    rebuilding.set(labels, status.rebuild?.processed ?? 0);
  };
};

/** `/metrics` for Prometheus: the process, requests by route, bodies, projections, the stream processor. */
export const registerMetrics = (
  fastify: FastifyInstance,
  { readModels, readStore, processor, erasing, integrity, logger, results }: Runtime,
  bodies: BodyIngress,
): void => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  observeRequests(fastify, registry);
  const collectChain = chainMetrics(registry, integrity);
  resultsMetrics(registry, results);
  const collectMetricSources = metricSourceMetrics(registry, readStore);

  const observe = projectionGauges(registry);
  const unerased = new Gauge({
    name: 'logbook_erasures_failed',
    help: 'Events that want something erased that cannot be',
    registers: [registry],
  });
  const commands = new Gauge({
    name: 'logbook_stream_processor',
    help: 'Counters of the stream processor since the start',
    labelNames: ['counter'],
    registers: [registry],
  });

  new Gauge({
    name: 'logbook_body_bytes',
    help: 'Bytes of request bodies that arrive or are worked on, as they count in their budget',
    registers: [registry],
    collect() {
      this.set(bodies.bytesInUse);
    },
  });

  const collect = async (): Promise<void> => {
    // All at once: while others keep the process busy, every wait costs one of their slices.
    const statuses = await Promise.all(readModels.names.map((name) => readModels.status(name)));
    for (const status of statuses) {
      if (!status) continue;
      observe(status);
    }
    await collectChain();
    await collectMetricSources();
    unerased.set(erasing.eraser.unerased);
    for (const [counter, value] of Object.entries(processor.metrics())) commands.set({ counter }, value);
  };

  fastify.get('/metrics', async (_request, reply) => {
    // A store that is down must not hide the metrics of the process.
    await collect().catch((error: unknown) => logger.warn({ err: error }, 'metrics of the stores are missing'));
    return reply.type(registry.contentType).send(await registry.metrics());
  });
};
