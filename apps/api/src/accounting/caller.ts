import { covers, type Entitlement, type EntitlementScheme } from '#domain/accounting/access/entitlements.js';
import * as errors from './errors.js';

/** The tenant of a caller's issuer, and the names of its claims (accounting contract 1.3). */
export type CallerTenant = Readonly<{
  /** The routes of system administrators are for callers of the default tenant only. */
  isDefault: boolean;
  userClaim: string;
  serviceClaim: string;
  scheme: EntitlementScheme;
}>;

/** What authentication found out about a caller. `id`: `undefined` if the token has neither of the claims for it. */
type CallerFacts = Readonly<{
  id: string | undefined;
  issuer: string;
  name: string;
  email: string;
  tenant: CallerTenant;
  /** `undefined` if they cannot be looked up because the token has no id. */
  entitlements: readonly Entitlement[] | undefined;
}>;

/** The holder of an access token. */
export class AccountingCaller {
  /** Of the token. */
  readonly issuer: string;
  /** Empty if the token has none. */
  readonly name: string;
  /** Empty if the token has none. */
  readonly email: string;
  readonly tenant: CallerTenant;

  /** Name of the share of the common limits that the calls count towards; callers without an id share the one of their issuer. */
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

  /** @throws AccountingError 400 if they cannot be looked up because the token has no id */
  get entitlements(): readonly Entitlement[] {
    return this.facts.entitlements ?? this.nameless();
  }

  /** Of the default tenant, with the role admin on everything. */
  get isSystemAdministrator(): boolean {
    return this.tenant.isDefault && covers(this.entitlements, ['admin'], []);
  }

  private nameless(): never {
    throw errors.missingIdentifiers(this.tenant.userClaim, this.tenant.serviceClaim);
  }
}
