import { component, either, nullable } from '#api/shared/openapi/shape.js';

export const DEFAULTS = component('StatusDefaults', { down: 'text', missing: 'text', unknown: 'text' });
export const OPERATIONS_PROFILE = component('StatusOperationsProfile', {
  id: 'text',
  date: 'day',
  name: 'text',
  available_states: ['text'],
  defaults: DEFAULTS,
  operations: [{ name: 'text', truth_table: [{ a: 'text', b: 'text', x: 'text' }] }],
});
export const METRIC_PROFILE = component('StatusMetricProfile', {
  id: 'text',
  date: 'day',
  name: 'text',
  description: 'text',
  services: [{ service: 'text', metrics: ['text'] }],
});
export const WEIGHT = component('StatusWeight', {
  id: 'text',
  date: 'day',
  name: 'text',
  weight_type: 'text',
  group_type: 'text',
  groups: [{ name: 'text', value: 'number' }],
});
export const COMPUTATIONS = component('StatusComputations', { ar: 'flag', status: 'flag', trends: ['text'] });
export const FIGURES = component('StatusFigures', {
  availability: either('text', 'number'),
  reliability: either('text', 'number'),
  uptime: either('text', 'number'),
  unknown: either('text', 'number'),
  downtime: either('text', 'number'),
  'timestamp?': 'text',
});
export const PROFILE_REFERENCE = component('StatusProfileReference', { id: 'text', name: 'text', type: 'text' });
export const FILTER_TAG = component('StatusFilterTag', { name: 'text', value: 'text', context: 'text' });
export const REPORT = component('StatusReport', {
  id: 'text',
  tenant: 'text',
  disabled: 'flag',
  'info?': { '*': 'text' },
  computations: COMPUTATIONS,
  'thresholds?': FIGURES,
  topology_schema: {
    '*': either('text', 'integer', [nullable(either('integer', 'flag', ['any'], { '*': 'any' }))], {
      'type?': nullable('text'),
      'group?': nullable(
        either('integer', {
          'type?': 'text',
          'group?': {
            group: {
              group: {
                group: {
                  group: {
                    group: {
                      group: {
                        group: {
                          group: {
                            group: {
                              group: {
                                group: {
                                  group: {
                                    group: {
                                      group: {
                                        group: {
                                          group: {
                                            group: {
                                              group: {
                                                group: {
                                                  group: {
                                                    group: {
                                                      group: {
                                                        group: { group: { group: { group: { group: { group: { '*': 'any' } } } } } },
                                                      },
                                                    },
                                                  },
                                                },
                                              },
                                            },
                                          },
                                        },
                                      },
                                    },
                                  },
                                },
                              },
                            },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        }),
      ),
      'x?': 'integer',
      'Type?': 'integer',
    }),
  },
  profiles: [PROFILE_REFERENCE],
  filter_tags: [FILTER_TAG],
  'weight?': 'text',
});
export const METRIC_SELECTOR = component('StatusMetricSelector', {
  'metric?': 'text',
  'hostname?': 'text',
  'service?': 'text',
  'group?': 'text',
  'state?': 'text',
});
export const EXCLUDE_MONITORING_SOURCE = component('StatusExcludeMonitoringSource', {
  host: 'text',
  start_time: 'instant',
  end_time: 'text',
});
export const RECOMPUTATION = component('StatusRecomputation', {
  id: 'text',
  requester_name: 'text',
  requester_email: 'text',
  reason: 'text',
  start_time: 'text',
  end_time: 'text',
  report: 'text',
  exclude: ['text'],
  status: 'text',
  timestamp: 'instant',
  history: [{ status: 'text', timestamp: 'instant' }],
  'exclude_metrics?': [METRIC_SELECTOR],
  'exclude_monitoring_source?': [EXCLUDE_MONITORING_SOURCE],
  'applied_status_changes?': [METRIC_SELECTOR],
});
export const USER = component('StatusUser', { id: 'text', name: 'text', email: 'text', 'api_key?': 'text', 'roles?': ['text'] });
export const DB_CONF = component('StatusDbConf', {
  store: 'text',
  server: 'text',
  port: 'integer',
  database: 'text',
  username: 'text',
  password: 'text',
});
export const TENANT = component('StatusTenant', {
  id: 'text',
  'info?': { '*': 'text' },
  topology: { type: 'text', feed: 'text' },
  'users?': [USER],
  'db_conf?': [DB_CONF],
});
export const TOPOLOGY_ENDPOINT = component('StatusTopologyEndpoint', {
  date: 'day',
  group: 'text',
  type: 'text',
  service: 'text',
  hostname: 'text',
  tags: nullable({ '*': 'text' }),
  'notifications?': { 'contacts?': ['text'], 'enabled?': 'flag' },
  'tenant?': 'text',
});
export const TOPOLOGY_GROUP = component('StatusTopologyGroup', {
  date: 'day',
  group: 'text',
  type: 'text',
  subgroup: 'text',
  tags: nullable({ '*': 'text' }),
  'notifications?': { contacts: ['text'] },
  'tenant?': 'text',
});
export const SERVICE_TYPE = component('StatusServiceType', {
  date: 'day',
  name: 'text',
  title: 'text',
  description: 'text',
  'tags?': ['text'],
  'tenant?': 'text',
});
export const DOWNTIME = component('StatusDowntime', {
  hostname: 'text',
  service: 'text',
  start_time: 'text',
  end_time: 'text',
  'description?': 'text',
  'classification?': 'text',
  'severity?': 'text',
});
export const FEED = component('StatusFeed', {
  type: 'text',
  feed_url: 'text',
  paginated: 'text',
  fetch_type: ['text'],
  uid_endpoints: 'text',
});
export const FEED_FEED = component('StatusFeedFeed', { type: 'text', feed_url: 'text', weight_type: 'text', group_type: 'text' });
export const CONSISTENCY_BRIEF = component('StatusConsistencyBrief', { status: 'text', timestamp: 'instant', message: 'text' });
export const CONSISTENCY = component('StatusConsistency', {
  status: 'text',
  timestamp: 'instant',
  message: 'text',
  'auto_check_status?': 'text',
  'auto_check_mesage?': 'text',
  'auto_check_message?': 'text',
  'auto_check_timestamp?': 'instant',
});
export const CONSISTENCY_ACKNOWLEDGED = component('StatusConsistencyAcknowledged', {
  status: 'text',
  timestamp: 'instant',
  message: 'text',
  'auto_check_status?': 'text',
  'auto_check_mesage?': 'text',
  'auto_check_message?': 'text',
  'auto_check_timestamp?': 'instant',
  'ack_status?': 'text',
  'ack_message?': 'text',
  'ack_timestamp?': 'instant',
  'ack_timeout_hours?': 'integer',
});
export const VERSION = component('StatusVersion', {
  release: 'text',
  commit: 'text',
  build_time: 'instant',
  golang: 'text',
  compiler: 'text',
  os: 'text',
  architecture: 'text',
});
export const AMS_STATE = component('StatusAmsState', {
  ingestion: 'flag',
  publishing: 'flag',
  status_streaming: 'flag',
  messages_arrived: 'integer',
});
export const TENANT_STATE = component('StatusTenantState', {
  total_status: 'flag',
  ams: { metric_data: AMS_STATE, sync_data: AMS_STATE },
  hdfs: { metric_data: 'flag', 'sync_data?': { '*': { '*': 'flag' } } },
  engine_config: 'flag',
  last_check: 'text',
});
export const TOPOLOGY_GROUP_OF_TENANT = component('StatusTopologyGroupOfTenant', {
  group_count: 'integer',
  group_type: 'text',
  group_list: ['text'],
  endpoint_group_count: 'integer',
  endpoint_group_type: 'text',
  endpoint_group_list: ['text'],
  service_count: 'integer',
  service_list: ['text'],
});
export const RESULT_DETAILS = component('StatusResultDetails', {
  Timestamp: 'instant',
  Value: 'text',
  Summary: 'text',
  Message: 'text',
  'actual_data?': 'text',
  'threshold_rule_applied?': 'text',
  'original_status?': 'text',
});
export const METRIC_RESULT = component('StatusMetricResult', { Name: 'text', 'Service?': 'text', Details: [RESULT_DETAILS] });
export const ISSUE = component('StatusIssue', {
  timestamp: 'instant',
  endpoint_group: 'text',
  service: 'text',
  endpoint: 'text',
  status: 'text',
  'info?': { '*': 'text' },
});
export const FLAT_ENDPOINT_TIMELINE = component('StatusFlatEndpointTimeline', {
  name: 'text',
  service: 'text',
  supergroup: 'text',
  'info?': { '*': 'text' },
  statuses: [{ timestamp: 'instant', value: 'text' }],
});
export const CHANGE = component('StatusChange', { timestamp: 'instant', value: 'text', 'affected_by_threshold_rule?': 'flag' });
export const ENDPOINT_TIMELINE = component('StatusEndpointTimeline', {
  hostname: 'text',
  service: 'text',
  'info?': { '*': 'text' },
  statuses: [CHANGE],
  'group?': 'text',
});
export const CHANGE_OF_METRIC = component('StatusChangeOfMetric', {
  timestamp: 'instant',
  value: 'text',
  'actual_data?': 'text',
  'threshold_rule_applied?': 'text',
  'original_status?': 'text',
});
export const GROUP_TIMELINE = component('StatusGroupTimeline', {
  name: 'text',
  type: 'text',
  'statuses?': [CHANGE],
  'endpoints?': [
    {
      'hostname?': 'text',
      'service?': 'text',
      'info?': { '*': 'text' },
      'statuses?': [CHANGE],
      'name?': 'text',
      'type?': 'text',
      'results?': [FIGURES],
      'metrics?': [{ name: 'text', statuses: [CHANGE_OF_METRIC] }],
    },
  ],
});
export const FLAT_ENDPOINT_RESULTS = component('StatusFlatEndpointResults', {
  name: 'text',
  service: 'text',
  supergroup: 'text',
  'type?': 'text',
  'info?': { '*': 'text' },
  results: [FIGURES],
});
export const DAY_RESULTS = component('StatusDayResults', {
  'date?': 'text',
  availability: 'text',
  reliability: 'text',
  unknown: 'text',
  uptime: 'text',
  downtime: 'text',
});
export const DAY_FIGURES = component('StatusDayFigures', { 'timestamp?': 'text', availability: 'text', reliability: 'text' });
export const SERVICE_FLAVOR_RESULTS = component('StatusServiceFlavorResults', {
  name: 'text',
  type: 'text',
  'results?': [DAY_FIGURES],
  'endpoints?': [
    {
      name: 'text',
      type: 'text',
      results: [{ timestamp: 'day', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' }],
    },
  ],
});
export const GROUP_RESULTS = component('StatusGroupResults', {
  name: 'text',
  type: 'text',
  results: [FIGURES],
  'groups?': [SERVICE_FLAVOR_RESULTS],
});
export const FLAPPING_ITEM = component('StatusFlappingItem', {
  endpoint_group: 'text',
  service: 'text',
  endpoint: 'text',
  'metric?': 'text',
  flapping: 'integer',
});
export const METRIC_OF_TREND = component('StatusMetricOfTrend', {
  endpoint_group: 'text',
  service: 'text',
  endpoint: 'text',
  metric: 'text',
  status: 'text',
  events: 'integer',
});
export const DURATION_OF_TREND = component('StatusDurationOfTrend', {
  endpoint_group: 'text',
  service: 'text',
  'endpoint?': 'text',
  status: 'text',
  duration_in_minutes: 'integer',
});
export const METRIC_SOURCE = component('StatusMetricSource', {
  project: 'text',
  subscription: 'text',
  dead_letter_topic: 'text',
  received: 'integer',
  ingested: 'integer',
  points: 'integer',
  dead_lettered: 'integer',
  discarded: 'integer',
  lag: 'integer',
  last_ingested: 'text',
  last_error: nullable({ message_id: 'text', reason: 'text', timestamp: 'instant' }),
  problem: 'text',
});
export const NOTIFICATION_SETTINGS = component('StatusNotificationSettings', {
  project: 'text',
  topic: 'text',
  reports: ['any'],
  levels: ['text'],
  published: 'integer',
  pending: 'integer',
  last_published: 'instant',
  problem: 'text',
});
export const METRIC_DATA_ITEM = component('StatusMetricDataItem', {
  endpoint_group: 'text',
  service: 'text',
  endpoint: 'text',
  metric: 'text',
  timestamp: 'instant',
  status: 'text',
  'summary?': 'text',
  'message?': 'text',
});
export const LATEST_RESULT = component('StatusLatestResult', {
  service: 'text',
  hostname: 'text',
  metric: 'text',
  status: 'text',
  'info?': { '*': 'text' },
});
export const METRIC_TIMELINE = component('StatusMetricTimeline', {
  name: 'text',
  service: 'text',
  supergroup: 'text',
  metric: 'text',
  statuses: [CHANGE_OF_METRIC],
});
export const GROUP_WITH_SERVICES = component('StatusGroupWithServices', { name: 'text', type: 'text', services: [GROUP_TIMELINE] });
export const SERVICE_ENDPOINT_TIMELINE = component('StatusServiceEndpointTimeline', {
  name: 'text',
  'info?': { '*': 'text' },
  statuses: [{ timestamp: 'instant', value: 'text' }],
});
export const GROUP_OF_FLAVORS = component('StatusGroupOfFlavors', { name: 'text', type: 'text', serviceflavors: [SERVICE_FLAVOR_RESULTS] });
export const ENDPOINT_RESULTS = component('StatusEndpointResults', {
  name: 'text',
  type: 'text',
  'info?': { '*': 'text' },
  results: [FIGURES],
});
export const ENDPOINT_METRICS = component('StatusEndpointMetrics', {
  name: 'text',
  metrics: [{ name: 'text', statuses: [CHANGE_OF_METRIC] }],
  'info?': { '*': 'text' },
});
