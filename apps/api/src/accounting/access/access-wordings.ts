import * as errors from '#api/accounting/errors.js';
import { detail, type Wordings } from '#api/accounting/wording.js';

/** Broken rules of clients, entitlements and OIDC tenants. */
export const accessWordings: Wordings = {
  ENTITLEMENT_NOT_FOUND: (details) => errors.entitlementNotFound(detail(details, 'id')),
  ACTOR_NOT_FOUND: (details) => errors.actorNotFound(detail(details, 'id')),
  OIDC_TENANT_NOT_FOUND: (details) => errors.oidcTenantNotFound(detail(details, 'id')),
  ENTITLEMENT_NAME_TAKEN: (details) => errors.entitlementTaken(detail(details, 'name')),
  ENTITLEMENT_NAME_IN_USE: errors.entitlementNameInUse,
  ENTITLEMENT_ASSIGNED: errors.entitlementAssigned,
  ENTITLEMENT_ASSIGNED_ALREADY: errors.alreadyAssigned,
  ENTITLEMENT_NOT_ASSIGNED: errors.notAssigned,
  ISSUER_TAKEN: (details) => errors.issuerTaken(detail(details, 'issuer')),
  TENANT_ID_TAKEN: (details) => errors.tenantIdTaken(detail(details, 'tenantId')),
  ISSUER_IN_USE: errors.issuerInUse,
  TENANT_ID_IN_USE: errors.tenantIdInUse,
};
