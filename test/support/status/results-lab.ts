import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { Day } from '#domain/shared/time.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { Report } from '#domain/status/reports/reports.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { WorkingSet } from '#infra/engine/projection-runner/steps/working-set.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import type { ProjectedEvent, Projection } from '#projections/shared/projection.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { statusProjections } from '#projections/status/index.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { fold } from '#test/support/projections/fold.js';

/** An event and the stream it belongs to. `time`: when it was recorded, ISO 8601. */
export type LabEvent = DomainEvent & Readonly<{ stream: string; time?: string }>;

export const TENANT = 'tenant';
const list = (kind: string, event: string, date: Day, items: readonly object[]): LabEvent => ({
  stream: `status.${kind}-${TENANT}.${date}`,
  type: `${event}Listed`,
  data: { tenantId: TENANT, date, count: items.length, part: 0, parts: 1, items } as never,
});
const unlisted = (kind: string, event: string, date: Day): LabEvent => ({
  stream: `status.${kind}-${TENANT}.${date}`,
  type: `${event}Deleted`,
  data: { tenantId: TENANT, date, count: 1 },
});
const dated = (kind: string, event: string, id: string, date: Day, record: object): LabEvent => ({
  stream: `status.${kind}-${TENANT}`,
  type: `${event}SnapshotDated`,
  data: { id, date, change: 'added', record: { name: id, ...record } } as never,
});
const gone = (kind: string, event: string, id: string): LabEvent => ({
  stream: `status.${kind}-${TENANT}`,
  type: `${event}Deleted`,
  data: { id },
});

export type GroupItem = readonly [group: string, subgroup: string, tags?: Readonly<Record<string, string>>];
export type EndpointItem = readonly [group: string, service: string, hostname: string, tags?: Readonly<Record<string, string>>];

/** States from the best to the worst. */
const LADDER = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'];
const AND = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'];
const OR = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN', 'DOWNTIME', 'MISSING'];
const table = (pick: (a: string, b: string) => string) =>
  LADDER.flatMap((a, index) => LADDER.slice(index).map((b) => ({ a, b, x: pick(a, b) })));

/** Profile V of results contract 14. */
export const PROFILE_V = {
  available_states: LADDER,
  defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
  operations: [
    { name: 'AND', truth_table: table((a, b) => (AND.indexOf(a) > AND.indexOf(b) ? a : b)) },
    { name: 'OR', truth_table: table((a, b) => (OR.indexOf(a) < OR.indexOf(b) ? a : b)) },
  ],
};

export type LabReport = Partial<Report> & Readonly<{ id?: string }>;

/** Events as commands would append them. */
export const labEvents = {
  report: ({ id = 'report-id', ...members }: LabReport = {}, type: 'ReportCreated' | 'ReportRevised' = 'ReportCreated'): LabEvent => ({
    stream: `status.reports-${TENANT}`,
    type,
    data: {
      id,
      report: {
        name: 'Critical',
        description: '',
        weight: '',
        disabled: false,
        computations: { ar: true, status: true, trends: [] },
        topology_schema: '{"group":{"type":"PROJECT","group":{"type":"SITES"}}}',
        profiles: ['metric', 'operations', 'aggregation', 'thresholds', 'weights'].map((one) => ({ id: one, name: one, type: one })),
        filter_tags: [],
        ...members,
      },
    } as never,
  }),
  reportDeleted: (id = 'report-id'): LabEvent => ({ stream: `status.reports-${TENANT}`, type: 'ReportDeleted', data: { id } }),
  groups: (date: Day, ...items: readonly GroupItem[]): LabEvent =>
    list(
      'topology_groups',
      'TopologyGroups',
      date,
      items.map(([group, subgroup, tags = null]) => ({ group, type: 'PROJECT', subgroup, tags })),
    ),
  endpoints: (date: Day, ...items: readonly EndpointItem[]): LabEvent =>
    list(
      'topology_endpoints',
      'TopologyEndpoints',
      date,
      items.map(([group, service, hostname, tags = null]) => ({ group, type: 'SITES', service, hostname, tags })),
    ),
  groupsDeleted: (date: Day): LabEvent => unlisted('topology_groups', 'TopologyGroups', date),
  endpointsDeleted: (date: Day): LabEvent => unlisted('topology_endpoints', 'TopologyEndpoints', date),
  downtimes: (date: Day, ...items: readonly (readonly [service: string, hostname: string, start: string, end: string])[]): LabEvent =>
    list(
      'downtimes',
      'Downtimes',
      date,
      items.map(([service, hostname, start_time, end_time]) => ({ hostname, service, start_time, end_time })),
    ),
  downtimesDeleted: (date: Day): LabEvent => unlisted('downtimes', 'Downtimes', date),
  /** Metrics by service. */
  metrics: (date: Day, services: Readonly<Record<string, readonly string[]>>, id = 'metric'): LabEvent =>
    dated('metric_profiles', 'MetricProfile', id, date, {
      description: '',
      services: Object.entries(services).map(([service, metrics]) => ({ service, metrics })),
    }),
  metricsDeleted: (id = 'metric'): LabEvent => gone('metric_profiles', 'MetricProfile', id),
  operations: (date: Day, profile: object = PROFILE_V): LabEvent =>
    dated('operations_profiles', 'OperationsProfile', 'operations', date, profile),
  /** Services by group; endpoints of a service are combined with OR, everything else with AND. */
  aggregation: (date: Day, groups: Readonly<Record<string, readonly string[]>>): LabEvent =>
    dated('aggregation_profiles', 'AggregationProfile', 'aggregation', date, {
      namespace: '',
      endpoint_group: 'ELSEWHERE',
      metric_operation: 'AND',
      profile_operation: 'AND',
      metric_profile: { name: 'unused', id: 'unused' },
      groups: Object.entries(groups).map(([name, services]) => ({
        name,
        operation: 'AND',
        services: services.map((service) => ({ name: service, operation: 'OR' })),
      })),
    }),
  thresholds: (date: Day, ...rules: readonly object[]): LabEvent =>
    dated('thresholds_profiles', 'ThresholdsProfile', 'thresholds', date, { rules }),
  weights: (date: Day, values: Readonly<Record<string, number>>): LabEvent =>
    dated('weights', 'Weights', 'weights', date, {
      weight_type: '',
      group_type: '',
      groups: Object.entries(values).map(([name, value]) => ({ name, value })),
    }),
  recomputation: (id: string, request: object): LabEvent => ({
    stream: `status.recomputation-${id}`,
    type: 'RecomputationRequested',
    data: {
      tenantId: TENANT,
      id,
      requester_name: 'n',
      requester_email: 'e',
      reason: 'r',
      report: 'Critical',
      exclude: [],
      exclude_metrics: [],
      exclude_monitoring_source: [],
      applied_status_changes: [],
      ...request,
    } as never,
  }),
  recomputationMoved: (id: string, status: string): LabEvent => ({
    stream: `status.recomputation-${id}`,
    type: 'RecomputationStatusChanged',
    data: { tenantId: TENANT, id, status, change: status === 'pending' ? 'reset' : 'set' },
  }),
  recomputationDeleted: (id: string): LabEvent => ({
    stream: `status.recomputation-${id}`,
    type: 'RecomputationDeleted',
    data: { tenantId: TENANT, id },
  }),
  /** A point of the metric `m` of the service `CE` on the host `h1`, unless said otherwise. */
  point: (timestamp: string, status: string, members: Partial<MetricResult> = {}): LabEvent => {
    const { host = 'h1', ...rest } = members;
    const result = { host, timestamp, endpoint_group: '', service: 'CE', metric: 'm', status, summary: '', message: '', ...rest };
    return {
      stream: `status.metric_data-${TENANT}`,
      type: 'MetricResultsRecorded',
      data: { tenantId: TENANT, results: [result] },
    };
  },
  tenantDeleted: (): LabEvent => ({ stream: 'status.tenants-global', type: 'TenantDeleted', data: { tenantId: TENANT, userIds: [] } }),
};

