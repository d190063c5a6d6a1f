import * as errors from '#api/accounting/errors.js';
import { covers, type Entitlement, type EntitlementScheme } from '#domain/accounting/access/entitlements.js';

/** Of whom a caller's issuer is a part, and what its claims are called (accounting contract 1.3). */
export type CallerTenant = Readonly<{
  /** The routes of system administrators are for callers of the default tenant only. */
  isDefault: boolean;
  userClaim: string;
  serviceClaim: string;
  scheme: EntitlementScheme;
}>;

/** What the edge found out about a caller. `id`: none when the token has neither of the claims that hold it. */
export type CallerFacts = Readonly<{
  id: string | undefined;
  issuer: string;
  name: string;
  email: string;
  tenant: CallerTenant;
  /** Nothing when they could not be looked up for want of an id. */
  entitlements: readonly Entitlement[] | undefined;
}>;

/** Who calls. */
export class AccountingCaller {
  /** Of the token. */
  readonly issuer: string;
  /** Empty when the token has none. */
  readonly name: string;
  /** Empty when the token has none. */
  readonly email: string;
  readonly tenant: CallerTenant;

  /** Whose share of what all callers have together the calls count in; those without an id share their issuer's. */
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

  /** The value of the id claim: what `creator_id` holds everywhere. @throws AccountingError 400 when the token has none */
  get id(): string {
    return this.facts.id ?? this.nameless();
  }

  /** @throws AccountingError 400 when they cannot be looked up because the token has no id */
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
