import { randomUUID } from 'node:crypto';
import type { Runtime } from '#api/runtime/runtime.js';
import { CATALOGUE_STREAM, type CatalogueEvent, type ProjectEvent, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { DEFINITIONS_STREAM, type DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import { type MetricEvent, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { objectId } from '#domain/accounting/object-id.js';
import type { DomainEvent, NewEvent } from '#domain/shared/events.js';
import { ACCOUNTING_TOKEN } from '#test/bench/installation.js';

/** An installation of a project, with the definition that its metrics are of. */
export type BenchInstallation = Readonly<{ projectId: string; installationId: string; definitionId: string }>;

/** Headers of the calls of a system administrator. */
export const accountingHeaders = { authorization: `Bearer ${ACCOUNTING_TOKEN}`, accept: 'application/json' };

const PROVIDER = 'bench-provider';
const YEAR = Date.UTC(2021, 0, 1);
const [HOUR, HOURS] = [3_600_000, 365 * 24];
/** Appends under way at a time: they share commits. */
const AT_A_TIME = 1_000;

const bytes = (number: number): string => number.toString(16).padStart(16, '0');
const instant = (hours: number): string => new Date(YEAR + hours * HOUR).toISOString();

const newEvent = ({ type, data }: DomainEvent): NewEvent => {
  const id = randomUUID();
  return {
    id,
    type,
    data: JSON.parse(JSON.stringify(data)),
    metadata: {
      actor: { kind: 'user', id: 'bench' },
      service: 'accounting',
      requestId: id,
      correlationId: id,
      causationId: id,
      time: new Date().toISOString(),
      schemaVersion: 1,
    },
  };
};

/** A project of one provider with so many installations. To be called once for a log. */
export const addInstallations = async ({ eventStore }: Runtime, count: number): Promise<readonly BenchInstallation[]> => {
  const [projectId, definitionId, creatorId] = ['bench-project', objectId(YEAR, bytes(0)), 'bench'];
  const texts = { acronym: 'BENCH', title: 'bench', start_date: '2021-01-01', end_date: '2031-01-01', call_identifier: 'bench' };
  const provider = { name: PROVIDER, website: null, abbreviation: null, logo: null };
  const catalogue: readonly CatalogueEvent[] = [
    { type: 'ProjectRegistered', data: { projectId, generation: 1, creatorId, ...texts } },
    { type: 'ProviderRegistered', data: { providerId: PROVIDER, externalId: PROVIDER, creatorId, ...provider } },
  ];
  const definition = { metric_name: 'hours', metric_description: null, unit_type: 'count', metric_type: 'aggregated' };
  const definitions: readonly DefinitionEvent[] = [{ type: 'MetricDefinitionCreated', data: { definitionId, creatorId, ...definition } }];
  const places = Array.from({ length: count }, (_, number) => ({ projectId, installationId: objectId(YEAR, bytes(number)), definitionId }));
  const content = { organisation: PROVIDER, infrastructure: 'bench', resource: null, unitOfAccess: null };
  const project: readonly ProjectEvent[] = [
    { type: 'ProviderAssociated', data: { projectId, generation: 1, providerId: PROVIDER } },
    ...places.map(
      ({ installationId }): ProjectEvent => ({
        type: 'InstallationCreated',
        data: { projectId, generation: 1, installationId, externalId: installationId, creatorId, installation: installationId, ...content },
      }),
    ),
  ];
  for (const [stream, events] of [
    [CATALOGUE_STREAM, catalogue],
    [DEFINITIONS_STREAM, definitions],
    [projectStream(projectId), project],
  ] as const)
    await eventStore.append(stream, events.map(newEvent), 'no-stream');
  return places;
};

/** So many metrics of the year 2021, each from one to 30 hours long. */
export const addMetrics = async (
  { eventStore }: Runtime,
  { projectId, installationId, definitionId }: BenchInstallation,
  count: number,
): Promise<void> => {
  const metric = (number: number): MetricEvent => {
    const start = Math.floor((number * HOURS) / count);
    return {
      type: 'MetricRecorded',
      data: {
        metricId: objectId(YEAR, `${installationId.slice(-4)}${bytes(number).slice(4)}`),
        projectId,
        providerId: PROVIDER,
        installationId,
        definitionId,
        periodStart: instant(start),
        periodEnd: instant(start + 1 + (number % 30)),
        value: `${number % 100}.25`,
        groupId: null,
        userId: null,
        projectAcronym: 'BENCH',
        installation: installationId,
        infrastructure: 'bench',
        resource: null,
        creatorId: 'bench',
      },
    };
  };
  for (let first = 0; first < count; first += AT_A_TIME) {
    const metrics = Array.from({ length: Math.min(AT_A_TIME, count - first) }, (_, number) => metric(first + number));
    await Promise.all(metrics.map((event) => eventStore.append(metricStream(event.data.metricId), [newEvent(event)], 'no-stream')));
  }
};
