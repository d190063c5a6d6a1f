import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Nodes } from '#api/operations/findings/nodes.js';
import type { FindingsOfJobs } from '#api/operations/findings/verified.js';
import type { MessagingNow } from '#api/operations/messaging/messaging-now.js';
import { setAsideCounts } from '#api/operations/projections/projection-views.js';
import { resultsMetrics } from '#api/operations/results/results-health.js';
import { chainMetrics } from '#api/ops-kit/chain-status.js';
import { lookedUpAnew, lookedUpGauge, readGauge } from '#api/ops-kit/looked-up.js';
import { auditIndexMetrics } from '#api/runtime/followers/audit-index-health.js';
import { followsLog } from '#api/runtime/followers/open-followers.js';
import type { Runtime } from '#api/runtime/runtime.js';
import type { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { build } from '#api/shared/build.js';
import { sendShared } from '#api/shared/http/answer.js';
import { metricSourceMetrics } from '#api/status/metric-source/metric-source-metrics.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ProjectionStatus } from '#infra/engine/projection-runner/projection-status.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { MemoryWatch } from '#infra/stores/read-store/store-memory.js';
import { failedLogins } from './failed-logins.js';
import { httpMetrics } from './http-metrics.js';
import { logMetrics } from './log-metrics.js';
import { messageBacklog } from './message-backlog.js';
import { processorMetrics } from './processor-metrics.js';
import { memoryMetrics, roleMetrics } from './store-metrics.js';
import { verifiedMetrics } from './verified-metrics.js';

/** Measurements of each projection, by the name of the gauge. */
const OF_PROJECTIONS: readonly (readonly [name: string, help: string, read: (status: ProjectionStatus) => number])[] = [
  ['projection_position', 'Last log position applied', ({ position }) => Number(position)],
  ['projection_lag_events', 'Events of its categories not applied yet, counted up to 1,000', ({ lag }) => lag.events],
  ['projection_lag_seconds', 'Age of the oldest event not applied yet', ({ lag }) => lag.seconds],
  ['projection_documents', 'Documents served', ({ documents }) => documents],
  [
    'projection_mismatched',
    '1 while the documents are withheld, because they do not come from this log',
    ({ mismatch }) => Number(mismatch !== null),
  ],
  [
    'projection_partitions_set_aside',
    'Partitions whose events are held back behind one that could not be applied',
    ({ setAside }) => setAsideCounts(setAside).partitions,
  ],
  ['projection_events_held_back', 'Events that wait in paused partitions', ({ setAside }) => setAsideCounts(setAside).events],
  ['projection_batch_seconds', 'Time that the last batch took', ({ batchSeconds }) => batchSeconds],
  ['rebuild_processed', 'Events that the rebuild under way has read; 0: there is none', ({ rebuild }) => rebuild?.processed ?? 0],
  [
    'rebuild_events',
    'Events that the rebuild under way has to read, as known at its start; 0: there is none',
    ({ rebuild }) => rebuild?.total ?? 0,
  ],
];

/** Gauges by projection. Returns a function that sets them. @throws (the result) EventStoreUnavailable, ReadStoreUnavailable */
const projectionGauges = (registry: Registry, readModels: ReadModels): (() => Promise<void>) => {
  const gauges = OF_PROJECTIONS.map(([name, help, read]) => {
    const gauge = new Gauge({ name: `logbook_${name}`, help, labelNames: ['projection'], registers: [registry] });
    return (status: ProjectionStatus): void => gauge.set({ projection: status.name }, read(status));
  });
  return async () => {
    // In parallel: while others keep the process busy, every wait costs one of their slices.
    const statuses = await Promise.all(readModels.names.map((name) => readModels.status(name)));
    for (const status of statuses) if (status) for (const set of gauges) set(status);
  };
};

/** The same of this node's history; without values if its documents are those of the read models. */
const historyGauges = (registry: Registry, { keeper }: Runtime): (() => Promise<void>) => {
  const gauge = new Gauge({
    name: 'logbook_history_partitions_set_aside',
    help: 'Partitions of the history whose events are held back behind one that could not be applied',
    labelNames: ['projection'],
    registers: [registry],
  });
  return async () => {
    if (keeper) for (const name of keeper.names) gauge.set({ projection: name }, keeper.setAside(name).size);
  };
};

const buildInfo = (registry: Registry): void => {
  const info = new Gauge({
    name: 'logbook_build_info',
    help: '1, with the version of the program, the commit it was built from (empty: not known), and the version of Node',
    labelNames: ['version', 'commit', 'node'],
    registers: [registry],
  });
  info.set({ version: build.version, commit: build.commit, node: process.versions.node }, 1);
};

/** Counts that `/health` and the console use, too. */
type Counting = Readonly<{ messaging: MessagingNow; verified: FindingsOfJobs; memory: MemoryWatch; nodes: Nodes }>;

/** Metrics that are looked up on request. Returns the function that does it. */
const lookedUp = (registry: Registry, runtime: Runtime, { messaging, verified, memory, nodes }: Counting): (() => Promise<void>) => {
  const { readModels, readStore, erasing, integrity, logger, configuration, audit, eventStore } = runtime;
  const makes = [
    () => messageBacklog(registry, messaging),
    () => projectionGauges(registry, readModels),
    () => chainMetrics(registry, integrity),
    ...(followsLog(configuration) ? [() => auditIndexMetrics(registry, { index: audit.index, events: eventStore })] : []),
    () => metricSourceMetrics(registry, readStore),
    () => historyGauges(registry, runtime),
    () => verifiedMetrics(registry, readModels, verified),
    () => logMetrics(registry, runtime),
    () => memoryMetrics(registry, memory),
    () => roleMetrics(registry, nodes),
  ];
  const parts = makes.map((make) => lookedUpAnew(registry, make));
  readGauge(registry, 'erasures_failed', 'Events that want something erased that cannot be', () => erasing.eraser.unerased);
  return async () => {
    // An unavailable store must not hide the metrics of the process or of the other store.
    const outcomes = await Promise.allSettled(parts.map((part) => part()));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') logger.warn({ err: outcome.reason }, 'metrics of the stores are missing');
  };
};

/** Shares the work among concurrent callers: metrics need no key, so many requests at once must cost no more than one. */
const shared = <Result>(work: () => Promise<Result>): (() => Promise<Result>) => {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
};

/** The text of all metrics of a registry. Yields the event loop in between. */
const inSlices = async (registry: Registry): Promise<string> => {
  const slice = new TimeSlice();
  const parts: string[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    parts.push(`${await registry.getSingleMetricAsString(name)}\n`);
    if (slice.isOver) await slice.next();
  }
  return parts.join('\n');
};

/** Gauges of prom-client with the suffix of counters. They are the sums of `nodejs_active_handles`, `…_requests` and `…_resources`. */
const MISNAMED = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);

