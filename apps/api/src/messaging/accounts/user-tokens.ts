import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { AccountCommand, NewToken } from '#domain/messaging/accounts/account-commands.js';
import type { AccountEvent } from '#domain/messaging/accounts/account-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';
import { type WrittenUser, writtenUser } from './written-user.js';

/** Executes the commands that give a user a new token. */
@Injectable()
export class UserTokens {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly hashes: CredentialHashes,
    private readonly accounts: AccountQueries,
    private readonly completeness: Completeness,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingTokensShown'>,
  ) {}

  /**
   * Resolves with the user and the new token. If only hashes are stored, a repeated call finds its user without a token (messaging contract
   * 1.8).
   * @param commandWith makes the command from the stored form of the token
   * @param check precedes the command, as in {@link CommandGateway.executeAfter}. Default: none
   */
  async give(
    context: CommandContext,
    commandWith: (token: NewToken) => AccountCommand,
    check: () => Promise<void> = async () => undefined,
  ): Promise<WrittenUser & Pick<Outcome<AccountEvent>, 'events'>> {
    const token = newKey();
    const tokenHash = this.hashes.of(token);
    const isKept = this.configuration.messagingTokensShown === 'always';
    const command = toAccounts(context, commandWith({ token: isKept ? token : '', tokenHash }));
    const outcome = await this.gateway.executeAfter(command, check, () => this.gateway.execute(command));
    const { user, readable } = await writtenUser(this.accounts, this.completeness, outcome);
    return { user: user.tokenHash === tokenHash ? { ...user, token } : user, readable, events: outcome.events };
  }
}
