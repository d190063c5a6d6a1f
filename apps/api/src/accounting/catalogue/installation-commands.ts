import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { ReferenceGate, type Target, target } from '#api/accounting/reference-gate.js';
import type { Written } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { isOutage } from '#api/shared/http/failures.js';
import type { Installation, ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import type { ProjectCommand } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { CatalogueQueries, type InstallationContent, type InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import { ExternalIdClaims } from './external-id-claims.js';
import { toProject } from './stream-commands.js';

/** A new installation; `generation` is that of its project. The ids in `content` are those of records. */
export type NewInstallation = Readonly<{
  projectId: string;
  generation: number;
  externalId: string;
  content: Installation;
  creatorId: string;
}>;

/** Creates an installation of an associated provider in a project. */
export class CreateInstallation extends Command<Written<InstallationContent>> {
  constructor(
    readonly context: CommandContext,
    readonly installation: NewInstallation,
  ) {
    super();
  }
}

/** Changes an installation without metrics. `organisation`: id of the provider or its external id. */
export class ReviseInstallation extends Command<Written<InstallationDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly installation: InstallationDocument,
    readonly changes: Partial<Installation>,
  ) {
    super();
  }
}

/** Deletes an installation without metrics, with its capacities. */
export class DeleteInstallation extends Command<Outcome<ProjectEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly installation: InstallationDocument,
  ) {
    super();
  }
}

/** Records that an installation refers to, except its provider: the stream of the project decides on that. */
const referredBy = ({ unitOfAccess, resource }: Partial<Installation>): readonly Target[] => [
  ...(unitOfAccess ? [target('definition', unitOfAccess)] : []),
  ...(resource ? [target('resource', resource)] : []),
];

const placeOf = ({ project, generation, id }: InstallationDocument) => ({ projectId: project, generation, installationId: id });

const documentOf = ({ organisation, infrastructure, installation, resource, unitOfAccess }: Installation) => ({
  organisation,
  infrastructure,
  installation,
  resource,
  unit_of_access: unitOfAccess,
});

/** Inside the gate, where nobody deletes the definition. @throws DomainError `DEFINITION_NOT_FOUND` */
const requireDefinition = async (definitions: DefinitionQueries, definitionId: string | null | undefined): Promise<void> => {
  if (!definitionId) return;
  const [found] = await definitions.definitions([definitionId]);
  if (!found) throw new DomainError('DEFINITION_NOT_FOUND', { definitionId });
};

@CommandHandler(CreateInstallation)
export class CreateInstallationHandler implements ICommandHandler<CreateInstallation> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: CatalogueQueries,
    private readonly definitions: DefinitionQueries,
    private readonly claims: ExternalIdClaims,
    private readonly gate: ReferenceGate,
    private readonly ids: ObjectIds,
  ) {}

  execute({ context, installation }: CreateInstallation): Promise<Written<InstallationContent>> {
    return this.gate.referring(referredBy(installation.content), () => this.create(context, installation));
  }

  private async create(context: CommandContext, installation: NewInstallation): Promise<Written<InstallationContent>> {
    const { projectId, generation, externalId, content } = installation;
    await requireDefinition(this.definitions, content.unitOfAccess);
    const installationId = this.ids.next();
    const resourceMissing = content.resource !== null && !(await this.queries.hasResource(content.resource));
    const claimed = await this.claims.claim(externalId, { projectId, generation, installationId }, context);
    const release = async (): Promise<void> => {
      if (claimed) await this.claims.release(externalId, installationId, context);
    };
    const flags = { resourceMissing, externalIdTaken: !claimed };
    const command: ProjectCommand = { type: 'CreateInstallation', ...installation, installationId, ...flags };
    const { events, readable } = await this.gateway.execute(toProject(context, command)).catch(async (error: unknown) => {
      if (!isOutage(error)) await release(); // after an outage the installation may be there: its claim stays
      throw error;
    });
    const [event] = events;
    if (event?.type !== 'InstallationCreated') throw new Error('a creation made no event');
    const { data } = event;
    if (data.installationId !== installationId) await release(); // the Idempotency-Key had created it before
    const record = { id: data.installationId, project: data.projectId, external_id: data.externalId, ...documentOf(data) };
    return { record, readable };
  }
}

@CommandHandler(ReviseInstallation)
export class ReviseInstallationHandler implements ICommandHandler<ReviseInstallation> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: CatalogueQueries,
    private readonly definitions: DefinitionQueries,
    private readonly metrics: MetricQueries,
    private readonly gate: ReferenceGate,
  ) {}

  execute({ context, installation, changes }: ReviseInstallation): Promise<Written<InstallationDocument>> {
    const removed = target('installation', installation.id);
    return this.gate.removing(removed, () => this.revise(context, installation, changes), referredBy(changes));
  }

  private async revise(
    context: CommandContext,
    before: InstallationDocument,
    changes: Partial<Installation>,
  ): Promise<Written<InstallationDocument>> {
    const { organisation, resource } = changes;
    await requireDefinition(this.definitions, changes.unitOfAccess);
    const [measured, provider, hasResource] = await Promise.all([
      this.metrics.hasMetrics({ projectId: before.project, installationId: before.id }),
      organisation === undefined ? undefined : this.queries.provider(organisation),
      resource ? this.queries.hasResource(resource) : true,
    ]);
    const command: ProjectCommand = {
      type: 'ReviseInstallation',
      ...placeOf(before),
      changes: { ...changes, ...(provider && { organisation: provider.id }) },
      measured,
      providerMissing: organisation !== undefined && !provider,
      resourceMissing: !hasResource,
    };
    const { events, readable } = await this.gateway.execute(toProject(context, command));
    const [event] = events;
    return { record: event?.type === 'InstallationRevised' ? { ...before, ...documentOf(event.data) } : before, readable };
  }
}

@CommandHandler(DeleteInstallation)
export class DeleteInstallationHandler implements ICommandHandler<DeleteInstallation> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly claims: ExternalIdClaims,
    private readonly metrics: MetricQueries,
    private readonly gate: ReferenceGate,
  ) {}

  async execute({ context, installation }: DeleteInstallation): Promise<Outcome<ProjectEvent>> {
    const outcome = await this.gate.removing(target('installation', installation.id), async () => {
      const measured = await this.metrics.hasMetrics({ projectId: installation.project, installationId: installation.id });
      return this.gateway.execute(toProject(context, { type: 'DeleteInstallation', ...placeOf(installation), measured }));
    });
    await this.claims.release(installation.external_id, installation.id, context);
    return outcome;
  }
}

export const installationHandlers = [CreateInstallationHandler, ReviseInstallationHandler, DeleteInstallationHandler];
