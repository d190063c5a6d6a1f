import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { AccessCommand } from '#domain/accounting/access/access-commands.js';
import type { AccessEvent } from '#domain/accounting/access/access-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { toAccess } from './stream-commands.js';

/** Creates an entitlement whose name is free. The record is its id. */
export class CreateEntitlement extends Command<WrittenRecord<string>> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
  ) {
    super();
  }
}

/** Renames an entitlement: the rights of all who hold it change at once. */
export class RenameEntitlement extends Command<Outcome<AccessEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly entitlementId: string,
    readonly name: string,
  ) {
    super();
  }
}

/** Deletes an entitlement that nobody holds. */
export class DeleteEntitlement extends Command<Outcome<AccessEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly entitlementId: string,
  ) {
    super();
  }
}

/** Gives an entitlement to a registered client. */
export class AssignEntitlement extends Command<Outcome<AccessEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly entitlementId: string,
    readonly actorId: string,
  ) {
    super();
  }
}

/** Takes an entitlement from a client. */
export class DissociateEntitlement extends Command<Outcome<AccessEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly entitlementId: string,
    readonly actorId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateEntitlement)
export class CreateEntitlementHandler implements ICommandHandler<CreateEntitlement> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly ids: ObjectIds,
  ) {}

  async execute({ context, name }: CreateEntitlement): Promise<WrittenRecord<string>> {
    const command: AccessCommand = { type: 'CreateEntitlement', entitlementId: this.ids.next(), name };
    const { events, readable } = await this.gateway.execute(toAccess(context, command));
    const [event] = events;
    if (event?.type !== 'EntitlementCreated') throw new Error('a creation made no entitlement');
    return { record: event.data.entitlementId, readable };
  }
}

@CommandHandler(RenameEntitlement)
export class RenameEntitlementHandler implements ICommandHandler<RenameEntitlement> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, entitlementId, name }: RenameEntitlement): Promise<Outcome<AccessEvent>> {
    return this.gateway.execute(toAccess(context, { type: 'RenameEntitlement', entitlementId, name }));
  }
}

@CommandHandler(DeleteEntitlement)
export class DeleteEntitlementHandler implements ICommandHandler<DeleteEntitlement> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, entitlementId }: DeleteEntitlement): Promise<Outcome<AccessEvent>> {
    return this.gateway.execute(toAccess(context, { type: 'DeleteEntitlement', entitlementId }));
  }
}

@CommandHandler(AssignEntitlement)
export class AssignEntitlementHandler implements ICommandHandler<AssignEntitlement> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly ids: ObjectIds,
  ) {}

  execute({ context, entitlementId, actorId }: AssignEntitlement): Promise<Outcome<AccessEvent>> {
    const assignmentId = this.ids.next();
    return this.gateway.execute(toAccess(context, { type: 'AssignEntitlement', assignmentId, entitlementId, actorId }));
  }
}

@CommandHandler(DissociateEntitlement)
export class DissociateEntitlementHandler implements ICommandHandler<DissociateEntitlement> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, entitlementId, actorId }: DissociateEntitlement): Promise<Outcome<AccessEvent>> {
    return this.gateway.execute(toAccess(context, { type: 'DissociateEntitlement', entitlementId, actorId }));
  }
}

export const entitlementHandlers = [
  CreateEntitlementHandler,
  RenameEntitlementHandler,
  DeleteEntitlementHandler,
  AssignEntitlementHandler,
  DissociateEntitlementHandler,
];
