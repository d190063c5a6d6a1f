import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { ProjectStreams } from '#api/accounting/project-streams.js';
import { References } from '#api/accounting/references/references.js';
import { definitionTarget, installationTarget, resourceTarget, type Target } from '#api/accounting/references/targets.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandWith, commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { isOutage } from '#api/shared/http/failures.js';
import type { Installation } from '#domain/accounting/catalogue/catalogue-events.js';
import type { InstallationChange, ProjectCommand } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type InstallationContent, type InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import { ExternalIdClaims } from './external-id-claims.js';

/** A new installation. `generation`: that of its project. The ids in `content` are stored ids. */
export type NewInstallation = Readonly<{
  projectId: string;
  generation: number;
  externalId: string;
  content: Installation;
  creatorId: string;
}>;

/** Creates an installation of an associated provider in a project. */
export class CreateInstallation extends CommandWith<NewInstallation, WrittenRecord<InstallationContent>> {}

/** Records that an installation refers to, except its provider, which the stream of the project checks. */
const referredBy = ({ unitOfAccess, resource }: Partial<Installation>, hasResource: boolean): readonly Target[] => [
  ...(unitOfAccess ? [definitionTarget(unitOfAccess)] : []),
  ...(resource && hasResource ? [resourceTarget(resource)] : []),
];

const placeOf = ({ project, generation, id }: InstallationDocument) => ({ projectId: project, generation, installationId: id });

const documentOf = ({ organisation, infrastructure, installation, resource, unitOfAccess }: Installation) => ({
  organisation,
  infrastructure,
  installation,
  resource,
  unit_of_access: unitOfAccess,
});

/** @throws DomainError `DEFINITION_NOT_FOUND` */
const requireDefinition = async (definitions: DefinitionQueries, definitionId: string | null | undefined): Promise<void> => {
  if (!definitionId) return;
  const [found] = await definitions.definitions([definitionId]);
  if (!found) throw new DomainError('DEFINITION_NOT_FOUND', { definitionId });
};

const measured = async (metrics: MetricQueries, { project, id }: InstallationDocument): Promise<Readonly<{ measured: boolean }>> => ({
  measured: await metrics.hasMetrics({ projectId: project, installationId: id }),
});

@CommandHandler(CreateInstallation)
export class CreateInstallationHandler implements ICommandHandler<CreateInstallation> {
  constructor(
    private readonly projects: ProjectStreams,
    private readonly queries: CatalogueQueries,
    private readonly definitions: DefinitionQueries,
    private readonly claims: ExternalIdClaims,
    private readonly references: References,
    private readonly ids: ObjectIds,
  ) {}

  async execute({ context, data: installation }: CreateInstallation): Promise<WrittenRecord<InstallationContent>> {
    const { projectId, content } = installation;
    await requireDefinition(this.definitions, content.unitOfAccess);
    const hasResource = content.resource !== null && (await this.queries.hasResource(content.resource));
    return this.references.holding(referredBy(content, hasResource), { projectId }, context, (holds) =>
      this.create(context, installation, { holds, resourceMissing: content.resource !== null && !hasResource }),
    );
  }

  private async create(
    context: CommandContext,
    installation: NewInstallation,
    found: Readonly<{ holds: readonly string[]; resourceMissing: boolean }>,
  ): Promise<WrittenRecord<InstallationContent>> {
    const { projectId, generation, externalId } = installation;
    const installationId = this.ids.next();
    const claimed = await this.claims.claim(externalId, { projectId, generation, installationId }, context);
    const release = async (): Promise<void> => {
      if (claimed) await this.claims.release(externalId, installationId, context);
    };
    const flags = { ...found, externalIdTaken: !claimed };
    const command = { type: 'CreateInstallation', ...installation, installationId, ...flags } as const satisfies ProjectCommand;
    const { events, readable } = await this.projects.execute(context, command).catch(async (error: unknown) => {
      if (!isOutage(error)) await release(); // after an outage the installation may exist: its claim stays
      throw error;
    });
    const { data } = eventOf(events, 'InstallationCreated');
    if (data.installationId !== installationId) await release(); // the Idempotency-Key belongs to an earlier creation
    const record = { id: data.installationId, project: data.projectId, external_id: data.externalId, ...documentOf(data) };
    return { record, readable };
  }
}

/** Changes an installation without metrics. `organisation`: id of the provider or its external id. */
export class ReviseInstallation extends commandWith(
  [ProjectStreams, CatalogueQueries, DefinitionQueries, MetricQueries, References],
  async (
    { installation, changes }: Readonly<{ installation: InstallationDocument; changes: Partial<Installation> }>,
    { context },
    projects,
    queries,
    definitions,
    metrics,
    references,
  ) => {
    const { organisation, resource } = changes;
    await requireDefinition(definitions, changes.unitOfAccess);
    const [provider, hasResource] = await Promise.all([
      organisation === undefined ? undefined : queries.provider(organisation),
      resource ? queries.hasResource(resource) : true,
    ]);
    const change = {
      type: 'ReviseInstallation',
      ...placeOf(installation),
      changes: { ...changes, ...(provider && { organisation: provider.id }) },
      measured: false,
      providerMissing: organisation !== undefined && !provider,
      resourceMissing: !hasResource,
    } as const;
    const find = () => measured(metrics, installation);
    return references.holding(referredBy(changes, hasResource), { projectId: installation.project }, context, async (holds) => {
      const { events, readable } = await references.change(installationTarget(installation), { ...change, holds }, find, context);
      await projects.require(context, change);
      const [event] = events;
      if (event?.type === 'InstallationRevised') return { record: { ...installation, ...documentOf(event.data) }, readable };
      return { record: (await queries.installationById(installation.id)) ?? installation, readable };
    });
  },
) {}

/** Deletes an installation without metrics, with its capacities. */
export class DeleteInstallation extends commandWith(
  [ExternalIdClaims, MetricQueries, References],
  async (installation: InstallationDocument, { context }, claims, metrics, references) => {
    const deletion: InstallationChange = { type: 'DeleteInstallation', ...placeOf(installation), measured: false };
    const find = () => measured(metrics, installation);
    const outcome = await references.change(installationTarget(installation), deletion, find, context);
    await claims.release(installation.external_id, installation.id, context);
    return outcome;
  },
) {}