/** Resolution of the event loop delay, which is included in the shown delays. The usual 10 ms cause most of the work of an idle server. */
const LOOP_LOOK_MS = 25;

/** Time to read the metrics, which is also the usual patience of Prometheus: each slow reader holds a text of its own. */
const READ_WITHIN_MS = 10_000;

/** `/metrics` for Prometheus: the process, requests by route, bodies, projections, messages, stores. */
export const registerMetrics = (fastify: FastifyInstance, runtime: Runtime, bodies: BodyIngress, counting: Counting): void => {
  const { telemetry, processor, logger, results, certificate, clientAuthorities } = runtime;
  const { registry } = telemetry;
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  buildInfo(registry);
  const requests = httpMetrics(fastify);
  failedLogins(fastify, registry, logger);
  processorMetrics(registry, () => processor.metrics());
  resultsMetrics(registry, results);
  readGauge(
    registry,
    'body_bytes',
    'Bytes of request bodies that arrive or are worked on, as they count in their budget',
    () => bodies.bytesInUse,
  );
  readGauge(registry, 'body_budget_bytes', 'The budget of these bytes: LOGBOOK_BODY_BUDGET', () => runtime.configuration.bodyBudgetBytes);
  const expiry = lookedUpGauge(
    registry,
    'tls_certificate_expiry_timestamp_seconds',
    'When the certificate of this server ends; absent without LOGBOOK_TLS_CERT_FILE',
  );
  const listsEnd = lookedUpGauge(
    registry,
    'x509_crl_expiry_timestamp_seconds',
    'When the first revocation list of client certificates ends; absent without LOGBOOK_X509_CRL_FILE',
  );
  const collect = lookedUp(registry, runtime, counting);
  const text = shared(async () => {
    expiry(certificate && certificate.expires.getTime() / 1_000);
    listsEnd(clientAuthorities?.trust.crlEnds && clientAuthorities.trust.crlEnds.getTime() / 1_000);
    await collect();
    return Buffer.from(`${await inSlices(registry)}\n${await requests()}`); // a text would be copied for each caller
  });
  fastify.get('/metrics', async (_request, reply) => sendShared(reply.type(registry.contentType), await text(), READ_WITHIN_MS));
};
