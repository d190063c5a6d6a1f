import { randomUUID } from 'node:crypto';
import { commandTo, commandWith, type DataOf } from '#api/shared/commands/command-of.js';
import type { AccountCommand, ProjectRoles, UserKey, UserProfile } from '#domain/messaging/accounts/account-commands.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';
import { UserTokens } from './user-tokens.js';
import { writtenUser } from './written-user.js';

/** Empty texts in `profile` and `undefined` lists change nothing. */
type UserChanges = Readonly<{
  profile: UserProfile;
  projects: readonly ProjectRoles[] | undefined;
  serviceRoles: readonly string[] | undefined;
}>;

export class DeleteUser extends commandTo(toAccounts, 'DeleteUser') {}

/** Creates a user with a new token. */
export class CreateUser extends commandWith(
  [UserTokens],
  (data: Omit<DataOf<AccountCommand, 'CreateUser'>, 'userId' | 'token'>, { context }, tokens) =>
    tokens.give(context, (token) => ({ type: 'CreateUser', ...data, userId: randomUUID(), token })),
) {}

export class ReviseUser extends commandWith(
  [AccountQueries, Completeness],
  async ({ name, changes }: Readonly<{ name: string; changes: UserChanges }>, { context, gateway }, accounts, completeness) => {
    const { profile, projects, serviceRoles } = changes;
    const lists = { ...(projects && { projects }), ...(serviceRoles && { serviceRoles }) };
    const command = { type: 'ReviseUser', name, changes: profile, ...lists } as const;
    return writtenUser(accounts, completeness, await gateway.execute(toAccounts(context, command)));
  },
) {}

/** Gives a user a new token. The old one stops working at once. */
export class RefreshToken extends commandWith([UserTokens], (user: UserKey, { context }, tokens) =>
  tokens.give(context, (token) => ({ type: 'RefreshToken', user, token })),
) {}
