import { type Mapping, type ResourceChange, type ResourceReference, streamId, text } from '#domain/shared/resource-change.js';

export const tenantReference = (id: string): ResourceReference => ({ service: 'status', kind: 'tenant', id });

/** A record owned by its tenant, with which it is deleted. */
export const recordOfTenant = (kind: string, id: string, tenantId: string): ResourceChange => ({
  service: 'status',
  kind,
  id,
  owners: [tenantReference(tenantId)],
});

/** Maps events of a tenant's stream to one of the tenant's records. */
export const inTenantStream =
  (kind: string): Mapping =>
  (event) => [recordOfTenant(kind, text(event.data, 'id'), streamId(event))];
