import { capacitiesStream } from '#domain/accounting/capacities/capacity-events.js';
import { capacities } from '#domain/accounting/capacities/capacity-rules.js';
import { decimal, decimalText } from '#domain/accounting/decimal.js';
import { DEFINITIONS_STREAM } from '#domain/accounting/definitions/definition-events.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import { type MetricEvent, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { newPeriod } from '#domain/accounting/metrics/metric-period.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { DocumentRefused, madeAt } from '../migration.js';
import { dateIn, decimalIn, type Fields, nameIn, textIn, textOrNull } from '../read/fields.js';
import { recordId, referenceIn } from './ids.js';
import type { KnownInstallation, KnownInstallations } from './known-installations.js';
import type { AccountingMigration, AccountingRow } from './row.js';

/** Metrics being written at the same time, to disk or to another machine. */
const PARALLEL = { embedded: 1_000, remote: 200 } as const;

type MetricRecorded = Extract<MetricEvent, { type: 'MetricRecorded' }>['data'];

const required = (fields: Fields, name: string): string => {
  const date = dateIn(fields, name);
  if (date === undefined) throw new DocumentRefused(`${name} is missing`);
  return date;
};

/** Installation of a metric: found by its id, in very old metrics only by the path. */
const installationOf = (fields: Fields, installations: KnownInstallations): KnownInstallation => {
  const id = textIn(fields, 'installation_id');
  const found = id === '' ? installations.at(nameIn(fields, 'resource_id')) : installations.find(id);
  if (!found) throw new DocumentRefused('its installation is not there');
  return found;
};

/** Reads the content of a metric. @throws Refused, WrongField */
const metricOf = (fields: Fields, installations: KnownInstallations): MetricRecorded => {
  const installation = installationOf(fields, installations);
  return {
    metricId: recordId(fields),
    projectId: installation.projectId,
    providerId: installation.providerId,
    installationId: installation.id,
    definitionId: referenceIn(fields, 'metric_definition_id'),
    periodStart: required(fields, 'time_period_start'),
    periodEnd: required(fields, 'time_period_end'),
    value: decimalIn(fields, 'value'),
    groupId: textOrNull(fields, 'group_id'),
    userId: textOrNull(fields, 'user_id'),
    projectAcronym: textOrNull(fields, 'project') ?? installations.acronymOf(installation),
    installation: textOrNull(fields, 'installation') ?? installation.name,
    infrastructure: textOrNull(fields, 'infrastructure') ?? installation.infrastructure,
    resource: textOrNull(fields, 'resource'),
    creatorId: textIn(fields, 'creatorId'),
  };
};

/** Ids of the metric definitions taken over. */
const knownDefinitions = async ({ writer }: AccountingMigration): Promise<ReadonlySet<string>> =>
  new Set((await writer.state(DEFINITIONS_STREAM, definitions)).definitions.keys());

const takeMetrics: AccountingRow['take'] = async (migration) => {
  const { writer, configuration, found } = migration;
  const [known, now] = [await knownDefinitions(migration), new Date().toISOString()];
  return {
    parallel: configuration.eventStoreUrl ? PARALLEL.remote : PARALLEL.embedded,
    each: async ({ fields, origin }) => {
      const data = metricOf(fields, found.installations);
      if (!known.has(data.definitionId)) throw new DocumentRefused('its metric definition is not there');
      newPeriod({ start: data.periodStart, end: data.periodEnd }, now);
      const time = madeAt(fields, 'registered_on');
      return writer.record(origin, metricStream(data.metricId), [{ event: { type: 'MetricRecorded', data }, time }]);
    },
  };
};

const takeCapacities: AccountingRow['take'] = async (migration) => {
  const { writer, found } = migration;
  const known = await knownDefinitions(migration);
  return async ({ fields, origin }) => {
    const installation = found.installations.find(nameIn(fields, 'installation_id'));
    if (!installation) throw new DocumentRefused('its installation is not there');
    const registeredOn = required(fields, 'registered_on');
    const definitionId = referenceIn(fields, 'metric_definition_id');
    if (!known.has(definitionId)) throw new DocumentRefused('its metric definition is not there');
    const command = {
      type: 'RegisterCapacity',
      projectId: installation.projectId,
      installationId: installation.id,
      capacityId: recordId(fields),
      definitionId,
      value: decimalIn(fields, 'value'),
      registeredOn,
    } as const;
    const stream = capacitiesStream(installation.id);
    return writer.decide({ origin, stream, decider: capacities, steps: [{ command, time: madeAt(fields) }] });
  };
};

/** The only collections that may be large. */
export const metricRows: readonly AccountingRow[] = [
  {
    collection: 'Capacity',
    take: takeCapacities,
    compared: {
      expected: ({ fields }) => ({
        installation_id: referenceIn(fields, 'installation_id'),
        metric_definition_id: referenceIn(fields, 'metric_definition_id'),
        value: decimalText(decimal(decimalIn(fields, 'value'))),
        registered_on: dateIn(fields, 'registered_on'),
      }),
      found: async ({ fields }, { migration, queries }) => {
        const installation = migration.found.installations.find(nameIn(fields, 'installation_id'));
        if (!installation) return undefined;
        const all = await queries.capacities.ofInstallation({ projectId: installation.projectId, installationId: installation.id });
        const one = all.find(({ id }) => id === recordId(fields));
        return one && { ...one, value: decimalText(decimal(one.value)) };
      },
    },
  },
  {
    collection: 'Metric',
    take: takeMetrics,
    compared: {
      expected: ({ fields }, { migration }) => metricOf(fields, migration.found.installations),
      found: ({ fields }, { migration, queries }) =>
        queries.metrics.find(metricOf(fields, migration.found.installations), recordId(fields)),
    },
    counted: async ({ migration, queries }) => {
      let found = 0;
      for (const projectId of migration.found.installations.projects)
        for (const count of Object.values(await queries.metrics.countsOfProject(projectId, new TimeSlice()))) found += count;
      return found;
    },
  },
];
