import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { AccessEvent } from '#domain/accounting/access/access-events.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { toAccess } from './stream-commands.js';

/** The holder of a token, as its claims describe it. `oidcId`: value of the id claim. */
export type NewClient = Readonly<{ oidcId: string; issuer: string; name: string; email: string }>;

/** Registers a client, so that entitlements can be assigned to it. A client that is registered stays as it is. */
export class RegisterClient extends Command<Outcome<AccessEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly client: NewClient,
  ) {
    super();
  }
}

@CommandHandler(RegisterClient)
export class RegisterClientHandler implements ICommandHandler<RegisterClient> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, client }: RegisterClient): Promise<Outcome<AccessEvent>> {
    const actorId = actorIdOf(client.issuer, client.oidcId);
    return this.gateway.execute(toAccess(context, { type: 'RegisterClient', actorId, ...client }));
  }
}
