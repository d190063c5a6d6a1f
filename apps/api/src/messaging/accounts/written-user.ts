import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import type { AccountEvent } from '#domain/messaging/accounts/account-events.js';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { ACCOUNTS, type AccountQueries, changedUser, createdUser, type UserDocument } from '#projections/messaging/accounts/queries.js';

/** A user after a command. */
export type WrittenUser = Readonly<{ user: UserDocument; readable: boolean }>;

/**
 * The user before an event, once the read models show it. Read as a list: the command is stored, so a user who is set aside is shown in the old state instead of being refused
 * (docs/decisions/0018).
 */
const userBefore = async (accounts: AccountQueries, completeness: Completeness, userId: string): Promise<UserDocument> => {
  const [first] = await accounts.users([userId]);
  if (first) return first;
  await completeness.require(ACCOUNTS);
  const [second] = await accounts.users([userId]);
  return found(second, errors.userNotFound);
};

const userAfter = async (
  accounts: AccountQueries,
  completeness: Completeness,
  events: Outcome<AccountEvent>['events'],
): Promise<UserDocument> => {
  for (const event of events) {
    switch (event.type) {
      case 'UserCreated':
        return createdUser(event);
      case 'UserRevised':
      case 'UserTokenRefreshed':
      case 'MemberAdded':
      case 'MemberRolesReplaced':
        return changedUser(await userBefore(accounts, completeness, event.data.userId), event);
    }
  }
  throw new Error('a command made no user');
};

/**
 * The user that a command created or changed. It is built from the events, because the read models may be behind.
 * @throws MessagingError N06 if the user was deleted since; ReadModelsBehind if the read models do not show the user yet
 */
export const writtenUser = async (
  accounts: AccountQueries,
  completeness: Completeness,
  { events, readable }: Outcome<AccountEvent>,
): Promise<WrittenUser> => ({
  user: await userAfter(accounts, completeness, events),
  readable,
});
