import { dayAt, exportFile, type ObjectIds } from './export-file.js';
import type { Random } from './random.js';
import type { Size } from './size.js';

export type MadeTenant = Readonly<{
  id: string;
  info: Readonly<{ name: string }>;
  users: readonly Readonly<{ id: string; api_key: string; roles: readonly string[] }>[];
}>;

type Making = Readonly<{ size: Size; random: Random; ids: ObjectIds }>;

const DAYS_OF_A_PROFILE = 30;
const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'];
const SERVICES = ['web', 'storage', 'compute'];
/** On one day of so many the topology changes. */
const CHANGES_EVERY = 10;

const pairs = () => STATES.flatMap((a, index) => STATES.slice(index).map((b) => ({ a, b, x: b })));

/** Snapshots of one record, one for every so many days. */
function* snapshots({ size, ids }: Making, every: number, record: (version: number) => object, id: string): Generator<object> {
  for (let day = 0; day < size.days; day += every) yield { _id: ids.make(), id, ...dayAt(day), ...record(day / every) };
}

const metricsOf = (version: number) => Array.from({ length: 3 + (version % 3) }, (_, index) => `metric.${index}`);

const makeProfiles = async (
  directory: string,
  making: Making,
): Promise<Readonly<{ ids: ProfileIds; made: Readonly<Record<string, number>> }>> => {
  const { random } = making;
  const ids = {
    metric: random.uuid(),
    operations: random.uuid(),
    aggregation: random.uuid(),
    thresholds: random.uuid(),
    weights: random.uuid(),
    nodeReport: random.uuid(),
  };
  const write = (collection: string, id: string, record: (version: number) => object, every = DAYS_OF_A_PROFILE) =>
    exportFile(directory, collection, snapshots(making, every, record, id));
  const defaults = { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' };
  const operations = ['AND', 'OR'].map((name) => ({ name, truth_table: pairs() }));
  const groups = [{ name: 'all', operation: 'OR', services: SERVICES.map((name) => ({ name, operation: 'OR' })) }];
  const made = {
    metric_profiles: await write('metric_profiles', ids.metric, (version) => ({
      name: 'critical',
      description: `version ${version}`,
      services: SERVICES.map((service) => ({ service, metrics: metricsOf(version) })),
    })),
    operations_profiles: await write('operations_profiles', ids.operations, () => ({
      name: 'operations',
      available_states: STATES,
      defaults,
      operations,
    })),
    aggregation_profiles: await write('aggregation_profiles', ids.aggregation, (version) => ({
      name: 'aggregation',
      namespace: `version ${version}`,
      endpoint_group: 'sites',
      metric_operation: 'AND',
      profile_operation: 'AND',
      metric_profile: { name: 'critical', id: ids.metric },
      groups,
    })),
    thresholds_profiles: await write('thresholds_profiles', ids.thresholds, (version) => ({
      name: 'thresholds',
      rules: [{ endpoint_group: '', host: '', metric: 'metric.0', thresholds: `time=1s;0:${5 + version};5:${10 + version}` }],
    })),
    weights: await write(
      'weights',
      ids.weights,
      (version) => ({
        name: 'weights',
        weight_type: 'cores',
        group_type: 'SITES',
        groups: Array.from({ length: 8 }, (_, index) => ({ name: `SITE-${index}`, value: 10 + ((version + index) % 90) })),
      }),
      1,
    ),
  };
  return { ids, made };
};

type ProfileIds = Readonly<{
  metric: string;
  operations: string;
  aggregation: string;
  thresholds: string;
  weights: string;
  nodeReport: string;
}>;

/** Which version of the topology each day has: most days it is that of the day before. */
const topologyVersions = ({ size, random }: Making): readonly number[] => {
  let version = 0;
  return Array.from({ length: size.days }, (_, day) => {
    if (day > 0 && random.below(CHANGES_EVERY) === 0) version += 1;
    return version;
  });
};

function* endpoints({ size, ids }: Making, versions: readonly number[]): Generator<object> {
  for (const [day, version] of versions.entries()) {
    for (let index = 0; index < size.endpoints; index++)
      yield {
        _id: ids.make(),
        ...dayAt(day),
        group: `SITE-${index % 8}`,
        type: 'SITES',
        service: SERVICES[index % SERVICES.length],
        hostname: `host-${index}.example.org`,
        notifications: { contacts: [`contact-${index}@example.org`], enabled: true },
        tags: { info_ID: String(index), 'info.version': String(version) },
      };
  }
}

function* groups({ ids }: Making, versions: readonly number[]): Generator<object> {
  for (const [day] of versions.entries()) {
    for (let index = 0; index < 8; index++)
      yield {
        _id: ids.make(),
        ...dayAt(day),
        group: `PROJECT-${index % 2}`,
        type: 'PROJECT',
        subgroup: `SITE-${index}`,
        notifications: null,
        tags: { scope: 'x' },
      };
  }
}

function* serviceTypes({ ids }: Making, versions: readonly number[]): Generator<object> {
  for (const [day] of versions.entries()) {
    for (const name of SERVICES) yield { _id: ids.make(), ...dayAt(day), name, title: name, description: '', tags: ['topology'] };
  }
}

function* downtimes({ ids, size, random }: Making): Generator<object> {
  for (let day = 0; day < size.days; day++) {
    const { date, date_integer } = dayAt(day);
    const endpoints = Array.from({ length: 1 + random.below(3) }, () => ({
      hostname: `host-${random.below(size.endpoints)}.example.org`,
      service: random.pick(SERVICES),
      start_time: `${date}T08:00:00Z`,
      end_time: `${date}T09:00:00Z`,
      description: '',
      classification: 'unscheduled',
      severity: '',
    }));
    yield { _id: ids.make(), date_integer, date, endpoints };
  }
}

function* reports({ ids, random }: Making, tenant: MadeTenant, profiles: ProfileIds): Generator<object> {
  for (const [index, name] of ['Critical', 'Operators'].entries())
    yield {
      _id: ids.make(),
      id: index === 0 ? profiles.nodeReport : random.uuid(),
      tenant: tenant.info.name,
      disabled: false,
      info: { name, description: '', created: `${dayAt(index).date} 10:00:00`, updated: `${dayAt(index + 2).date} 10:00:00` },
      computations: { ar: true, status: true, trends: ['flapping', 'status', 'tags'] },
      thresholds: {
        availability: 80.0999984741211,
        reliability: 85,
        uptime: 0.800000011920929,
        unknown: 0.10000000149011612,
        downtime: 0.10000000149011612,
      },
      topology_schema: { group: { type: 'PROJECT', group: { type: 'SITES' } } },
      profiles: (['metric', 'operations', 'aggregation'] as const).map((type) => ({ id: profiles[type], name: 'as it was', type })),
      filter_tags: [{ xmlname: { space: '', local: '' }, name: 'scope', value: 'x', context: '' }],
      ...(index === 0 ? { public: true, node_report: true } : {}),
    };
}

function* recomputations({ ids, random, size }: Making): Generator<object> {
  for (let index = 0; index < Math.ceil(size.days / 30); index++) {
    const { date } = dayAt(index * 30);
    yield {
      _id: ids.make(),
      id: random.uuid(),
      requester_name: 'A Person',
      requester_email: 'a.person@example.org',
      reason: 'a site was down',
      start_time: `${date}T00:00:00Z`,
      end_time: `${date}T23:59:59Z`,
      report: 'Critical',
      exclude: ['SITE-0'],
      status: 'done',
      timestamp: `${date}T12:00:00Z`,
      history: [
        { status: 'pending', timestamp: `${date}T08:00:00Z` },
        { status: 'approved', timestamp: `${date}T09:00:00Z` },
        { status: 'done', timestamp: `${date}T12:00:00Z` },
      ],
      exclude_metrics: null,
      exclude_monitoring_source: null,
      applied_status_changes: null,
    };
  }
}

/** The database of a tenant. @returns documents by collection */
export const makeTenantData = async (directory: string, tenant: MadeTenant, making: Making): Promise<Readonly<Record<string, number>>> => {
  const versions = topologyVersions(making);
  const { ids, made } = await makeProfiles(directory, making);
  const feed = {
    _id: making.ids.make(),
    type: 'gocdb',
    feed_url: 'https://feed.example.org',
    paginated: 'true',
    fetch_type: ['item1'],
    uid_endpoints: 'e1',
  };
  return {
    ...made,
    topology_service_types: await exportFile(directory, 'topology_service_types', serviceTypes(making, versions)),
    topology_groups: await exportFile(directory, 'topology_groups', groups(making, versions)),
    topology_endpoints: await exportFile(directory, 'topology_endpoints', endpoints(making, versions)),
    downtimes: await exportFile(directory, 'downtimes', downtimes(making)),
    reports: await exportFile(directory, 'reports', reports(making, tenant, ids)),
    node_report: await exportFile(directory, 'node_report', [{ _id: 'node-report', report_id: ids.nodeReport }]),
    recomputations: await exportFile(directory, 'recomputations', recomputations(making)),
    feeds_topology: await exportFile(directory, 'feeds_topology', [feed]),
  };
};
