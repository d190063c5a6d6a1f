import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AccountingCaller } from '#api/accounting/caller.js';
import { CachedCatalogue } from '#api/accounting/catalogue/cached-catalogue.js';
import { PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import { CachedDefinitions } from '#api/accounting/definitions/cached-definitions.js';
import { currentDefinition } from '#api/accounting/definitions/definition-commands.js';
import { known } from '#api/accounting/existing.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { References } from '#api/accounting/references/references.js';
import { definitionTarget } from '#api/accounting/references/targets.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandWith, commandWith } from '#api/shared/commands/command-of.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { metricCalls } from '#domain/accounting/metrics/metric-calls.js';
import { type Metric, metricCallStream, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { type GivenPeriod, newPeriod } from '#domain/accounting/metrics/metric-period.js';
import { type MetricCommand, metricRecord } from '#domain/accounting/metrics/metric-rules.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { type InstallationRef, type MetricDocument, MetricQueries } from '#projections/accounting/metrics/queries.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type MetricReferences, RecordedMetrics } from './recorded-metrics.js';

/** `definitionId`: in the caller's spelling. `value`: a decimal number as text, `null` for zero. */
export type NewMetric = Readonly<{
  definitionId: string;
  period: GivenPeriod;
  value: string | null;
  groupId: string | null;
  userId: string | null;
}>;

/** Changes of a metric; `null` leaves a member unchanged. */
type MetricRevision = Omit<NewMetric, 'definitionId'> & Readonly<{ definitionId: string | null }>;

/** Records a measurement of an installation in a period. A repeated `Idempotency-Key` resolves with the first metric. */
export class RecordMetric extends CommandWith<
  Readonly<{ caller: AccountingCaller; installationId: string; metric: NewMetric }>,
  WrittenRecord<Metric>
> {}

/** Corrects a metric of an installation. */
export class ReviseMetric extends CommandWith<
  Readonly<{ installation: InstallationRef; metricId: string; revision: MetricRevision }>,
  WrittenRecord<Metric>
> {}

const toMetric = (context: CommandContext, metricId: string, command: MetricCommand) => ({
  stream: metricStream(storedObjectId(metricId) ?? metricId),
  decider: metricRecord,
  context,
  command,
});

/** @throws DomainError `METRIC_NOT_FOUND`, also if it belongs to another installation */
const existingMetric = (metrics: MetricQueries, installation: InstallationRef, metricId: string): Promise<MetricDocument> =>
  known(metrics.find(installation, metricId), 'METRIC_NOT_FOUND', { metricId });

/** Maximum attempts to record a metric while its references are closed and reopened, or to revise one that was forestalled. */
const MAX_ATTEMPTS = 5;

@CommandHandler(RecordMetric)
export class RecordMetricHandler implements ICommandHandler<RecordMetric> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly scopes: PermittedScopes,
    private readonly catalogue: CachedCatalogue,
    private readonly definitions: CachedDefinitions,
    private readonly recorded: RecordedMetrics,
    private readonly ids: ObjectIds,
  ) {}

  async execute({ context, data: { caller, installationId, metric } }: RecordMetric): Promise<WrittenRecord<Metric>> {
    let own = 0;
    for (let attempt = 1; own < MAX_ATTEMPTS; attempt++) {
      const installation = await this.scopes.measuredInstallation(caller, installationId);
      // Deleted meanwhile, and another installation has its external id now.
      if (installation.id !== installationId) throw new DomainError('INSTALLATION_NOT_FOUND', { installationId });
      const definition = await currentDefinition(this.definitions, metric.definitionId);
      newPeriod(metric.period, context.time); // throws before an Idempotency-Key counts as used
      const project = await known(this.catalogue.project(installation.project), 'PROJECT_NOT_FOUND', { projectId: installation.project });
      const references: MetricReferences = { installation, definition, spelledId: metric.definitionId };
      const newId = this.ids.next();
      const metricId = await this.idOf(context, attempt, newId);
      if (metricId === newId) own++; // not an attempt of an earlier call with the same Idempotency-Key
      const written = await this.record(context, metric, references, {
        metricId,
        projectAcronym: project.acronym,
        creatorId: caller.id,
      });
      if (await this.recorded.counts(written, references, context)) return written;
      this.catalogue.clear();
    }
    throw new ReadStoreUnavailable('what the metric refers to is being changed all the time');
  }

  private async record(
    context: CommandContext,
    { period, value, groupId, userId }: NewMetric,
    { installation, definition }: MetricReferences,
    { metricId, projectAcronym, creatorId }: Readonly<{ metricId: string; projectAcronym: string; creatorId: string }>,
  ): Promise<WrittenRecord<Metric>> {
    const { infrastructure, resource, installation: name } = installation;
    const command: MetricCommand = {
      type: 'RecordMetric',
      metric: {
        metricId,
        projectId: installation.project,
        providerId: installation.organisation,
        installationId: installation.id,
        definitionId: definition.document.metric_definition_id,
        value: value ?? '0',
        groupId,
        userId,
      },
      period,
      copies: { projectAcronym, installation: name, infrastructure, resource, creatorId },
      now: context.time,
    };
    const { events, readable } = await this.gateway.execute(toMetric(context, metricId, command));
    return { record: eventOf(events, 'MetricRecorded').data, readable };
  }

  /** For a repeated `Idempotency-Key`, the first id. After a void metric (see {@link RecordedMetrics}) a new one is tried. */
  private async idOf(context: CommandContext, attempt: number, metricId: string): Promise<string> {
    if (!context.idempotency) return metricId;
    const { key } = context.idempotency;
    const stream = metricCallStream(attempt === 1 ? key : `${key}-${attempt}`);
    const { events } = await this.gateway.execute(
      { stream, decider: metricCalls, context, command: { type: 'SubmitMetric', metricId } },
      false, // calls are in no read model
    );
    return events[0]?.data.metricId ?? metricId;
  }
}

