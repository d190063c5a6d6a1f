import { capacitiesStream } from '#domain/accounting/capacities/capacity-events.js';
import { capacities } from '#domain/accounting/capacities/capacity-rules.js';
import { DEFINITIONS_STREAM } from '#domain/accounting/definitions/definition-events.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import { type MetricEvent, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { newPeriod } from '#domain/accounting/metrics/metric-period.js';
import { DocumentRefused, type ExportedDocument, type Migration, madeAt } from '../migration.js';
import { dateIn, decimalIn, type Fields, nameIn, textIn, textOrNull } from '../read/fields.js';
import type { WriteResult } from '../write/log-writer.js';
import { recordId, referenceIn } from './ids.js';
import type { KnownInstallation, KnownInstallations } from './known-installations.js';

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
export const metricOf = (fields: Fields, installations: KnownInstallations): MetricRecorded => {
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

const takeMetric =
  ({ writer }: Migration, installations: KnownInstallations, known: ReadonlySet<string>, now: string) =>
  ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const data = metricOf(fields, installations);
    if (!known.has(data.definitionId)) throw new DocumentRefused('its metric definition is not there');
    newPeriod({ start: data.periodStart, end: data.periodEnd }, now);
    const time = madeAt(fields, 'registered_on');
    return writer.record(origin, metricStream(data.metricId), [{ event: { type: 'MetricRecorded', data }, time }]);
  };

const takeCapacity =
  ({ writer }: Migration, installations: KnownInstallations, known: ReadonlySet<string>) =>
  async ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const installation = installations.find(nameIn(fields, 'installation_id'));
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
    return writer.decide({ origin, stream, decider: capacities, steps: [{ command, time: registeredOn }] });
  };

/** Takes over capacities, then metrics: the only collections that may be large. */
export const takeMetrics = async (migration: Migration, installations: KnownInstallations): Promise<void> => {
  const state = await migration.writer.state(DEFINITIONS_STREAM, definitions);
  const known = new Set(state.definitions.keys());
  await migration.each(migration.file('Capacity'), takeCapacity(migration, installations, known));
  const parallel = migration.configuration.eventStoreUrl ? PARALLEL.remote : PARALLEL.embedded;
  const take = takeMetric(migration, installations, known, new Date().toISOString());
  await migration.each(migration.file('Metric'), async (document) => take(document), { parallel });
};