/** Read models on disk to which events are applied at once, and results over them. */
export type ResultsLab = Readonly<{
  store: ReadStore;
  results: Results;
  /** Applies the events to every read model of the status service. */
  append(...events: readonly LabEvent[]): Promise<void>;
  /** The report of that name as it is at an instant; default: now as `at` was set last. */
  reader(name?: string): Promise<ReportReader>;
  /** The same report with nothing kept in memory. */
  forgetful(name?: string): Promise<ReportReader>;
  /** What the clock shows from here on. */
  at(instant: string): void;
  /** Days of the report `Critical`, with details. */
  days(from: Day, to: Day): Promise<readonly ResultsDay<GroupDay>[]>;
  close(): Promise<void>;
}>;

export const openResultsLab = async (instant: string): Promise<ResultsLab> => {
  const directory = mkdtempSync(join(tmpdir(), 'logbook-results-'));
  const store = await openDocumentStore({ path: directory });
  const models: Readonly<{ projection: Projection; namespace: Namespace }>[] = [];
  for (const projection of statusProjections) {
    const namespace = await store.prepare(projection.name, projection.version);
    await store.serve(namespace);
    models.push({ projection, namespace });
  }
  const state = { position: 0n, now: Date.parse(instant) };
  const results = resultsOver(store, () => state.now);
  const forgetful = resultsOver(Object.create(store, { volatile: { value: true } }), () => state.now);

  const append = async (...events: readonly LabEvent[]): Promise<void> => {
    const from = state.position;
    const recorded = events.map((event, index) => recordedAs(event, from + BigInt(index + 1)));
    state.position = from + BigInt(events.length);
    for (const { projection, namespace } of models) {
      const set = new WorkingSet(projection);
      const handled = recorded.filter(({ stream, type }) => projection.handles.has(type) && isOf(projection, stream));
      const failure = await fold(projection, async (events) => events, store.documents(namespace), set, handled);
      if (failure) throw failure;
      await store.commit(namespace, set.changes(), from, state.position);
    }
  };
  const reader = async (name = 'Critical', from: Results = results): Promise<ReportReader> => {
    const found = await from.report(TENANT, name);
    if (!found) throw new Error(`no report ${name}`);
    return found;
  };
  return {
    store,
    results,
    append,
    reader: (name) => reader(name),
    forgetful: (name) => reader(name, forgetful),
    at: (time) => {
      state.now = Date.parse(time);
    },
    days: async (from, to) => collected((await reader()).details({ from, to })),
    close: async () => {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

export const collected = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
};

const isOf = ({ categories }: Projection, stream: string): boolean => categories.includes(stream.slice(0, stream.indexOf('-')));

const recordedAs = ({ time = '2024-01-01T00:00:00.000Z', ...event }: LabEvent, position: bigint): ProjectedEvent => ({
  ...event,
  data: JSON.parse(JSON.stringify(event.data)),
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
  revision: position,
  position,
  recordedAt: 0,
  metadata: {
    time,
    actor: { kind: 'key', id: 'spec' },
    service: 'status',
    requestId: 'r',
    correlationId: 'r',
    causationId: 'r',
    schemaVersion: 1,
  },
});
