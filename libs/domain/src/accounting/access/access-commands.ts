import type { OidcTenant } from './access-events.js';

/** Members that a revision changes; the others keep what they are. */
export type OidcTenantChanges = { readonly [Member in keyof OidcTenant]?: OidcTenant[Member] };

/** Ids come with the command. */
export type AccessCommand =
  /** Does nothing when the client, told by `oidcId` and `issuer`, is known: what was recorded of it stays. */
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
