const READERS = ['admin', 'editor', 'viewer', 'admin_ui'];
const VIEWERS = ['admin', 'editor', 'viewer'];
const OPERATORS = ['admin', 'editor', 'admin_ui'];
const WRITERS = ['admin', 'editor'];
const ADMINISTRATORS = ['super_admin', 'super_admin_restricted', 'super_admin_ui'];
const SUPER = ['super_admin'];

/**
 * Who may call what (status contract 2, extended contract 1; gaps filled as they recommend: reads like their siblings, writes for
 * admin and editor). A caller passes when it holds one of the roles.
 */
export const STATUS_ROLES = {
  'operationsProfiles.list': READERS,
  'operationsProfiles.get': READERS,
  'operationsProfiles.create': WRITERS,
  'operationsProfiles.update': WRITERS,
  'operationsProfiles.delete': WRITERS,
  'aggregationProfiles.list': READERS,
  'aggregationProfiles.get': READERS,
  'aggregationProfiles.create': WRITERS,
  'aggregationProfiles.update': WRITERS,
  'aggregationProfiles.delete': WRITERS,
  'metricProfiles.list': READERS,
  'metricProfiles.get': READERS,
  'metricProfiles.create': WRITERS,
  'metricProfiles.update': WRITERS,
  'metricProfiles.delete': WRITERS,
  'weights.list': READERS,
  'weights.get': READERS,
  'weights.create': WRITERS,
  'weights.update': WRITERS,
  'weights.delete': WRITERS,
  'reports.list': READERS,
  'reports.get': READERS,
  'reports.create': WRITERS,
  'reports.update': WRITERS,
  'reports.delete': WRITERS,
  'thresholdsProfiles.list': READERS,
  'thresholdsProfiles.get': READERS,
  'thresholdsProfiles.create': WRITERS,
  'thresholdsProfiles.update': WRITERS,
  'thresholdsProfiles.delete': WRITERS,
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
  'tenants.list': ADMINISTRATORS,
  'tenants.get': ADMINISTRATORS,
  'tenants.user_by_id': ADMINISTRATORS,
  'tenants.get_status': ADMINISTRATORS,
  'tenants.create': SUPER,
  'tenants.update': SUPER,
  'tenants.delete': SUPER,
  'tenants.update_status': SUPER,
  'tenants.list_users': SUPER,
  'tenants.get_user': SUPER,
  'tenants.create_user': SUPER,
  'tenants.update_user': SUPER,
  'tenants.delete_user': SUPER,
  'tenants.user_refresh_token': SUPER,
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
  'factors.list': READERS,
  'latest.get': READERS,
  'issues.list_endpoints': VIEWERS,
  'issues.list_group_metrics': VIEWERS,
  'metrics.get': READERS,
  'metrics_report.get': READERS,
  'metrics_admin.get': SUPER,
  'metrics_admin.update': SUPER,
} as const satisfies Record<string, readonly string[]>;

/** `<resource>.<action>`, as in the contract. */
export type RouteName = keyof typeof STATUS_ROLES;

export const mayCall = (route: RouteName, roles: readonly string[]): boolean => {
  const allowed: readonly string[] = STATUS_ROLES[route];
  return roles.some((role) => allowed.includes(role));
};
