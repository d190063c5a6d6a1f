import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { AccountEvent, Creator } from '#domain/messaging/accounts/account-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { accountStream, newToken } from './account-commands.js';
import { type WrittenUser, writtenUser } from './written-user.js';

/** A new user who is a member of a project. */
export type NewMember = Readonly<{ name: string; email: string; roles: readonly string[] }>;

export class CreateMember extends Command<WrittenUser> {
  constructor(
    readonly context: CommandContext,
    readonly by: Creator,
    readonly projectId: string,
    readonly member: NewMember,
  ) {
    super();
  }
}

@CommandHandler(CreateMember)
class CreateMemberHandler implements ICommandHandler<CreateMember> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly credentialHashes: CredentialHashes,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, by, projectId, member: { name, email, roles } }: CreateMember): Promise<WrittenUser> {
    const account = { userId: randomUUID(), token: newToken(this.credentialHashes), by };
    const command = { type: 'CreateMember', projectId, name, email, roles, ...account } as const;
    return writtenUser(this.accounts, await this.gateway.execute({ ...accountStream, context, command }));
  }
}

/** Makes a user a member of a project. */
export class AddMember extends Command<WrittenUser> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
    readonly roles: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(AddMember)
class AddMemberHandler implements ICommandHandler<AddMember> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, projectId, name, roles }: AddMember): Promise<WrittenUser> {
    const command = { type: 'AddMember', projectId, name, roles } as const;
    return writtenUser(this.accounts, await this.gateway.execute({ ...accountStream, context, command }));
  }
}

export class ReplaceMemberRoles extends Command<WrittenUser> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
    readonly roles: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(ReplaceMemberRoles)
class ReplaceMemberRolesHandler implements ICommandHandler<ReplaceMemberRoles> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, projectId, name, roles }: ReplaceMemberRoles): Promise<WrittenUser> {
    const command = { type: 'ReplaceMemberRoles', projectId, name, roles } as const;
    return writtenUser(this.accounts, await this.gateway.execute({ ...accountStream, context, command }));
  }
}

/** Ends the membership of a user. The user stays. */
export class RemoveMember extends Command<Outcome<AccountEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveMember)
class RemoveMemberHandler implements ICommandHandler<RemoveMember> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, projectId, name }: RemoveMember): Promise<Outcome<AccountEvent>> {
    return this.gateway.execute({ ...accountStream, context, command: { type: 'RemoveMember', projectId, name } });
  }
}

export const memberCommandHandlers: readonly Type[] = [
  CreateMemberHandler,
  AddMemberHandler,
  ReplaceMemberRolesHandler,
  RemoveMemberHandler,
];
