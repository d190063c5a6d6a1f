import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { Profile, ProjectRoles } from '#domain/messaging/accounts/account-commands.js';
import type { AccountEvent, Creator } from '#domain/messaging/accounts/account-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { accountStream, newToken } from './account-commands.js';
import { type WrittenUser, writtenUser } from './written-user.js';

/** A user with a new token. */
export class CreateUser extends Command<WrittenUser> {
  constructor(
    readonly context: CommandContext,
    readonly by: Creator,
    readonly profile: Profile,
    readonly projects: readonly ProjectRoles[],
    readonly serviceRoles: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(CreateUser)
class CreateUserHandler implements ICommandHandler<CreateUser> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly credentialHashes: CredentialHashes,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, by, profile, projects, serviceRoles }: CreateUser): Promise<WrittenUser> {
    const account = { userId: randomUUID(), token: newToken(this.credentialHashes), by };
    const command = { type: 'CreateUser', profile, projects, serviceRoles, ...account } as const;
    return writtenUser(this.accounts, await this.gateway.execute({ ...accountStream, context, command }));
  }
}

/** Empty texts of `profile` and lists that are `undefined` change nothing. */
export type UserChanges = Readonly<{
  profile: Profile;
  projects: readonly ProjectRoles[] | undefined;
  serviceRoles: readonly string[] | undefined;
}>;

export class ReviseUser extends Command<WrittenUser> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
    readonly changes: UserChanges,
  ) {
    super();
  }
}

@CommandHandler(ReviseUser)
class ReviseUserHandler implements ICommandHandler<ReviseUser> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, name, changes: { profile, projects, serviceRoles } }: ReviseUser): Promise<WrittenUser> {
    const lists = { ...(projects && { projects }), ...(serviceRoles && { serviceRoles }) };
    const command = { type: 'ReviseUser', name, changes: profile, ...lists } as const;
    return writtenUser(this.accounts, await this.gateway.execute({ ...accountStream, context, command }));
  }
}

/** Gives a user a new token. The old one is worthless at once. */
export class RefreshToken extends Command<WrittenUser> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RefreshToken)
class RefreshTokenHandler implements ICommandHandler<RefreshToken> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly credentialHashes: CredentialHashes,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, name }: RefreshToken): Promise<WrittenUser> {
    const command = { type: 'RefreshToken', name, token: newToken(this.credentialHashes) } as const;
    return writtenUser(this.accounts, await this.gateway.execute({ ...accountStream, context, command }));
  }
}

export class DeleteUser extends Command<Outcome<AccountEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteUser)
class DeleteUserHandler implements ICommandHandler<DeleteUser> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, name }: DeleteUser): Promise<Outcome<AccountEvent>> {
    return this.gateway.execute({ ...accountStream, context, command: { type: 'DeleteUser', name } });
  }
}

export const userCommandHandlers: readonly Type[] = [CreateUserHandler, ReviseUserHandler, RefreshTokenHandler, DeleteUserHandler];
