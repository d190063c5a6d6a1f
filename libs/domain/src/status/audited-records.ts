import { type Mapping, type ResourceChange, type ResourceReference, streamId, text } from '#domain/shared/resource-change.js';

export const tenantReference = (id: string): ResourceReference => ({ service: 'status', kind: 'tenant', id });

/** A record that is deleted with its tenant. */
export const recordOfTenant = (kind: string, id: string, tenantId: string): ResourceChange => ({
  service: 'status',
  kind,
  id,
  owners: [tenantReference(tenantId)],
});

/** Records of a tenant whose stream is that of the tenant. */
export const inTenantStream =
  (kind: string): Mapping =>
  (event) => [recordOfTenant(kind, text(event.data, 'id'), streamId(event))];
