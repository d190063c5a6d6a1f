import { AccountingCaller, type CallerTenant } from '#api/accounting/caller.js';
import * as errors from '#api/accounting/errors.js';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { CommitCache } from '#api/shared/answers/commit-cache.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { cachedAccessKeys } from '#api/shared/http/cached-access-keys.js';
import { clientSubject, oidcTenantSubject } from '#domain/accounting/access/access-events.js';
import { ENTITLEMENTS_MANAGEMENT } from '#domain/accounting/access/access-settings.js';
import { actorIdOf, sameIssuer } from '#domain/accounting/access/clients.js';
import { type Entitlement, type EntitlementScheme, parseEntitlement } from '#domain/accounting/access/entitlements.js';
import { IssuerUnavailable, TokenRefused } from '#infra/edges/oidc/issuer-keys.js';
import { OWN_ISSUER } from '#infra/edges/oidc/own-tokens.js';
import { type TokenClaims, type TokenVerifier, unverifiedClaims, type VerifiedToken } from '#infra/edges/oidc/token-verifier.js';
import type { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import {
  ACCESS,
  type AccessConfiguration,
  AccessQueries,
  type EntitlementView,
  type OidcTenantView,
} from '#projections/accounting/access/queries.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

type AccessOptions = Readonly<{
  store: ReadStore;
  completeness: Completeness;
  tokens: TokenVerifier;
  credentialHashes: CredentialHashes;
  erased: ErasedSubjects;
  /** Issuers of the default tenant, in addition to Logbook itself. */
  issuers: readonly string[];
  /** Scheme for entitlements of the default tenant. */
  scheme: EntitlementScheme;
}>;

/** Issuer of a token: its key set, its tenant, and the source of its holders' entitlements. */
type Origin = Readonly<{ issuer: string; tenant: CallerTenant; mode: string | null }>;

const NOTHING_CHANGED: AccessConfiguration = { settings: {}, tenants: [] };
const EVERYTHING: readonly Entitlement[] = [{ segments: [], role: 'admin' }];

/** The holder of a token; valid while `holds` returns true. */
type Holder = Readonly<{ caller: AccountingCaller; holds: () => boolean }>;

/** Maximum number of cached callers. Each takes up to the 16 KiB of a request's headers. */
const MAX_CALLERS = 1_000;
const always = (): boolean => true;

/** Authenticates holders of access tokens and looks up their entitlements (accounting contract 1). */
export class AccountingAccess {
  private readonly configuration: CachedQuery<AccessConfiguration>;
  private readonly tenants: CachedQuery<OidcTenantView>;
  /** Ids of migrated clients, by the ids that follow from their claims. */
  private readonly broughtOver: CachedQuery<string>;
  /** Ids of entitlements by client id. */
  private readonly assigned: CachedQuery<readonly string[]>;
  private readonly entitlements: CachedQuery<EntitlementView>;
  private readonly administrators: CachedQuery<AccessKeyDocument>;
  /** By the hash of the token. */
  private readonly callers: CommitCache<Holder>;
  private readonly defaultTenant: CallerTenant;

  constructor(private readonly options: AccessOptions) {
    const { store, scheme } = options;
    const queries = new AccessQueries(store);
    this.configuration = new CachedQuery(store, [ACCESS], () => queries.configuration());
    this.tenants = new CachedQuery(store, [ACCESS], (id) => queries.oidcTenant(id));
    this.broughtOver = new CachedQuery(store, [ACCESS], (ownId) => queries.broughtOver(ownId));
    this.assigned = new CachedQuery(store, [ACCESS], (clientId) => queries.assignedTo(clientId));
    this.entitlements = new CachedQuery(store, [ACCESS], (id) => queries.entitlement(id));
    this.administrators = cachedAccessKeys(store);
    this.callers = new CommitCache(store, [ACCESS, ACCESS_KEYS], MAX_CALLERS);
    this.defaultTenant = { isDefault: true, userClaim: 'sub', serviceClaim: 'client_id', scheme };
  }

  /**
   * The caller behind a bearer token. Answers synchronously if the token was used lately.
   * @throws AccountingError 401; 400 for a token without issuer; 503 if its issuer cannot be reached
   * @throws ReadModelsUnavailable the holder is not known yet
   */
  authenticate(token: string): AccountingCaller | Promise<AccountingCaller> {
    const hash = this.options.credentialHashes.of(token);
    const known = this.callers.get(hash);
    if (known?.holds()) return known.caller;
    return this.callers.fill(hash, () => this.holder(token, hash)).then(({ caller }) => caller);
  }

  /** The caller now behind a token that was authenticated before. The token may have expired since. @throws as {@link authenticate} */
  async recognize(token: string): Promise<AccountingCaller> {
    const hash = this.options.credentialHashes.of(token);
    const known = this.callers.get(hash);
    if (known) return known.caller;
    return (await this.holder(token, hash, async () => ({ claims: unverifiedClaims(token) ?? {}, holds: always }))).caller;
  }

  /** The holder of a key, or an auditor of the past, as a system administrator. */
  asAdministrator({ keyId, name }: Pick<AccessKeyDocument, 'keyId' | 'name'>): AccountingCaller {
    return new AccountingCaller({
      id: keyId,
      issuer: OWN_ISSUER,
      name,
      email: '',
      tenant: this.defaultTenant,
      entitlements: EVERYTHING,
    });
  }

  onApplicationShutdown(): void {
    const { configuration, tenants, broughtOver, assigned, entitlements, administrators, callers } = this;
    for (const cache of [configuration, tenants, broughtOver, assigned, entitlements, administrators, callers]) cache.close();
  }

  private async holder(token: string, hash: string, verify = (issuer: string) => this.verified(token, issuer)): Promise<Holder> {
    const claimed = unverifiedClaims(token);
    if (!claimed) return { caller: await this.administrator(hash), holds: always };
    const { iss } = claimed;
    if (typeof iss !== 'string' || iss === '') throw errors.missingIssuer();
    const origin = await this.originOf(iss);
    if (!origin) throw errors.unauthorized();
    const { claims, holds } = await verify(origin.issuer);
    const { tenant } = origin;
    const id = textOf(claims[tenant.userClaim]) || textOf(claims[tenant.serviceClaim]) || undefined;
    const clientId = id === undefined ? undefined : await this.clientIdOf(iss, id);
    if (clientId !== undefined && (await this.options.erased.some(clientSubject(clientId)))) throw errors.unauthorized();
    const caller = new AccountingCaller({
      id,
      issuer: iss,
      name: textOf(claims.name),
      email: textOf(claims.email),
      tenant,
      entitlements: await this.entitlementsOf(origin, claims, clientId),
    });
    return { caller, holds };
  }

  private async clientIdOf(issuer: string, oidcId: string): Promise<string> {
    const ownId = actorIdOf(issuer, oidcId);
    return (await this.certain(ACCESS, this.broughtOver, ownId)) ?? ownId;
  }

  /** An opaque token is the key of an administrator of Logbook. */
  private async administrator(hash: string): Promise<AccountingCaller> {
    const key = await this.certain(ACCESS_KEYS, this.administrators, hash);
    if (key?.service !== 'accounting') throw errors.unauthorized();
    return this.asAdministrator(key);
  }

  private async originOf(iss: string): Promise<Origin | undefined> {
    const { settings, tenants } = (await this.certain(ACCESS, this.configuration, 'configuration')) ?? NOTHING_CHANGED;
    const { key, initial } = ENTITLEMENTS_MANAGEMENT;
    const ofDefault = { tenant: this.defaultTenant, mode: settings[key] ?? initial };
    if (iss === OWN_ISSUER) return { issuer: OWN_ISSUER, ...ofDefault };
    const found = tenants.find(({ issuer }) => sameIssuer(issuer, iss));
    if (found) {
      if (await this.options.erased.some(oidcTenantSubject(found.id))) return undefined;
      await this.tenants.find(found.id); // throws if the tenant is set aside: the configuration would show an earlier state of it
      const { issuer, userClaim, serviceClaim, namespace, parent, entitlementManagement: mode } = found;
      return { issuer, tenant: { isDefault: false, userClaim, serviceClaim, scheme: { namespace, parent } }, mode };
    }
    const issuer = this.options.issuers.find((one) => sameIssuer(one, iss));
    return issuer === undefined ? undefined : { issuer, ...ofDefault };
  }

  private async verified(token: string, issuer: string): Promise<VerifiedToken> {
    try {
      return await this.options.tokens.verify(token, issuer);
    } catch (error) {
      if (error instanceof TokenRefused) throw errors.unauthorized();
      if (error instanceof IssuerUnavailable) throw errors.issuerUnavailable();
      throw error;
    }
  }

  /** Entitlements in the token, or those assigned to the registered client, as the tenant chooses (accounting contract 1.4). */
  private async entitlementsOf({ tenant, mode }: Origin, claims: TokenClaims, clientId: string | undefined) {
    const parse = (names: readonly string[]) => names.flatMap((name) => parseEntitlement(name, tenant.scheme) ?? []);
    if (mode === 'oidc') return parse(Array.isArray(claims.entitlements) ? claims.entitlements.map(textOf) : []);
    if (clientId === undefined) return undefined;
    const assigned = await this.certain(ACCESS, this.assigned, clientId);
    const views = await Promise.all((assigned ?? []).map((entitlementId) => this.entitlements.find(entitlementId)));
    return parse(views.flatMap((view) => view?.name ?? []));
  }

  private certain<Found extends NonNullable<unknown>>(readModel: string, lookup: CachedQuery<Found>, key: string) {
    return foundOrAbsent(this.options.completeness, [readModel], () => lookup.find(key));
  }
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');
