import { component, nullable } from '#api/shared/openapi/shape.js';

export const OIDC_TENANT = component('AccountingOidcTenant', {
  id: 'text',
  issuer: 'text',
  tenant_id: 'text',
  client_id: 'text',
  secret: 'text',
  authorization_path: 'text',
  introspection_path: 'text',
  user_info_path: 'text',
  token_path: 'text',
  auth_server_url: 'text',
  user_id_token_claim: 'text',
  service_id_token_claim: 'text',
  group_management_namespace: 'text',
  group_management_parent: 'text',
  entitlement_management: 'text',
});
export const ADMINISTRATION = component('AccountingAdministration', { id: 'text', name: 'text', registered_on: 'text' });
export const INSTALLATION = component('AccountingInstallation', {
  id: 'text',
  infrastructure: 'text',
  installation: 'text',
  unit_of_access: nullable('text'),
  permissions: [{ access_permissions: [{ operation: 'text', access_type: 'text' }], collection: 'text' }],
});
export const PROVIDER_INSTALLATION = component('AccountingProviderInstallation', {
  id: 'text',
  infrastructure: 'text',
  installation: 'text',
  external_id: nullable('text'),
  'resource?': 'text',
  'unit_of_access?': 'text',
});
export const PROVIDER = component('AccountingProvider', {
  id: 'text',
  name: 'text',
  website: nullable('text'),
  abbreviation: nullable('text'),
  logo: nullable('text'),
  installations: [PROVIDER_INSTALLATION],
  'permissions?': [{ access_permissions: [{ operation: 'text', access_type: 'text' }], collection: 'text' }],
  'external_id?': nullable('text'),
});
export const CLIENT = component('AccountingClient', {
  id: 'text',
  acronym: 'text',
  title: 'text',
  start_date: 'day',
  end_date: 'text',
  call_identifier: 'text',
  providers: [PROVIDER],
  'permissions?': [{ access_permissions: [{ operation: 'text', access_type: 'text' }], collection: 'text' }],
});
export const ADMINISTRATION_ADMINISTRATION = component('AccountingAdministrationAdministration', {
  id: 'text',
  oidc_id: 'text',
  name: 'text',
  email: 'text',
  registered_on: 'text',
  issuer: 'text',
});
export const METRIC_DEFINITION = component('AccountingMetricDefinition', {
  metric_definition_id: 'text',
  metric_name: 'text',
  metric_description: nullable('text'),
  unit_type: 'text',
  metric_type: 'text',
  'creator_id?': 'text',
});
export const INSTALLATION_INSTALLATION = component('AccountingInstallationInstallation', {
  'id?': 'text',
  project: 'text',
  organisation: 'text',
  infrastructure: 'text',
  installation: 'text',
  external_id: nullable('text'),
  'resource?': 'text',
  'unit_of_access?': METRIC_DEFINITION,
  'installation_id?': 'text',
});
export const PROVIDER_PROVIDER = component('AccountingProviderProvider', {
  id: 'text',
  name: 'text',
  website: nullable('text'),
  abbreviation: nullable('text'),
  logo: nullable('text'),
  external_id: nullable('text'),
  'creator_id?': 'text',
});
export const PROVIDER_PROVIDER2 = component('AccountingProviderProvider2', {
  id: 'text',
  name: 'text',
  website: nullable('text'),
  abbreviation: nullable('text'),
  logo: nullable('text'),
  project_id: 'text',
  project_acronym: 'text',
  installations: [PROVIDER_INSTALLATION],
});
export const UNIT_TYPE = component('AccountingUnitType', { id: 'text', unit_type: 'text', description: 'text', creator_id: 'text' });
export const METRIC_TYPE = component('AccountingMetricType', { id: 'text', metric_type: 'text', description: 'text', creator_id: 'text' });
export const CAPACITY = component('AccountingCapacity', {
  id: 'text',
  installation_id: 'text',
  metric_definition_id: 'text',
  value: 'number',
  registered_on: 'instant',
});
export const RECORDED_METRIC = component('AccountingRecordedMetric', {
  metric_id: 'text',
  metric_definition_id: 'text',
  time_period_start: 'instant',
  time_period_end: 'instant',
  value: 'number',
});
export const METRIC = component('AccountingMetric', {
  id: 'text',
  time_period_start: 'instant',
  time_period_end: 'instant',
  value: 'number',
  project: 'text',
  provider: 'text',
  installation_id: 'text',
  project_id: 'text',
  'resource?': 'text',
  'group_id?': 'text',
  'user_id?': 'text',
  metric_definition: METRIC_DEFINITION,
});
export const USAGE_PERIOD = component('AccountingUsagePeriod', {
  from: 'instant',
  to: 'instant',
  total_value: 'number',
  'capacity_value?': 'number',
  'usage_percentage?': 'number',
});
export const METRIC_USAGE = component('AccountingMetricUsage', {
  metric_definition_id: 'text',
  metric_name: 'text',
  metric_description: nullable('text'),
  unit_type: 'text',
  metric_type: 'text',
  periods: [USAGE_PERIOD],
});
export const INSTALLATION_USAGE = component('AccountingInstallationUsage', {
  installation_id: 'text',
  project: 'text',
  provider: 'text',
  installation: 'text',
  infrastructure: 'text',
  resource: 'text',
  external_id: nullable('text'),
  data: [METRIC_USAGE],
});
export const AGGREGATED_METRIC = component('AccountingAggregatedMetric', {
  metric_definition_id: 'text',
  metric_name: 'text',
  metric_description: nullable('text'),
  unit_type: 'text',
  metric_type: 'text',
  total_value: 'number',
});
export const REPORT_REPORT2 = component('AccountingReportReport2', {
  provider_id: 'text',
  name: 'text',
  website: nullable('text'),
  abbreviation: nullable('text'),
  logo: nullable('text'),
  external_id: nullable('text'),
  aggregated_metrics: [AGGREGATED_METRIC],
  data: [INSTALLATION_USAGE],
});
export const PROJECT = component('AccountingProject', {
  id: 'text',
  project: 'text',
  organisation: 'text',
  infrastructure: 'text',
  installation: 'text',
  external_id: nullable('text'),
});
export const PROJECT_METRIC = component('AccountingProjectMetric', {
  metric_id: 'text',
  metric_definition_id: 'text',
  time_period_start: 'instant',
  time_period_end: 'instant',
  value: 'number',
  'group_id?': 'text',
  'user_id?': 'text',
});
export const REPORT_REPORT3 = component('AccountingReportReport3', {
  id: 'text',
  acronym: 'text',
  title: 'text',
  start_date: 'day',
  end_date: 'day',
  call_identifier: 'text',
  aggregated_metrics: [AGGREGATED_METRIC],
  data: [REPORT_REPORT2],
});
