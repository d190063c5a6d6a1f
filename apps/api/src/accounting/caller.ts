import { covers, type Entitlement, type EntitlementScheme } from '#domain/accounting/access/entitlements.js';
import * as errors from './errors.js';

/** The tenant of a caller's issuer, and the names of its claims (accounting contract 1.3). */
export type CallerTenant = Readonly<{
  /** Routes of system administrators accept only callers of the default tenant. */
  isDefault: boolean;
  userClaim: string;
  serviceClaim: string;
  scheme: EntitlementScheme;
}>;

/** Result of authentication. `id`: `undefined` if the token has neither of the claims for it. */
type CallerFacts = Readonly<{
  id: string | undefined;
  issuer: string;
  name: string;
  email: string;
  tenant: CallerTenant;
  /** `undefined` if the token has no id by which to look them up. */
  entitlements: readonly Entitlement[] | undefined;
}>;

/** The holder of an access token. */
export class AccountingCaller {
  readonly issuer: string;
  /** Empty if the token has none. */
  readonly name: string;
  /** Empty if the token has none. */
  readonly email: string;
  readonly tenant: CallerTenant;

  /** Whose share of the common limits the calls use. Callers without an id use that of their issuer. */
  get shareName(): string {
    return `${this.facts.issuer} ${this.facts.id ?? ''}`;
  }

  constructor(private readonly facts: CallerFacts) {
    const { issuer, name, email, tenant } = facts;
    this.issuer = issuer;
    this.name = name;
    this.email = email;
    this.tenant = tenant;
  }

  /** Value of the id claim; the `creator_id` of records. @throws AccountingError 400 if the token has none */
  get id(): string {
    return this.facts.id ?? this.nameless();
  }

  /** @throws AccountingError 400 if the token has no id by which to look them up */
  get entitlements(): readonly Entitlement[] {
    return this.facts.entitlements ?? this.nameless();
  }

  /** True in the default tenant with the role admin on everything. */
  get isSystemAdministrator(): boolean {
    return this.tenant.isDefault && covers(this.entitlements, ['admin'], []);
  }

  private nameless(): never {
    throw errors.missingIdentifiers(this.tenant.userClaim, this.tenant.serviceClaim);
  }
}
