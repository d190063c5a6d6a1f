import { Inject, Injectable } from '@nestjs/common';
import { cachedAccessKeys } from '#api/operations/access-keys/cached-access-keys.js';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { LIVE_READ_STORE, READ_STORE } from '#api/shared/tokens.js';
import { type Membership, userSubject } from '#domain/messaging/accounts/account-events.js';
import { Completeness } from '#infra/projection-runner/completeness.js';
import { CredentialHashes } from '#infra/secrets/credential-hashes.js';
import { ErasedSubjects } from '#infra/secrets/erased-subjects.js';
import { ACCOUNTS, AccountQueries, type ProjectReference, type TokenDocument } from '#projections/messaging/accounts/queries.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/**
 * Who has a key: a user, or a holder of the service token or of another administrator's key, who is not a user (messaging contract 1.2).
 * `actorId` is for the log.
 */
export type Holder =
  | Readonly<{
      kind: 'user';
      actorId: string;
      userId: string;
      name: string;
      serviceRoles: readonly string[];
      memberships: readonly Membership[];
    }>
  | Readonly<{ kind: 'service'; actorId: string; userId: null; name: null; serviceRoles: readonly string[]; memberships: readonly [] }>;

/**
 * Looks up who calls and the project of the path: nearly every request needs both, so they are kept in memory until the accounts change. Who calls is
 * a matter of now, also where the project is that of an earlier time.
 */
@Injectable()
export class MessagingAccess {
  private readonly users: CachedQuery<TokenDocument>;
  private readonly projects: CachedQuery<ProjectReference>;
  private readonly administrators: CachedQuery<AccessKeyDocument>;

  constructor(
    @Inject(LIVE_READ_STORE) live: ReadStore,
    @Inject(READ_STORE) private readonly store: ReadStore,
    private readonly completeness: Completeness,
    private readonly credentialHashes: CredentialHashes,
    erased: ErasedSubjects,
  ) {
    const holders = new AccountQueries(live);
    const accounts = new AccountQueries(store);
    this.users = new CachedQuery(live, [ACCOUNTS], async (tokenHash) => {
      const holder = await holders.tokenHolder(tokenHash);
      return holder && (await erased.some(userSubject(holder.userId))) ? undefined : holder;
    });
    this.projects = new CachedQuery(store, [ACCOUNTS], (name) => accounts.projectNamed(name));
    this.administrators = cachedAccessKeys(live);
  }

  /** `undefined` if nobody holds the key. @throws ReadModelsUnavailable if that is not known yet */
  async authenticate(key: string): Promise<Holder | undefined> {
    const hash = this.credentialHashes.of(key);
    return foundOrAbsent(this.completeness, [ACCOUNTS, ACCESS_KEYS], () => this.holderOf(hash));
  }

  /** The project that has this name. @throws ReadModelsUnavailable if it is not known yet whether there is one */
  async project(name: string): Promise<ProjectReference | undefined> {
    if (this.store.volatile) return this.projects.find(name);
    return foundOrAbsent(this.completeness, [ACCOUNTS], () => this.projects.find(name));
  }

  /** After the last request. */
  onApplicationShutdown(): void {
    this.users.close();
    this.administrators.close();
    this.projects.close();
  }

  private async holderOf(hash: string): Promise<Holder | undefined> {
    const user = await this.users.find(hash);
    if (user) return { kind: 'user', actorId: user.userId, ...user };
    const administrator = await this.administrators.find(hash);
    if (administrator?.service !== 'messaging') return undefined;
    const { keyId, roles } = administrator;
    return { kind: 'service', actorId: keyId, userId: null, name: null, serviceRoles: roles, memberships: [] };
  }
}
