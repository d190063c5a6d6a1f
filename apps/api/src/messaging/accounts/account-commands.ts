import { newKey } from '#api/shared/commands/new-key.js';
import type { NewToken } from '#domain/messaging/accounts/account-commands.js';
import { ACCOUNTS_STREAM, type AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import type { ExecutedEvent } from '#domain/shared/execution.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';

/** What the commands to accounts share: all of them go to one stream. */
export const accountStream = { stream: ACCOUNTS_STREAM, decider: accounts };

export type AccountEvents = readonly ExecutedEvent<AccountEvent>[];

/** The event of this type, which the command had to make. */
export const eventOf = <Type extends AccountEvent['type']>(
  events: AccountEvents,
  type: Type,
): Extract<AccountEvents[number], { type: Type }> => {
  const event = events.find((one): one is Extract<AccountEvents[number], { type: Type }> => one.type === type);
  if (!event) throw new Error(`a command made no ${type}`);
  return event;
};

export const newToken = (credentialHashes: CredentialHashes): NewToken => {
  const token = newKey();
  return { token, tokenHash: credentialHashes.of(token) };
};
