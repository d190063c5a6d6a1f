import { Injectable } from '@nestjs/common';
import { currentDefinition } from '#api/accounting/definitions/definition-commands.js';
import { known } from '#api/accounting/existing.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { ProjectStreams } from '#api/accounting/project-streams.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import { type CapacityEvent, capacitiesStream } from '#domain/accounting/capacities/capacity-events.js';
import { type CapacityCommand, capacities } from '#domain/accounting/capacities/capacity-rules.js';
import { anyInstant, type Instant } from '#domain/accounting/metrics/instants.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import type { InstallationRef } from '#projections/accounting/metrics/queries.js';

/** `value`: decimal number as text. `registeredOn`: day or timestamp; `null` or empty for now. `definitionId`: in the caller's spelling. */
type NewCapacity = Readonly<{ definitionId: string; value: string; registeredOn: string | null }>;

/** `null` leaves a member unchanged. */
type CapacityRevision = Readonly<{ value: string | null; registeredOn: string | null }>;

/** @throws DomainError `CAPACITY_DATE_MALFORMED` */
export const instantIn = (given: string | null): Instant | null => {
  if (!given) return null;
  const instant = anyInstant(given);
  if (instant === undefined) throw new DomainError('CAPACITY_DATE_MALFORMED');
  return instant;
};

/** Capacities are deleted with their installation, which has another stream. So after a write the installation is checked in the log. */
@Injectable()
export class CapacityStreams {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly projects: ProjectStreams,
    private readonly catalogue: CatalogueQueries,
  ) {}

  /** @throws DomainError `INSTALLATION_NOT_FOUND` if the installation is gone; then the write is void */
  async execute(context: CommandContext, { installationId }: InstallationRef, command: CapacityCommand): Promise<Outcome<CapacityEvent>> {
    const found = this.catalogue.installationById(installationId);
    const { project: projectId, generation } = await known(found, 'INSTALLATION_NOT_FOUND', { installationId });
    const outcome = await this.gateway.execute({ stream: capacitiesStream(installationId), decider: capacities, context, command });
    await this.projects
      .execute(withoutKey(context), { type: 'RequireInstallation', projectId, generation, installationId })
      .catch((error: unknown) => {
        if (error instanceof DomainError && error.code === 'PROJECT_NOT_FOUND')
          throw new DomainError('INSTALLATION_NOT_FOUND', { installationId });
        throw error;
      });
    return outcome;
  }
}

export class RegisterCapacity extends commandWith(
  [CapacityStreams, DefinitionQueries, ObjectIds],
  async (
    { installation, capacity }: Readonly<{ installation: InstallationRef; capacity: NewCapacity }>,
    { context },
    streams,
    definitions,
    ids,
  ) => {
    const definition = await currentDefinition(definitions, capacity.definitionId);
    return streams.execute(context, installation, {
      type: 'RegisterCapacity',
      ...installation,
      capacityId: ids.next(),
      definitionId: definition.document.metric_definition_id,
      value: capacity.value,
      registeredOn: instantIn(capacity.registeredOn) ?? context.time,
    });
  },
) {}

/** Changes the value or the start of a capacity. */
export class ReviseCapacity extends commandWith(
  [CapacityStreams, CapacityQueries],
  async (
    {
      installation,
      capacityId: spelledId,
      revision,
    }: Readonly<{ installation: InstallationRef; capacityId: string; revision: CapacityRevision }>,
    { context },
    streams,
    queries,
  ) => {
    const capacityId = storedObjectId(spelledId);
    if (capacityId === undefined || !(await queries.has(installation, capacityId)))
      throw new DomainError('CAPACITY_NOT_FOUND', { capacityId: spelledId });
    const { value, registeredOn } = revision;
    return streams.execute(context, installation, { type: 'ReviseCapacity', capacityId, value, registeredOn: instantIn(registeredOn) });
  },
) {}
