import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { cachedAccessKeys } from '#api/shared/http/cached-access-keys.js';
import { tenantSubject, userSubject } from '#domain/status/tenants/tenants.js';
import type { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type ApiKeyDocument, TENANTS, TenantQueries } from '#projections/status/tenants/queries.js';

/** Caller: a user of a tenant, or the holder of an administrator's key. The two key stores are disjoint (status contract 1.2). */
export type StatusCaller =
  /** `isKey`: set for an administrator who acts in a tenant. `isAuditor`: set for an auditor of the past. Both are absent for users of the tenant. */
  | Readonly<{ kind: 'tenant'; tenantId: string; actorId: string; roles: readonly string[]; isKey?: true; isAuditor?: true }>
  | Readonly<{ kind: 'admin'; actorId: string; roles: readonly string[] }>;

/** Keys that a route accepts: those of users of tenants, of administrators, of either if a node is requested, or of integrations. */
type Keys = 'tenant' | 'admin' | 'node' | 'integration';

/** Allowed callers of a route: holders of a key of this kind with one of the roles. */
export type AllowedCallers = Readonly<{ keys: Keys; roles: readonly string[] }>;

export const mayCall = (who: AllowedCallers, roles: readonly string[]): boolean => roles.some((role) => who.roles.includes(role));

/** Scope of a call. `tenantId`: from the header `x-tenant-id`; `node`: from the path. */
export type CalledFor = Readonly<{ tenantId?: string | undefined; node?: string | undefined }>;

/** The roles of an administrator's key inside a tenant. Other keys have none. Users of tenants, whose roles are free texts, never have these roles. */
const ROLES_IN_TENANT: Readonly<Record<string, string>> = {
  super_admin: 'admin',
  super_admin_restricted: 'viewer',
  super_admin_ui: 'admin_ui',
};

/** All possible ids of tenants. */
export const TENANT_ID = /^[\w-]{1,64}$/;

/** A tenant that is not deleted. */
type KnownTenant = Readonly<{ tenantId: string }>;

/** Authenticates callers (status contract 1.2; status contract of 2026, 1). */
export class StatusAccess {
  private readonly users: CachedQuery<ApiKeyDocument>;
  private readonly administrators: CachedQuery<AccessKeyDocument>;
  private readonly tenants: CachedQuery<KnownTenant>;
  private readonly nodes: CachedQuery<KnownTenant>;

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
    const standing = async (tenantId: string): Promise<KnownTenant | undefined> =>
      (await erased.some(tenantSubject(tenantId))) ? undefined : { tenantId };
    this.tenants = new CachedQuery(store, [TENANTS], async (id) => ((await tenants.tenant(id)) ? standing(id) : undefined));
    this.nodes = new CachedQuery(store, [TENANTS], async (name) => {
      const named = await tenants.named(name);
      return named?.node ? standing(named.tenantId) : undefined;
    });
  }

  /**
   * The holder of a key, `undefined` if the call does not accept the key. Answers synchronously if the key was looked up lately.
   * @throws ReadModelsUnavailable the answer is not known yet
   */
  authenticate(keys: Keys, apiKey: string, calledFor: CalledFor = {}): StatusCaller | undefined | Promise<StatusCaller | undefined> {
    const hash = this.credentialHashes.of(apiKey);
    switch (keys) {
      case 'admin':
        return then(this.administrator(hash), asAdministrator);
      case 'integration':
        return then(this.administrator(hash), asIntegration);
      case 'node':
        return this.atNode(hash, calledFor.node ?? '');
      case 'tenant':
        return calledFor.tenantId ? this.inTenant(hash, calledFor.tenantId) : then(this.holder(TENANTS, this.users, hash), asUser);
    }
  }

  private administrator(hash: string) {
    return this.holder(ACCESS_KEYS, this.administrators, hash);
  }

  /** An administrator who acts as a user of a tenant. The roles are those of the key and their counterparts in the tenant. */
  private async inTenant(hash: string, tenantId: string): Promise<StatusCaller | undefined> {
    const key = asAdministrator(await this.administrator(hash));
    const roles = key?.roles.flatMap((role) => (ROLES_IN_TENANT[role] === undefined ? [] : [role, ROLES_IN_TENANT[role]])) ?? [];
    if (!key || roles.length === 0 || !TENANT_ID.test(tenantId) || !(await this.holder(TENANTS, this.tenants, tenantId))) return undefined;
    return { kind: 'tenant', tenantId, actorId: key.actorId, roles, isKey: true };
  }

  /** An administrator, or a user of the tenant that is the node. */
  private async atNode(hash: string, name: string): Promise<StatusCaller | undefined> {
    const node = await this.holder(TENANTS, this.nodes, name);
    if (!node) return undefined;
    const { tenantId } = node;
    const key = asAdministrator(await this.administrator(hash));
    if (key?.roles.some(isOfKey)) return { kind: 'tenant', tenantId, actorId: key.actorId, roles: key.roles, isKey: true };
    const user = asUser(await this.holder(TENANTS, this.users, hash));
    return user?.kind === 'tenant' && user.tenantId === tenantId ? user : undefined;
  }

  private holder<Found extends NonNullable<unknown>>(readModel: string, query: CachedQuery<Found>, by: string) {
    return foundOrAbsent(this.completeness, [readModel], () => query.find(by));
  }

  /** Called by Nest after the last request. */
  onApplicationShutdown(): void {
    this.users.close();
    this.administrators.close();
    this.tenants.close();
    this.nodes.close();
  }
}

const then = <A, B>(value: A | Promise<A>, step: (value: A) => B): B | Promise<B> =>
  value instanceof Promise ? value.then(step) : step(value);

const isOfKey = (role: string): boolean => Object.hasOwn(ROLES_IN_TENANT, role);

const asUser = (holder: ApiKeyDocument | undefined): StatusCaller | undefined =>
  holder && { kind: 'tenant', tenantId: holder.tenantId, actorId: holder.userId, roles: holder.roles.filter((role) => !isOfKey(role)) };

const asAdministrator = (key: AccessKeyDocument | undefined): StatusCaller | undefined =>
  key?.service === 'status' ? { kind: 'admin', actorId: key.keyId, roles: key.roles } : undefined;

const isOfComponent = (role: string): boolean => role.startsWith('component_');

const asIntegration = (key: AccessKeyDocument | undefined): StatusCaller | undefined =>
  key?.roles.some(isOfComponent) ? asAdministrator(key) : undefined;
