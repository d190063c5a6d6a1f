import { cachedAccessKeys } from '#api/operations/access-keys/cached-access-keys.js';
import { CachedLookup } from '#api/shared/answers/cached-lookup.js';
import type { CachedQuery } from '#api/shared/answers/cached-query.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import type { Completeness } from '#infra/projection-runner/completeness.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type ApiKeyDocument, TENANTS_PROJECTION, tenantCollections } from '#projections/status/tenants/tenants.js';

/** Who calls: a user of a tenant, or the holder of an administrator's key. The two key stores are disjoint (status contract 1.2). */
export type StatusCaller =
  | Readonly<{ kind: 'tenant'; tenantId: string; actorId: string; roles: readonly string[] }>
  | Readonly<{ kind: 'admin'; actorId: string; roles: readonly string[] }>;

export class StatusAccess {
  private readonly users: CachedLookup<ApiKeyDocument>;
  private readonly administrators: CachedQuery<AccessKeyDocument>;

  constructor(
    store: ReadStore,
    private readonly completeness: Completeness,
  ) {
    this.users = new CachedLookup(store, TENANTS_PROJECTION, tenantCollections.apiKeys);
    this.administrators = cachedAccessKeys(store);
  }

  /**
   * The caller behind a key, nothing when the key is unknown. At once when the key was seen lately.
   * @throws ReadModelIncomplete when it is not known yet whether somebody holds the key
   */
  authenticate(kind: StatusCaller['kind'], apiKey: string): StatusCaller | undefined | Promise<StatusCaller | undefined> {
    const hash = hashCredential(apiKey);
    if (kind === 'tenant') return then(this.holder(TENANTS_PROJECTION, this.users, hash), asUser);
    return then(this.holder(ACCESS_KEYS, this.administrators, hash), asAdministrator);
  }

  private holder<Found extends NonNullable<unknown>>(projection: string, lookup: CachedQuery<Found>, hash: string) {
    return foundOrAbsent(this.completeness, [projection], () => lookup.find(hash));
  }

  /** After the last request. */
  onApplicationShutdown(): void {
    this.users.close();
    this.administrators.close();
  }
}

const then = <A, B>(value: A | Promise<A>, step: (value: A) => B): B | Promise<B> =>
  value instanceof Promise ? value.then(step) : step(value);

const asUser = (holder: ApiKeyDocument | undefined): StatusCaller | undefined =>
  holder && { kind: 'tenant', tenantId: holder.tenantId, actorId: holder.userId, roles: holder.roles };

const asAdministrator = (key: AccessKeyDocument | undefined): StatusCaller | undefined =>
  key?.service === 'status' ? { kind: 'admin', actorId: key.keyId, roles: key.roles } : undefined;
