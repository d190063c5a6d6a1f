import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { type CapacityEvent, capacitiesStream } from '#domain/accounting/capacities/capacity-events.js';
import { capacities } from '#domain/accounting/capacities/capacity-rules.js';
import { anyInstant, type Instant } from '#domain/accounting/metrics/instants.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import type { InstallationRef } from '#projections/accounting/metrics/queries.js';

/**
 * `value`: a decimal number as text. `registeredOn`: a day or a timestamp as the caller sent it; `null` or empty: now. `definitionId`: as the caller
 * spells it.
 */
export type NewCapacity = Readonly<{ definitionId: string; value: string; registeredOn: string | null }>;

/** `null` leaves a member as it is. */
export type CapacityRevision = Readonly<{ value: string | null; registeredOn: string | null }>;

/** Registers what is allocated to an installation from an instant on. */
export class RegisterCapacity extends Command<Outcome<CapacityEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly installation: InstallationRef,
    readonly capacity: NewCapacity,
  ) {
    super();
  }
}

/** Changes the value of a capacity, or when it begins to count. */
export class ReviseCapacity extends Command<Outcome<CapacityEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly installation: InstallationRef,
    readonly capacityId: string,
    readonly revision: CapacityRevision,
  ) {
    super();
  }
}

const decider = capacities;

/** When a capacity begins to count; `null` if the caller does not say. @throws DomainError `CAPACITY_DATE_MALFORMED` */
/** @throws DomainError `CAPACITY_DATE_MALFORMED` */
export const instantIn = (given: string | null): Instant | null => {
  if (!given) return null;
  const instant = anyInstant(given);
  if (instant === undefined) throw new DomainError('CAPACITY_DATE_MALFORMED');
  return instant;
};

@CommandHandler(RegisterCapacity)
export class RegisterCapacityHandler implements ICommandHandler<RegisterCapacity> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly definitions: DefinitionQueries,
    private readonly ids: ObjectIds,
  ) {}

  async execute({ context, installation, capacity }: RegisterCapacity): Promise<Outcome<CapacityEvent>> {
    const definition = await this.definitions.definition(capacity.definitionId);
    if (!definition) throw new DomainError('DEFINITION_NOT_FOUND', { definitionId: capacity.definitionId });
    return this.gateway.execute({
      stream: capacitiesStream(installation.installationId),
      decider,
      context,
      command: {
        type: 'RegisterCapacity',
        ...installation,
        capacityId: this.ids.next(),
        definitionId: definition.document.metric_definition_id,
        value: capacity.value,
        registeredOn: instantIn(capacity.registeredOn) ?? context.time,
      },
    });
  }
}

@CommandHandler(ReviseCapacity)
export class ReviseCapacityHandler implements ICommandHandler<ReviseCapacity> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: CapacityQueries,
  ) {}

  async execute({ context, installation, capacityId: spelledId, revision }: ReviseCapacity): Promise<Outcome<CapacityEvent>> {
    const capacityId = storedObjectId(spelledId);
    if (capacityId === undefined || !(await this.queries.has(installation, capacityId)))
      throw new DomainError('CAPACITY_NOT_FOUND', { capacityId: spelledId });
    const { value, registeredOn } = revision;
    return this.gateway.execute({
      stream: capacitiesStream(installation.installationId),
      decider,
      context,
      command: { type: 'ReviseCapacity', capacityId, value, registeredOn: instantIn(registeredOn) },
    });
  }
}

export const capacityHandlers = [RegisterCapacityHandler, ReviseCapacityHandler];
