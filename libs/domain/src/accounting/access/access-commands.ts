import type { OidcTenant } from './access-events.js';

/** The members to change. Absent members keep their values. */
export type OidcTenantChanges = { readonly [Member in keyof OidcTenant]?: OidcTenant[Member] };

/** The caller generates all ids. */
export type AccessCommand =
  /** `oidcId` and `issuer` identify the client. Registering a known client again changes nothing. */
  | Readonly<{ type: 'RegisterClient'; actorId: string; oidcId: string; issuer: string; name: string; email: string }>
  | Readonly<{ type: 'CreateEntitlement'; entitlementId: string; name: string }>
  | Readonly<{ type: 'RenameEntitlement'; entitlementId: string; name: string }>
  | Readonly<{ type: 'DeleteEntitlement'; entitlementId: string }>
  | Readonly<{ type: 'AssignEntitlement'; assignmentId: string; entitlementId: string; actorId: string }>
  | Readonly<{ type: 'DissociateEntitlement'; entitlementId: string; actorId: string }>
  | Readonly<{ type: 'CreateOidcTenant'; oidcTenantId: string; tenant: OidcTenant }>
  | Readonly<{ type: 'ReviseOidcTenant'; oidcTenantId: string; changes: OidcTenantChanges }>
  | Readonly<{ type: 'DeleteOidcTenant'; oidcTenantId: string }>
  | Readonly<{ type: 'ChangeSetting'; key: string; value: string }>;
