import type { Static } from '#domain/shared/shape.js';
import type { PERMISSION } from '#projections/accounting/components.js';

/** Operations that a client may perform on the records of a collection, in answers (accounting contract 3.9). */
export type GrantedPermission = Static<typeof PERMISSION>;
type Operation = GrantedPermission['access_permissions'][number]['operation'];

const always = (collection: string, ...operations: readonly Operation[]): GrantedPermission => ({
  access_permissions: operations.map((operation) => ({ operation, access_type: 'ALWAYS' })),
  collection,
});

const ALL = ['READ', 'CREATE', 'UPDATE', 'DELETE'] as const;

/** Permissions on a project, and on providers and installations below it. */
export type Permissions = Readonly<{ project: readonly GrantedPermission[]; below: readonly GrantedPermission[] }>;

export const ADMIN_PERMISSIONS: Permissions = {
  project: [always('Project', 'ASSOCIATE', 'DISSOCIATE', 'READ'), always('Metric', ...ALL), always('Installation', ...ALL)],
  below: [always('Metric', ...ALL), always('Installation', ...ALL)],
};

export const VIEWER_PERMISSIONS: Permissions = {
  project: [always('Project', 'READ'), always('Metric', 'READ'), always('Installation', 'READ')],
  below: [always('Metric', 'READ'), always('Installation', 'READ')],
};

/** General permissions, which every client has. */
export const GENERAL_PERMISSIONS: readonly GrantedPermission[] = ['MetricDefinition', 'UnitType', 'MetricType', 'Client', 'Provider'].map(
  (collection) => always(collection, ...ALL),
);
