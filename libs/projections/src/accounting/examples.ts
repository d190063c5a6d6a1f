const INSTALLATION_ID = '6b0151fdda8ce56225000012';
const DEFINITION_ID = '6b015119b345fbdd0e000001';
const CREATOR = 'f62f5386-a2ec-4369-b1a4-59c067f7d348';

const EMBEDDED_DEFINITION = {
  metric_definition_id: DEFINITION_ID,
  metric_name: 'storage',
  metric_description: 'allocated disk space',
  unit_type: 'TB',
  metric_type: 'aggregated',
};
export const METRIC_DEFINITION = { ...EMBEDDED_DEFINITION, creator_id: CREATOR };
export const NEW_METRIC_DEFINITION = {
  metric_name: 'storage',
  metric_description: 'allocated disk space',
  metric_type: 'aggregated',
  unit_type: 'TB',
};

export const CAPACITY = {
  id: '6b01511ab345fbdd0e000003',
  installation_id: INSTALLATION_ID,
  metric_definition_id: DEFINITION_ID,
  value: 120,
  registered_on: '2024-03-21T00:00:00Z',
};

export const NEW_INSTALLATION = {
  project: 'grid',
  organisation: 'site-a',
  infrastructure: 'cloud',
  installation: 'SITE-A',
  unit_of_access: DEFINITION_ID,
};
const EXTERNAL_ID = 'd8645a63-ca42-42ad-8801-35e5e0ac30e3';
export const INSTALLATION = {
  id: INSTALLATION_ID,
  project: 'grid',
  organisation: 'site-a',
  infrastructure: 'cloud',
  installation: 'SITE-A',
  external_id: EXTERNAL_ID,
  unit_of_access: EMBEDDED_DEFINITION,
  capacities: [CAPACITY],
};
const { id: _named, ...FOUND } = INSTALLATION;
export const FOUND_INSTALLATION = { installation_id: INSTALLATION_ID, ...FOUND };

const SITE = { id: 'site-a', name: 'Site A', website: 'https://site-a.example.org', abbreviation: 'SA', logo: null };
const SITE_EXTERNAL_ID = 'fc1c1689-cd5f-43d5-acfc-046da1e40f77';
export const PROVIDER = { ...SITE, external_id: SITE_EXTERNAL_ID, creator_id: CREATOR };
export const FOUND_PROVIDER = { ...SITE, external_id: SITE_EXTERNAL_ID };
export const NEW_PROVIDER = { id: 'site-a', name: 'Site A', website: 'https://site-a.example.org' };

const LEAF = {
  id: INSTALLATION_ID,
  infrastructure: 'cloud',
  installation: 'SITE-A',
  external_id: EXTERNAL_ID,
  unit_of_access: DEFINITION_ID,
};
export const ASSOCIATION = { ...SITE, project_id: 'grid', project_acronym: 'GRID', installations: [LEAF] };

export const NEW_PROJECT = {
  id: 'grid',
  acronym: 'GRID',
  title: 'The grid',
  start_date: '2024-01-01',
  end_date: '2030-12-31',
  call_identifier: 'C-1',
};
export const PROJECT = { ...NEW_PROJECT, providers: [{ ...SITE, external_id: SITE_EXTERNAL_ID, installations: [LEAF] }] };
export const CREATED_PROJECT = { ...NEW_PROJECT, providers: [] };

export const PERMISSION = { access_permissions: [{ operation: 'READ', access_type: 'ALWAYS' }], collection: 'Metric' } as const;
export const ACCESSIBLE_PROJECT = {
  ...NEW_PROJECT,
  providers: [
    {
      ...SITE,
      installations: [
        { id: INSTALLATION_ID, infrastructure: 'cloud', installation: 'SITE-A', unit_of_access: null, permissions: [PERMISSION] },
      ],
      permissions: [PERMISSION],
    },
  ],
  permissions: [PERMISSION],
};

export const UNIT_TYPE = { id: '52245ba4eeb1c4d9d93a2fd5', unit_type: 'TB', description: 'terabyte', creator_id: '' };
export const METRIC_TYPE = {
  id: '7d8f0ba4eeb1c4d9d93a2fd5',
  metric_type: 'aggregated',
  description: 'The sum of all values captured over the aggregation interval',
  creator_id: '',
};
export const RESOURCE = { id: 'disk-pool', name: 'Disk pool' };

