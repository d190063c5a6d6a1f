import type { AccountCommand } from '#domain/messaging/accounts/account-commands.js';
import { ACCOUNTS_STREAM } from '#domain/messaging/accounts/account-events.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import type { CommandContext } from '#domain/shared/execution.js';

/** All commands to accounts go to one stream. */
export const toAccounts = (context: CommandContext, command: AccountCommand) => ({
  stream: ACCOUNTS_STREAM,
  decider: accounts,
  context,
  command,
});
