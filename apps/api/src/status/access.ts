import { cachedAccessKeys } from '#api/operations/access-keys/cached-access-keys.js';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { tenantSubject, userSubject } from '#domain/status/tenants/tenants.js';
import type { Completeness } from '#infra/projection-runner/completeness.js';
import type { CredentialHashes } from '#infra/secrets/credential-hashes.js';
import type { ErasedSubjects } from '#infra/secrets/erased-subjects.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type ApiKeyDocument, TENANTS, TenantQueries } from '#projections/status/tenants/queries.js';

/** Who calls: a user of a tenant, or the holder of an administrator's key. The two key stores are disjoint (status contract 1.2). */
export type StatusCaller =
  | Readonly<{ kind: 'tenant'; tenantId: string; actorId: string; roles: readonly string[] }>
  | Readonly<{ kind: 'admin'; actorId: string; roles: readonly string[] }>;

/** Finds out who calls. */
export class StatusAccess {
  private readonly users: CachedQuery<ApiKeyDocument>;
  private readonly administrators: CachedQuery<AccessKeyDocument>;

  constructor(
    store: ReadStore,
    private readonly completeness: Completeness,
    private readonly credentialHashes: CredentialHashes,
    erased: ErasedSubjects,
  ) {
    const tenants = new TenantQueries(store);
    this.users = new CachedQuery(store, [TENANTS], async (hash) => {
      const holder = await tenants.apiKeyHolder(hash);
      return holder && (await erased.some(userSubject(holder.userId), tenantSubject(holder.tenantId))) ? undefined : holder;
    });
    this.administrators = cachedAccessKeys(store);
  }

  /**
   * The caller behind a key, `undefined` if the key is unknown. Not a promise if the key was seen lately.
   * @throws ReadModelsUnavailable when it is not known yet whether somebody holds the key
   */
  authenticate(kind: StatusCaller['kind'], apiKey: string): StatusCaller | undefined | Promise<StatusCaller | undefined> {
    const hash = this.credentialHashes.of(apiKey);
    if (kind === 'tenant') return then(this.holder(TENANTS, this.users, hash), asUser);
    return then(this.holder(ACCESS_KEYS, this.administrators, hash), asAdministrator);
  }

  private holder<Found extends NonNullable<unknown>>(readModel: string, query: CachedQuery<Found>, hash: string) {
    return foundOrAbsent(this.completeness, [readModel], () => query.find(hash));
  }

  /** Called by Nest after the last request. */
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