@CommandHandler(ReviseMetric)
export class ReviseMetricHandler implements ICommandHandler<ReviseMetric> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly references: References,
    private readonly definitions: CachedDefinitions,
    private readonly metrics: MetricQueries,
  ) {}

  async execute(command: ReviseMetric): Promise<WrittenRecord<Metric>> {
    const { installation, metricId } = command.data;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await existingMetric(this.metrics, installation, metricId);
      try {
        return await this.reviseHolding(command, before);
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'REFERENCE_FENCED')) throw error;
      }
      await this.catchUp(command);
    }
    throw new ReadStoreUnavailable('changes of the definition of the metric are forestalled all the time');
  }

  /**
   * A new definition is held while the metric is changed to refer to it. The fence of the metric was read before: callers that give up
   * waiting for the hold raise the fence first.
   * @throws DomainError `REFERENCE_FENCED` if they did, or if the read models are behind the metric
   */
  private async reviseHolding(command: ReviseMetric, { definitionId: before, fence = 0 }: MetricDocument): Promise<WrittenRecord<Metric>> {
    const { context, data } = command;
    const { metricId, revision } = data;
    if (!revision.definitionId) return this.revise(command, null);
    const { metric_definition_id: definitionId } = (await currentDefinition(this.definitions, revision.definitionId)).document;
    if (definitionId === before) return this.revise(command, definitionId);
    const holder = { metricId: storedObjectId(metricId) ?? metricId };
    return this.references.holding([definitionTarget(definitionId)], holder, context, () => this.revise(command, definitionId, fence));
  }

  /** Waits until reads show the current metric. @throws DomainError `METRIC_NOT_FOUND` */
  private async catchUp({ context, data: { installation, metricId } }: ReviseMetric): Promise<void> {
    const { installationId } = installation;
    const command = { type: 'RequireMetric', metricId, installationId } as const;
    const { readable } = await this.gateway.execute(toMetric(withoutKey(context), metricId, command));
    if (!readable) throw new ReadStoreUnavailable('read models are behind, so the fence of the metric is not known');
  }

  private async revise(
    { context, data: { installation, metricId, revision } }: ReviseMetric,
    definitionId: string | null,
    fence?: number,
  ): Promise<WrittenRecord<Metric>> {
    const { installationId } = installation;
    const { period, value, groupId, userId } = revision;
    const changes = { definitionId, value, groupId, userId };
    const fenced = fence === undefined ? {} : { fence };
    const command = { type: 'ReviseMetric', metricId, installationId, changes, period, now: context.time, ...fenced } as const;
    const { events, readable } = await this.gateway.execute(toMetric(context, metricId, command));
    const [revised] = events;
    return { record: revised?.data ?? (await existingMetric(this.metrics, installation, metricId)), readable };
  }
}

export class RemoveMetric extends commandWith(
  [MetricQueries],
  async ({ installation, metricId }: Readonly<{ installation: InstallationRef; metricId: string }>, { context, gateway }, metrics) => {
    await existingMetric(metrics, installation, metricId);
    const { installationId } = installation;
    return gateway.execute(toMetric(context, metricId, { type: 'RemoveMetric', metricId, installationId }));
  },
) {}
