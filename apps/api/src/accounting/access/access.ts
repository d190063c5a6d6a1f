import * as errors from '#api/accounting/errors.js';
import { cachedAccessKeys } from '#api/operations/access-keys/cached-access-keys.js';
import { CachedLookup } from '#api/shared/answers/cached-lookup.js';
import type { CachedQuery } from '#api/shared/answers/cached-query.js';
import { CommitCache } from '#api/shared/answers/commit-cache.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { ENTITLEMENTS_MANAGEMENT } from '#domain/accounting/access/access-settings.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { type Entitlement, type EntitlementScheme, parseEntitlement } from '#domain/accounting/access/entitlements.js';
import { IssuerUnavailable, sameIssuer, TokenRefused } from '#infra/oidc/issuer-keys.js';
import { OWN_ISSUER } from '#infra/oidc/own-tokens.js';
import { type TokenClaims, type TokenVerifier, unverifiedClaims, type VerifiedToken } from '#infra/oidc/token-verifier.js';
import type { Completeness } from '#infra/projection-runner/completeness.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import {
  ACCESS_CONFIGURATION,
  ACCESS_PROJECTION,
  type AccessConfiguration,
  accessCollections,
  type EntitlementDocument,
  type HolderDocument,
  type OidcTenantDocument,
} from '#projections/accounting/access/access.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AccountingCaller, type CallerTenant } from './caller.js';

export type AccessOptions = Readonly<{
  store: ReadStore;
  completeness: Completeness;
  tokens: TokenVerifier;
  /** Issuers of the default tenant, besides Logbook itself. */
  issuers: readonly string[];
  /** Of the entitlements of the default tenant. */
  scheme: EntitlementScheme;
}>;

/** The issuer a token claims to be of: where its keys are, its tenant, and where entitlements come from there. */
type Origin = Readonly<{ issuer: string; tenant: CallerTenant; mode: string }>;

const UNCHANGED: AccessConfiguration = { settings: {}, tenants: [] };
const EVERYTHING: readonly Entitlement[] = [{ segments: [], role: 'admin' }];

/** Whoever holds a token, as long as `holds` says so. */
type Holder = Readonly<{ caller: AccountingCaller; holds: () => boolean }>;

/** Callers in memory: a token has at most the 16 KiB of a request's headers. */
const MAX_CALLERS = 1_000;
const always = (): boolean => true;

/** Who the holder of an access token is, and what it may do (accounting contract 1). */
export class AccountingAccess {
  private readonly configuration: CachedLookup<AccessConfiguration>;
  private readonly tenants: CachedLookup<OidcTenantDocument>;
  private readonly holders: CachedLookup<HolderDocument>;
  private readonly entitlements: CachedLookup<EntitlementDocument>;
  private readonly administrators: CachedQuery<AccessKeyDocument>;
  /** By the hash of their token. */
  private readonly callers: CommitCache<Holder>;
  private readonly defaultTenant: CallerTenant;

  constructor(private readonly options: AccessOptions) {
    const { store, scheme } = options;
    this.configuration = new CachedLookup(store, ACCESS_PROJECTION, accessCollections.configuration);
    this.tenants = new CachedLookup(store, ACCESS_PROJECTION, accessCollections.oidcTenantsById);
    this.holders = new CachedLookup(store, ACCESS_PROJECTION, accessCollections.holders);
    this.entitlements = new CachedLookup(store, ACCESS_PROJECTION, accessCollections.entitlementsById);
    this.administrators = cachedAccessKeys(store);
    this.callers = new CommitCache(store, [ACCESS_PROJECTION, ACCESS_KEYS], MAX_CALLERS);
    this.defaultTenant = { isDefault: true, userClaim: 'sub', serviceClaim: 'client_id', scheme };
  }

  /**
   * The caller behind a bearer token; at once when it called a moment ago.
   * @throws AccountingError 401; 400 for a token without issuer; 503 when its issuer cannot be reached
   * @throws ReadModelIncomplete when it is not known yet who holds the token
   */
  authenticate(token: string): AccountingCaller | Promise<AccountingCaller> {
    const hash = hashCredential(token);
    const known = this.callers.get(hash);
    if (known?.holds()) return known.caller;
    return this.callers.fill(hash, () => this.holder(token, hash)).then(({ caller }) => caller);
  }

  /** After the last request. */
  onApplicationShutdown(): void {
    for (const memory of [this.configuration, this.tenants, this.holders, this.entitlements, this.administrators, this.callers])
      memory.close();
  }

  private async holder(token: string, hash: string): Promise<Holder> {
    const claimed = unverifiedClaims(token);
    if (!claimed) return { caller: await this.administrator(hash), holds: always };
    const { iss } = claimed;
    if (typeof iss !== 'string' || iss === '') throw errors.missingIssuer();
    const origin = await this.originOf(iss);
    if (!origin) throw errors.unauthorized();
    const { claims, holds } = await this.verified(token, origin.issuer);
    const { tenant } = origin;
    const id = textOf(claims[tenant.userClaim]) || textOf(claims[tenant.serviceClaim]) || undefined;
    const caller = new AccountingCaller({
      id,
      issuer: iss,
      name: textOf(claims.name),
      email: textOf(claims.email),
      tenant,
      entitlements: await this.entitlementsOf(origin, claims, id),
    });
    return { caller, holds };
  }

  /** An opaque token is that of an administrator of the installation. */
  private async administrator(hash: string): Promise<AccountingCaller> {
    const key = await this.certain(ACCESS_KEYS, this.administrators, hash);
    if (key?.service !== 'accounting') throw errors.unauthorized();
    return new AccountingCaller({
      id: key.keyId,
      issuer: OWN_ISSUER,
      name: key.name,
      email: '',
      tenant: this.defaultTenant,
      entitlements: EVERYTHING,
    });
  }

  private async originOf(iss: string): Promise<Origin | undefined> {
    const { settings, tenants } = (await this.certain(ACCESS_PROJECTION, this.configuration, ACCESS_CONFIGURATION)) ?? UNCHANGED;
    const { key, initial } = ENTITLEMENTS_MANAGEMENT;
    const ofDefault = { tenant: this.defaultTenant, mode: settings[key] ?? initial };
    if (iss === OWN_ISSUER) return { issuer: OWN_ISSUER, ...ofDefault };
    const found = tenants.find(({ issuer }) => sameIssuer(issuer, iss));
    if (found) {
      await this.tenants.find(found.id); // refused when the tenant is set aside: the configuration would show it as it was
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

  /** Those of the token, or those assigned to the registered client, as the tenant has it (accounting contract 1.4). */
  private async entitlementsOf({ tenant, mode }: Origin, claims: TokenClaims, id: string | undefined) {
    const parse = (names: readonly string[]) => names.flatMap((name) => parseEntitlement(name, tenant.scheme) ?? []);
    if (mode === 'oidc') return parse(Array.isArray(claims.entitlements) ? claims.entitlements.map(textOf) : []);
    if (id === undefined) return undefined;
    const holder = await this.certain(ACCESS_PROJECTION, this.holders, actorIdOf(textOf(claims.iss), id));
    const documents = await Promise.all((holder?.assigned ?? []).map(({ entitlementId }) => this.entitlements.find(entitlementId)));
    return parse(documents.flatMap((document) => document?.view.name ?? []));
  }

  private certain<Found extends NonNullable<unknown>>(projection: string, lookup: CachedQuery<Found>, key: string) {
    return foundOrAbsent(this.options.completeness, [projection], () => lookup.find(key));
  }
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');
