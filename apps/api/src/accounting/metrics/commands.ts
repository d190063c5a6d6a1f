import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { CachedCatalogue } from '#api/accounting/catalogue/cached-catalogue.js';
import { CachedDefinitions } from '#api/accounting/definitions/cached-definitions.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import type { Written } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { metricCalls } from '#domain/accounting/metrics/metric-calls.js';
import { type Metric, type MetricEvent, metricCallStream, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { type GivenPeriod, newPeriod } from '#domain/accounting/metrics/metric-period.js';
import { metricRecord } from '#domain/accounting/metrics/metric-rules.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { type InstallationRef, type MetricDocument, MetricQueries } from '#projections/accounting/metrics/queries.js';
import { PermittedScopes } from './permitted-scopes.js';

/** `definitionId`: as the caller spells it. `value`: a decimal number as text, `null` for zero. */
export type NewMetric = Readonly<{
  definitionId: string;
  period: GivenPeriod;
  value: string | null;
  groupId: string | null;
  userId: string | null;
}>;

/** What a revision changes; `null` leaves a member as it is. */
export type MetricRevision = Omit<NewMetric, 'definitionId'> & Readonly<{ definitionId: string | null }>;

/** Records what an installation measured in a period. A repeated `Idempotency-Key` resolves with the metric of the first time. */
export class RecordMetric extends Command<Written<Metric>> {
  constructor(
    readonly context: CommandContext,
    readonly caller: AccountingCaller,
    readonly installationId: string,
    readonly metric: NewMetric,
  ) {
    super();
  }
}

/** Corrects a metric of an installation. */
export class ReviseMetric extends Command<Written<Metric>> {
  constructor(
    readonly context: CommandContext,
    readonly installation: InstallationRef,
    readonly metricId: string,
    readonly revision: MetricRevision,
  ) {
    super();
  }
}

/** Removes a metric of an installation. */
export class RemoveMetric extends Command<Outcome<MetricEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly installation: InstallationRef,
    readonly metricId: string,
  ) {
    super();
  }
}

const decider = metricRecord;
const streamOf = (metricId: string): string => metricStream(storedObjectId(metricId) ?? metricId);

/** The id of the definition as it is stored. @throws DomainError `DEFINITION_NOT_FOUND` */
const storedDefinitionId = async (definitions: CachedDefinitions, definitionId: string): Promise<string> => {
  const found = await definitions.definition(definitionId);
  if (!found) throw new DomainError('DEFINITION_NOT_FOUND', { definitionId });
  return found.document.metric_definition_id;
};

/** @throws DomainError `METRIC_NOT_FOUND`, also when it belongs to another installation */
const existingMetric = async (metrics: MetricQueries, installation: InstallationRef, metricId: string): Promise<MetricDocument> => {
  const metric = await metrics.find(installation, metricId);
  if (!metric) throw new DomainError('METRIC_NOT_FOUND', { metricId });
  return metric;
};

@CommandHandler(RecordMetric)
export class RecordMetricHandler implements ICommandHandler<RecordMetric> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly gate: ReferenceGate,
    private readonly scopes: PermittedScopes,
    private readonly catalogue: CachedCatalogue,
    private readonly definitions: CachedDefinitions,
    private readonly ids: ObjectIds,
  ) {}

  execute(command: RecordMetric): Promise<Written<Metric>> {
    const { installationId, metric } = command;
    const targets = [target('installation', installationId), target('definition', metric.definitionId)];
    return this.gate.referring(targets, () => this.record(command));
  }

  private async record({ context, caller, installationId, metric }: RecordMetric): Promise<Written<Metric>> {
    const installation = await this.scopes.measuredInstallation(caller, installationId);
    // Deleted in the meantime, and now the external id of another installation.
    if (installation.id !== installationId) throw new DomainError('INSTALLATION_NOT_FOUND', { installationId });
    const definitionId = await storedDefinitionId(this.definitions, metric.definitionId);
    const { period, value, groupId, userId } = metric;
    newPeriod(period, context.time); // before an Idempotency-Key counts as used
    const project = await this.catalogue.project(installation.project);
    if (!project) throw new DomainError('PROJECT_NOT_FOUND', { projectId: installation.project });
    const metricId = await this.newId(context);
    const { infrastructure, resource, installation: name } = installation;
    const { events, readable } = await this.gateway.execute({
      stream: streamOf(metricId),
      decider,
      context,
      command: {
        type: 'RecordMetric',
        metric: {
          metricId,
          projectId: installation.project,
          providerId: installation.organisation,
          installationId,
          definitionId,
          value: value ?? '0',
          groupId,
          userId,
        },
        period,
        copies: { projectAcronym: project.acronym, installation: name, infrastructure, resource, creatorId: caller.id },
        now: context.time,
      },
    });
    const [recorded] = events;
    if (!recorded) throw new Error('a metric was recorded without an event');
    return { record: recorded.data, readable };
  }

  /** For a repeated `Idempotency-Key` the id of the first time. */
  private async newId(context: CommandContext): Promise<string> {
    const metricId = this.ids.next();
    if (!context.idempotency) return metricId;
    const stream = metricCallStream(context.idempotency.key);
    const { events } = await this.gateway.execute(
      { stream, decider: metricCalls, context, command: { type: 'SubmitMetric', metricId } },
      false, // no read model shows calls
    );
    return events[0]?.data.metricId ?? metricId;
  }
}

@CommandHandler(ReviseMetric)
export class ReviseMetricHandler implements ICommandHandler<ReviseMetric> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly gate: ReferenceGate,
    private readonly definitions: CachedDefinitions,
    private readonly metrics: MetricQueries,
  ) {}

  execute(command: ReviseMetric): Promise<Written<Metric>> {
    return this.gate.referring([target('definition', command.revision.definitionId ?? '')], () => this.revise(command));
  }

  private async revise({ context, installation, metricId, revision }: ReviseMetric): Promise<Written<Metric>> {
    await existingMetric(this.metrics, installation, metricId);
    const { period, value, groupId, userId } = revision;
    const definitionId = revision.definitionId ? await storedDefinitionId(this.definitions, revision.definitionId) : null;
    const { events, readable } = await this.gateway.execute({
      stream: streamOf(metricId),
      decider,
      context,
      command: {
        type: 'ReviseMetric',
        metricId,
        installationId: installation.installationId,
        changes: { definitionId, value, groupId, userId },
        period,
        now: context.time,
      },
    });
    const [revised] = events;
    return { record: revised?.data ?? (await existingMetric(this.metrics, installation, metricId)), readable };
  }
}

@CommandHandler(RemoveMetric)
export class RemoveMetricHandler implements ICommandHandler<RemoveMetric> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly metrics: MetricQueries,
  ) {}

  async execute({ context, installation, metricId }: RemoveMetric): Promise<Outcome<MetricEvent>> {
    await existingMetric(this.metrics, installation, metricId);
    const { installationId } = installation;
    return this.gateway.execute({
      stream: streamOf(metricId),
      decider,
      context,
      command: { type: 'RemoveMetric', metricId, installationId },
    });
  }
}

export const metricHandlers = [RecordMetricHandler, ReviseMetricHandler, RemoveMetricHandler];
