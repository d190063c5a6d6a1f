import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LRUCache } from 'lru-cache';
import { RefreshToken } from '#api/messaging/accounts/user-commands.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { EVENT_STORE, LIVE_READ_STORE } from '#api/shared/tokens.js';
import { userSubject } from '#domain/messaging/accounts/account-events.js';
import { MOST_CERTIFICATES } from '#domain/operations/certificates.js';
import { canonicalSubject } from '#domain/operations/distinguished-names.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { ACCOUNTS, AccountQueries, isMember, type UserDocument } from '#projections/messaging/accounts/queries.js';
import { CERTIFICATES, CertificateQueries } from '#projections/operations/certificates/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Finds the tokens of users by their client certificates. */
@Injectable()
export class CertificateTokens {
  private readonly certificates: CertificateQueries;
  private readonly accounts: AccountQueries;
  /**
   * Tokens that this process refreshed because only their hash is stored, by user, with the hash that each replaced, which a read model that lags still
   * shows. A client that asks again gets its current token. `asOf`: number of interruptions before the refresh.
   */
  private readonly refreshed = new LRUCache<string, Readonly<{ token: string; replaced: string; asOf: number }>>({
    max: MOST_CERTIFICATES,
  });
  /** Running refreshes by user. Simultaneous calls share one, because each refresh ends the token of the one before. */
  private readonly refreshing = new Map<string, Promise<string>>();
  /** After each the log may be an older copy, in which a replaced hash is the current one again. */
  private interruptions = 0;

  constructor(
    @Inject(LIVE_READ_STORE) live: ReadStore,
    private readonly bus: CommandBus,
    private readonly completeness: Completeness,
    private readonly credentialHashes: CredentialHashes,
    private readonly erased: ErasedSubjects,
    @Inject(EVENT_STORE) events: Pick<EventStore, 'onInterruption'>,
  ) {
    events.onInterruption(() => {
      this.interruptions += 1;
    }, 'reads');
    this.certificates = new CertificateQueries(live);
    this.accounts = new AccountQueries(live);
  }

  /** The user whom a certificate is bound to, if still a member of the project. @param subject in the form that Node shows */
  async userOf(subject: string): Promise<UserDocument | undefined> {
    const canonical = canonicalSubject(subject);
    if (canonical === undefined) return undefined;
    const hash = this.credentialHashes.of(canonical);
    const holder = await foundOrAbsent(this.completeness, [CERTIFICATES], () => this.certificates.holder(hash));
    if (!holder || (await this.erased.some(userSubject(holder.userId)))) return undefined;
    const user = await foundOrAbsent(this.completeness, [ACCOUNTS], () => this.accounts.user(holder.userId));
    return user && isMember(user, holder.projectId) ? user : undefined;
  }

  /** Token of the user. If only its hash is stored, the token is refreshed and the old one stops working. */
  async tokenOf({ userId, token, tokenHash }: UserDocument, context: CommandContext): Promise<string> {
    if (token !== '') return token;
    const known = this.refreshed.get(userId);
    const lags = known?.replaced === tokenHash && known.asOf === this.interruptions;
    if (known && (lags || this.credentialHashes.of(known.token) === tokenHash)) return known.token;
    return getOrInsert(this.refreshing, userId, () =>
      this.refresh(userId, tokenHash, context).finally(() => this.refreshing.delete(userId)),
    );
  }

  private async refresh(userId: string, replaced: string, context: CommandContext): Promise<string> {
    const asOf = this.interruptions;
    const { user } = await this.bus.execute(new RefreshToken(context, { userId }));
    this.refreshed.set(userId, { token: user.token, replaced, asOf });
    return user.token;
  }
}
