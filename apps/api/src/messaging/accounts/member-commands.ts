import { randomUUID } from 'node:crypto';
import { commandTo, commandWith, type DataOf } from '#api/shared/commands/command-of.js';
import type { AccountCommand } from '#domain/messaging/accounts/account-commands.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';
import { UserTokens } from './user-tokens.js';
import { writtenUser } from './written-user.js';

/** Ends the membership of a user. The user stays. */
export class RemoveMember extends commandTo(toAccounts, 'RemoveMember') {}

/** Creates a user who is a member of a project. */
export class CreateMember extends commandWith(
  [UserTokens],
  (data: Omit<DataOf<AccountCommand, 'CreateMember'>, 'userId' | 'token'>, { context }, tokens) =>
    tokens.give(context, (token) => ({ type: 'CreateMember', ...data, userId: randomUUID(), token })),
) {}

/** Makes a user a member of a project. */
export class AddMember extends commandWith(
  [AccountQueries, Completeness],
  async (data: DataOf<AccountCommand, 'AddMember'>, { context, gateway }, accounts, completeness) =>
    writtenUser(accounts, completeness, await gateway.execute(toAccounts(context, { type: 'AddMember', ...data }))),
) {}

export class ReplaceMemberRoles extends commandWith(
  [AccountQueries, Completeness],
  async (data: DataOf<AccountCommand, 'ReplaceMemberRoles'>, { context, gateway }, accounts, completeness) =>
    writtenUser(accounts, completeness, await gateway.execute(toAccounts(context, { type: 'ReplaceMemberRoles', ...data }))),
) {}
