import { toStreams } from '#api/shared/commands/handlers.js';
import { ACCOUNTS_STREAM } from '#domain/messaging/accounts/account-events.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';

/** All commands to accounts go to one stream. */
export const toAccounts = toStreams(accounts, () => ACCOUNTS_STREAM);
