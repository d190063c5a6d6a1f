import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import type { AccountCommand, ProjectRoles, UserKey, UserProfile } from '#domain/messaging/accounts/account-commands.js';
import type { AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';
import { UserTokens } from './user-tokens.js';
import { type WrittenUser, writtenUser } from './written-user.js';

/** Creates a user with a new token. */
export class CreateUser extends CommandWith<Omit<DataOf<AccountCommand, 'CreateUser'>, 'userId' | 'token'>, WrittenUser> {}

/** Empty texts in `profile` and `undefined` lists change nothing. */
type UserChanges = Readonly<{
  profile: UserProfile;
  projects: readonly ProjectRoles[] | undefined;
  serviceRoles: readonly string[] | undefined;
}>;

export class ReviseUser extends CommandWith<Readonly<{ name: string; changes: UserChanges }>, WrittenUser> {}

/** Gives a user a new token. The old one stops working at once. */
export class RefreshToken extends CommandWith<UserKey, WrittenUser> {}

export class DeleteUser extends CommandOf<AccountCommand, 'DeleteUser', AccountEvent> {}

export const userHandlers: readonly Provider[] = [
  ...passOn(toAccounts, { DeleteUser }),

  handles(CreateUser, [UserTokens], ({ context, data }, tokens) =>
    tokens.give(context, (token) => ({ type: 'CreateUser', ...data, userId: randomUUID(), token })),
  ),

  handles(ReviseUser, [CommandGateway, AccountQueries], async ({ context, data: { name, changes } }, gateway, accounts) => {
    const { profile, projects, serviceRoles } = changes;
    const lists = { ...(projects && { projects }), ...(serviceRoles && { serviceRoles }) };
    const command = { type: 'ReviseUser', name, changes: profile, ...lists } as const;
    return writtenUser(accounts, await gateway.execute(toAccounts(context, command)));
  }),

  handles(RefreshToken, [UserTokens], ({ context, data: user }, tokens) =>
    tokens.give(context, (token) => ({ type: 'RefreshToken', user, token })),
  ),
];
