import { cachedAccessKeys } from '#api/operations/access-keys/cached-access-keys.js';
import { CachedLookup } from '#api/shared/answers/cached-lookup.js';
import type { CachedQuery } from '#api/shared/answers/cached-query.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import type { Membership } from '#domain/messaging/accounts/account-events.js';
import type { Completeness } from '#infra/projection-runner/completeness.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import type { ProjectReference, TokenDocument } from '#projections/messaging/accounts/account-documents.js';
import { ACCOUNTS_PROJECTION, accountCollections } from '#projections/messaging/accounts/accounts.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import { keyPart } from '#projections/shared/key-part.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/**
 * Who holds a key: a user, or whoever has the service token or another administrator's key (messaging contract 1.2), who is no user.
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

export class MessagingAccess {
  private readonly users: CachedLookup<TokenDocument>;
  private readonly administrators: CachedQuery<AccessKeyDocument>;
  private readonly projects: CachedLookup<ProjectReference>;

  constructor(
    store: ReadStore,
    private readonly completeness: Completeness,
  ) {
    this.users = new CachedLookup(store, ACCOUNTS_PROJECTION, accountCollections.tokens);
    this.administrators = cachedAccessKeys(store);
    this.projects = new CachedLookup(store, ACCOUNTS_PROJECTION, accountCollections.projectsByName);
  }

  /** Nothing when nobody holds the key. @throws ReadModelIncomplete when that is not known yet */
  async authenticate(key: string): Promise<Holder | undefined> {
    const hash = hashCredential(key);
    return foundOrAbsent(this.completeness, [ACCOUNTS_PROJECTION, ACCESS_KEYS], () => this.holderOf(hash));
  }

  private async holderOf(hash: string): Promise<Holder | undefined> {
    const user = await this.users.find(hash);
    if (user) return { kind: 'user', actorId: user.userId, ...user };
    const administrator = await this.administrators.find(hash);
    if (administrator?.service !== 'messaging') return undefined;
    const { keyId, roles } = administrator;
    return { kind: 'service', actorId: keyId, userId: null, name: null, serviceRoles: roles, memberships: [] };
  }

  /** The project that has this name now. @throws ReadModelIncomplete when it is not known yet whether there is one */
  async project(name: string): Promise<ProjectReference | undefined> {
    return foundOrAbsent(this.completeness, [ACCOUNTS_PROJECTION], () => this.projects.find(keyPart(name)));
  }

  /** After the last request. */
  onApplicationShutdown(): void {
    this.users.close();
    this.administrators.close();
    this.projects.close();
  }
}
