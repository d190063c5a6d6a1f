import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import type { AccountCommand } from '#domain/messaging/accounts/account-commands.js';
import type { AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';
import { UserTokens } from './user-tokens.js';
import { type WrittenUser, writtenUser } from './written-user.js';

/** Creates a user who is a member of a project. */
export class CreateMember extends CommandWith<Omit<DataOf<AccountCommand, 'CreateMember'>, 'userId' | 'token'>, WrittenUser> {}

/** Makes a user a member of a project. */
export class AddMember extends CommandWith<DataOf<AccountCommand, 'AddMember'>, WrittenUser> {}

export class ReplaceMemberRoles extends CommandWith<DataOf<AccountCommand, 'ReplaceMemberRoles'>, WrittenUser> {}

/** Ends the membership of a user. The user stays. */
export class RemoveMember extends CommandOf<AccountCommand, 'RemoveMember', AccountEvent> {}

export const memberHandlers: readonly Provider[] = [
  ...passOn(toAccounts, { RemoveMember }),

  handles(CreateMember, [UserTokens], ({ context, data }, tokens) =>
    tokens.give(context, (token) => ({ type: 'CreateMember', ...data, userId: randomUUID(), token })),
  ),

  handles(AddMember, [CommandGateway, AccountQueries], async ({ context, data }, gateway, accounts) =>
    writtenUser(accounts, await gateway.execute(toAccounts(context, { type: 'AddMember', ...data }))),
  ),

  handles(ReplaceMemberRoles, [CommandGateway, AccountQueries], async ({ context, data }, gateway, accounts) =>
    writtenUser(accounts, await gateway.execute(toAccounts(context, { type: 'ReplaceMemberRoles', ...data }))),
  ),
];
