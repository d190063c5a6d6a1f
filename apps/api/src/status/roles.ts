const READERS = ['admin', 'editor', 'viewer', 'admin_ui'];
const VIEWERS = ['admin', 'editor', 'viewer'];
const OPERATORS = ['admin', 'editor', 'admin_ui'];
const WRITERS = ['admin', 'editor'];
const ADMINISTRATORS = ['super_admin', 'super_admin_restricted', 'super_admin_ui'];
const SUPER = ['super_admin'];
/** Keys of integrations: what a component of the infrastructure may call. */
const COMPONENTS = ['component_engine', 'component_monbox', 'component_poem'];

/**
 * Who may call what, besides the routes of dated records (status contract 2, status extended contract 1, status contract of 2026, 2; where these say nothing, reads are like their siblings,
 * and writes for admin and editor). A caller passes if it holds one of the roles.
 */
export const STATUS_ROLES = {
  'reports.list': READERS,
  'reports.get': READERS,
  'reports.create': WRITERS,
  'reports.update': WRITERS,
  'reports.delete': WRITERS,
  'reports.set_public': WRITERS,
  'reports.set_private': WRITERS,
  'reports.set_node_report': ['super_admin', ...WRITERS],
  'recomputations.list': OPERATORS,
  'recomputations.get': OPERATORS,
  'recomputations.submit': OPERATORS,
  'recomputations.update': OPERATORS,
  'recomputations.delete': OPERATORS,
  'recomputations.changeStatus': OPERATORS,
  'recomputations.resetStatus': OPERATORS,
  'metricResult.get': READERS,
  'metricData.create': WRITERS,
  'status.list': READERS,
  'status.get': READERS,
  'v3.status.list': READERS,
  'v3.status.list-by-id': READERS,
  'tenants.list': [...ADMINISTRATORS, 'super_admin_viewer'],
  'tenants.get': ADMINISTRATORS,
  'tenants.user_by_id': ADMINISTRATORS,
  'tenants.get_status': ADMINISTRATORS,
  'tenants.create': SUPER,
  'tenants.update': SUPER,
  'tenants.delete': SUPER,
  'tenants.update_status': SUPER,
  'tenants.update_info': SUPER,
  'tenants.update_db_conf': SUPER,
  'tenants.update_topology': SUPER,
  'tenants.get_ready': SUPER,
  'tenants.update_ready': SUPER,
  'tenants.node_set': SUPER,
  'tenants.node_unset': SUPER,
  'v3.components.access_refresh': COMPONENTS,
  'tenants.list_users': SUPER,
  'tenants.get_user': SUPER,
  'tenants.create_user': SUPER,
  'tenants.update_user': SUPER,
  'tenants.delete_user': SUPER,
  'tenants.user_refresh_token': SUPER,
  'tenants.get_metric_source': SUPER,
  'tenants.update_metric_source': SUPER,
  'tenants.delete_metric_source': SUPER,
  'tenants.retry_metric_source': SUPER,
  'tenants.get_status_notifications': SUPER,
  'tenants.update_status_notifications': SUPER,
  'tenants.delete_status_notifications': SUPER,
  'topology_tags.list': READERS,
  'topology_stats.list': READERS,
  'topology_endpoints.insert': WRITERS,
  'topology_endpoints.list': WRITERS,
  'topology_endpoints.delete': WRITERS,
  'topology_groups.insert': WRITERS,
  'topology_groups.list': WRITERS,
  'topology_groups.delete': WRITERS,
  'topology_service_types.insert': WRITERS,
  'topology_service_types.list': WRITERS,
  'topology_service_types.delete': WRITERS,
  'topology_groups_report.list': WRITERS,
  'topology_endpoints_report.list': WRITERS,
  'downtimes.list': VIEWERS,
  'downtimes.create': WRITERS,
  'downtimes.delete': WRITERS,
  'feeds.topo.get': WRITERS,
  'feeds.topo.update': WRITERS,
  'feeds.weights.get': WRITERS,
  'feeds.weights.update': WRITERS,
  'feeds.data.get': WRITERS,
  'feeds.data.update': WRITERS,
  'feeds.data_readers.get': WRITERS,
  'feeds.data_readers.update': ['admin', ...SUPER],
  'factors.list': READERS,
  'latest.get': READERS,
  'issues.list_endpoints': VIEWERS,
  'issues.list_group_metrics': VIEWERS,
  'metrics.get': READERS,
  'metrics_report.get': READERS,
  'metrics_admin.get': SUPER,
  'metrics_admin.update': SUPER,
  'v4.nodes': ['super_admin', ...VIEWERS],
  'results.list': READERS,
  'results.get': READERS,
  'v3.ar.list': READERS,
  'v3.ar.list-by-id': READERS,
  'trends.flapping_metrics': READERS,
  'trends.flapping_metrics_tags': READERS,
  'trends.flapping_endpoints': READERS,
  'trends.flapping_services': READERS,
  'trends.flapping_endpoint_groups': READERS,
  'trends.status_metrics': READERS,
  'trends.status_metrics_tags': READERS,
  'trends.status_endpoints': READERS,
  'trends.status_services': READERS,
  'trends.status_endpoint_groups': READERS,
  health: ['editor', 'viewer'],
  'consistency.result': ['editor', 'consitency-viewer', 'consistency-viewer'], // sic, and as it is meant
  'consistency.ack': ['consistency-ack'],
  'consistency.auto-check': ['consistency-check'],
} as const satisfies Record<string, readonly string[]>;

/** Who may do what with dated records, whatever their kind; a kind with other rules has lines of its own in {@link STATUS_ROLES}. */
const DATED_ROLES = { list: READERS, get: READERS, create: WRITERS, update: WRITERS, delete: WRITERS } as const;

/** Routes of resources with rules of their own. `<resource>.<action>`, as in the contract. */
export type NamedRoute = keyof typeof STATUS_ROLES;

export type DatedAction = keyof typeof DATED_ROLES;
export type RouteName = NamedRoute | `${string}.${DatedAction}`;

type Roles = Readonly<Record<string, readonly string[] | undefined>>;
const named: Roles = STATUS_ROLES;
const dated: Roles = DATED_ROLES;

export const mayCall = (route: RouteName, roles: readonly string[]): boolean => {
  const allowed = named[route] ?? dated[route.slice(route.indexOf('.') + 1)] ?? [];
  return roles.some((role) => allowed.includes(role));
};
