import { newKey } from '#api/shared/commands/new-key.js';
import type { AccountCommand, NewToken } from '#domain/messaging/accounts/account-commands.js';
import { ACCOUNTS_STREAM } from '#domain/messaging/accounts/account-events.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';

/** All commands to accounts go to one stream. */
export const toAccounts = (context: CommandContext, command: AccountCommand) => ({
  stream: ACCOUNTS_STREAM,
  decider: accounts,
  context,
  command,
});

export const newToken = (credentialHashes: CredentialHashes): NewToken => {
  const token = newKey();
  return { token, tokenHash: credentialHashes.of(token) };
};