export const NEW_CAPACITY = { metric_definition_id: DEFINITION_ID, value: 120, registered_on: '2024-03-21' };

const USED = {
  metric_definition_id: DEFINITION_ID,
  time_period_start: '2024-03-01T00:00:00Z',
  time_period_end: '2024-03-02T00:00:00Z',
  value: 12.5,
};
export const NEW_METRIC = { ...USED, group_id: 'physics', user_id: 'ada' };
const METRIC_ID = '6b014fba40ed97dc26000006';
export const METRIC = { metric_id: METRIC_ID, ...NEW_METRIC };
export const LISTED_METRIC = {
  id: METRIC_ID,
  time_period_start: USED.time_period_start,
  time_period_end: USED.time_period_end,
  value: 12.5,
  project: 'GRID',
  provider: 'site-a',
  installation_id: INSTALLATION_ID,
  project_id: 'grid',
  group_id: 'physics',
  user_id: 'ada',
  metric_definition: EMBEDDED_DEFINITION,
};

const TOTAL = { ...EMBEDDED_DEFINITION, total_value: 55 };
const PERIOD = {
  from: '2024-03-01T00:00:00Z',
  to: '2024-04-01T00:00:00Z',
  total_value: 55,
  capacity_value: 80,
  usage_percentage: 68.75,
};
export const INSTALLATION_REPORT = {
  installation_id: INSTALLATION_ID,
  project: 'grid',
  provider: 'site-a',
  installation: 'SITE-A',
  infrastructure: 'cloud',
  resource: '',
  external_id: EXTERNAL_ID,
  data: [{ ...EMBEDDED_DEFINITION, periods: [PERIOD] }],
};
const { id: SITE_ID, ...SITE_DETAILS } = SITE;
export const PROVIDER_REPORT = {
  provider_id: SITE_ID,
  ...SITE_DETAILS,
  external_id: SITE_EXTERNAL_ID,
  aggregated_metrics: [TOTAL],
  data: [INSTALLATION_REPORT],
};
export const GLOBAL_PROVIDER_REPORT = { reports: [PROVIDER_REPORT], aggregated_metrics: [TOTAL] };
export const PROJECT_REPORT = { ...NEW_PROJECT, aggregated_metrics: [TOTAL], data: [PROVIDER_REPORT] };

export const ENTITLEMENT = {
  id: '6b01531657e0a1eaf7000001',
  name: 'urn:example:group:accounting:grid:role=admin',
  registered_on: '2026-03-01T12:00:00.415',
};
export const ACTOR = {
  id: 'cc3304f8c956a9b68e85b660',
  oidc_id: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  registered_on: '2026-03-01T12:00:00.985',
  issuer: 'https://idp.example.org',
};
export const ASSIGNMENT = {
  id: '6b01531757e0a1eaf7000010',
  actor_id: ACTOR.id,
  entitlement_id: ENTITLEMENT.id,
  assigned_at: '2026-03-01T12:00:01.165',
};

export const NEW_OIDC_TENANT = {
  issuer: 'https://idp.example.org/realms/one',
  tenant_id: 'one',
  client_id: 'accounting',
  secret: 'very-confidential',
  authorization_path: '/auth',
  introspection_path: '/introspect',
  user_info_path: '/userinfo',
  token_path: '/token',
  auth_server_url: 'https://idp.example.org',
  user_id_token_claim: 'voperson_id',
  service_id_token_claim: 'azp',
  group_management_namespace: 'urn:example:group',
  group_management_parent: 'accounting',
  entitlement_management: 'oidc',
} as const;
export const OIDC_TENANT = { id: '6b0152ca2ae7b931fa000001', ...NEW_OIDC_TENANT, secret: '********' };
export const SETTING = {
  key: 'ENTITLEMENTS_MANAGEMENT',
  current_value: 'database',
  default_value: 'database',
  allowed_values: ['oidc', 'database'],
};
