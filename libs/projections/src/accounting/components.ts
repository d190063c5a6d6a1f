import { OIDC_TENANT_FIELDS, type OidcTenant } from '#domain/accounting/access/access-events.js';
import { component, doc, nullable, oneOf } from '#domain/shared/shape.js';
import * as examples from './examples.js';

/** Ids that the service generates. */
export const OBJECT_ID = doc('text', '24 hexadecimal digits');
const LOCAL_TIME = doc('text', 'date and time in UTC without zone, such as 2026-03-01T12:00:00.123');
const PROJECT_DAY = doc(
  nullable('text'),
  'yyyy-MM-dd; empty where the external catalogue of projects has none; null only of migrated projects',
);
const CREATOR = doc('text', 'id claim of the client that made it; empty: it came with the service or from a catalogue');
const EXTERNAL_ID = nullable('text');

const DEFINITION = {
  metric_definition_id: OBJECT_ID,
  metric_name: 'text',
  metric_description: nullable('text'),
  unit_type: doc('text', 'one of the unit types'),
  metric_type: doc('text', 'one of the metric types'),
} as const;

export const METRIC_DEFINITION = component(
  'AccountingMetricDefinition',
  { ...DEFINITION, 'creator_id?': CREATOR },
  'What is measured, and in which unit; `creator_id` only of definitions themselves (accounting contract 3.0)',
).shownAs(examples.METRIC_DEFINITION);

export const CAPACITY = component(
  'AccountingCapacity',
  {
    id: OBJECT_ID,
    installation_id: OBJECT_ID,
    metric_definition_id: OBJECT_ID,
    value: 'number',
    registered_on: doc('instant', 'from when on the value holds'),
  },
  'What an installation can give from an instant on (accounting contract 7)',
).shownAs(examples.CAPACITY);

const INSTALLATION_MEMBERS = {
  project: doc('text', 'id of the project'),
  organisation: doc('text', 'id of the provider'),
  infrastructure: nullable('text'),
  installation: doc('text', 'name, unique among those of the provider in the project'),
  external_id: EXTERNAL_ID,
  'resource?': doc('text', 'id of a resource'),
  'unit_of_access?': METRIC_DEFINITION,
  capacities: [CAPACITY],
} as const;

export const INSTALLATION = component(
  'AccountingInstallation',
  { id: OBJECT_ID, ...INSTALLATION_MEMBERS },
  'What a provider runs for a project (accounting contract 3.0)',
).shownAs(examples.INSTALLATION);
export const FOUND_INSTALLATION = component(
  'AccountingFoundInstallation',
  { installation_id: OBJECT_ID, ...INSTALLATION_MEMBERS },
  'An installation as searches show it: its id has another name',
).shownAs(examples.FOUND_INSTALLATION);

const ORGANISATION = {
  id: 'text',
  name: 'text',
  website: nullable('text'),
  abbreviation: nullable('text'),
  logo: nullable('text'),
} as const;

export const PROVIDER = component(
  'AccountingProvider',
  { ...ORGANISATION, external_id: EXTERNAL_ID, 'creator_id?': doc(CREATOR, 'left out in searches') },
  'An organisation that offers installations to projects (accounting contract 3.0)',
).shownAs(examples.PROVIDER);

export const TREE_INSTALLATION = component('AccountingInstallationOfProvider', {
  id: OBJECT_ID,
  infrastructure: nullable('text'),
  installation: 'text',
  external_id: EXTERNAL_ID,
  'resource?': 'text',
  'unit_of_access?': doc(OBJECT_ID, 'id of a metric definition'),
});
export const TREE_PROVIDER = component('AccountingProviderOfProject', {
  ...ORGANISATION,
  external_id: EXTERNAL_ID,
  installations: [TREE_INSTALLATION],
});
export const ASSOCIATION = component(
  'AccountingAssociation',
  { ...ORGANISATION, project_id: 'text', project_acronym: 'text', installations: [TREE_INSTALLATION] },
  'A provider in one of its projects',
).shownAs(examples.ASSOCIATION);

const PROJECT_MEMBERS = {
  id: 'text',
  acronym: 'text',
  title: nullable('text'),
  start_date: PROJECT_DAY,
  end_date: PROJECT_DAY,
  call_identifier: nullable('text'),
} as const;

export const PROJECT = component(
  'AccountingProject',
  { ...PROJECT_MEMBERS, providers: [TREE_PROVIDER] },
  'A project with its providers and their installations (accounting contract 3.0)',
).shownAs(examples.PROJECT);

export const PERMISSION = component('AccountingPermission', {
  collection: doc('text', 'kind of record'),
  access_permissions: [{ operation: oneOf('CREATE', 'READ', 'UPDATE', 'DELETE', 'ASSOCIATE', 'DISSOCIATE'), access_type: oneOf('ALWAYS') }],
}).shownAs(examples.PERMISSION);
const PERMISSIONS = { permissions: [PERMISSION] } as const;

export const ACCESSIBLE_PROJECT = component(
  'AccountingAccessibleProject',
  {
    ...PROJECT_MEMBERS,
    providers: [
      {
        ...ORGANISATION,
        installations: [
          {
            id: OBJECT_ID,
            infrastructure: nullable('text'),
            installation: 'text',
            unit_of_access: nullable('text'),
            ...PERMISSIONS,
          },
        ],
        ...PERMISSIONS,
      },
    ],
    ...PERMISSIONS,
  },
  'A project with what the caller may do in it (accounting contract 3.9)',
).shownAs(examples.ACCESSIBLE_PROJECT);

export const UNIT_TYPE = component('AccountingUnitType', {
  id: OBJECT_ID,
  unit_type: 'text',
  description: nullable('text'),
  creator_id: CREATOR,
}).shownAs(examples.UNIT_TYPE);
export const METRIC_TYPE = component('AccountingMetricType', {
  id: OBJECT_ID,
  metric_type: 'text',
  description: nullable('text'),
  creator_id: CREATOR,
}).shownAs(examples.METRIC_TYPE);
export const RESOURCE = component('AccountingResource', { id: 'text', name: 'text' }).shownAs(examples.RESOURCE);

const PERIOD = { time_period_start: 'instant', time_period_end: 'instant', value: 'number' } as const;
const HOLDERS = { 'group_id?': 'text', 'user_id?': 'text' } as const;

export const METRIC = component(
  'AccountingMetric',
  { metric_id: OBJECT_ID, metric_definition_id: OBJECT_ID, ...PERIOD, ...HOLDERS },
  'Usage in a period, as it is recorded (accounting contract 3.0)',
).shownAs(examples.METRIC);
export const LISTED_METRIC = component(
  'AccountingListedMetric',
  {
    id: OBJECT_ID,
    ...PERIOD,
    project: doc('text', 'acronym of the project when the metric was recorded'),
    provider: doc('text', 'id of the provider'),
    installation_id: OBJECT_ID,
    project_id: 'text',
    'resource?': 'text',
    ...HOLDERS,
    metric_definition: METRIC_DEFINITION,
  },
  'A metric as lists and searches show it (accounting contract 3.0)',
).shownAs(examples.LISTED_METRIC);

export const ENTITLEMENT = component('AccountingEntitlement', {
  id: OBJECT_ID,
  name: doc('text', '`<namespace>:group:accounting[:segment…]:role=<admin or viewer>`; other names grant nothing'),
  registered_on: LOCAL_TIME,
}).shownAs(examples.ENTITLEMENT);
export const ASSIGNMENT = component('AccountingEntitlementAssignment', {
  id: OBJECT_ID,
  actor_id: OBJECT_ID,
  entitlement_id: OBJECT_ID,
  assigned_at: LOCAL_TIME,
}).shownAs(examples.ASSIGNMENT);
export const ACTOR = component('AccountingActor', {
  id: OBJECT_ID,
  oidc_id: doc('text', 'id claim of its tokens'),
  name: 'text',
  email: 'text',
  'registered_on?': LOCAL_TIME,
  issuer: 'text',
}).shownAs(examples.ACTOR);

export const OIDC_TENANT_MEMBERS = {
  ...(Object.fromEntries(OIDC_TENANT_FIELDS.map((name) => [name, 'text'])) as Readonly<Record<keyof OidcTenant, 'text'>>),
  secret: doc('text', 'answered as asterisks'),
  entitlement_management: doc(oneOf('oidc', 'database'), 'where the entitlements of its clients come from'),
};
export const OIDC_TENANT = component(
  'AccountingOidcTenant',
  {
    id: OBJECT_ID,
    ...OIDC_TENANT_MEMBERS,
    entitlement_management: doc(
      nullable(oneOf('oidc', 'database', '')),
      'as it was created; null or empty where a tenant was brought over without it',
    ),
  },
  'An issuer of access tokens (accounting contract 3.12)',
).shownAs(examples.OIDC_TENANT);

export const SETTING = component('AccountingSetting', {
  key: 'text',
  current_value: 'text',
  default_value: 'text',
  allowed_values: ['text'],
}).shownAs(examples.SETTING);
export const WORD = component('AccountingSearchWord', { label: doc('text', 'what searches contain'), display_value: 'text' });

export const USAGE_PERIOD = component('AccountingUsagePeriod', {
  from: 'instant',
  to: 'instant',
  total_value: doc('number', 'sum of the metrics that lie in the period as a whole'),
  'capacity_value?': doc('number', 'the capacity that holds in the period'),
  'usage_percentage?': doc('number', 'of the capacity, with two decimals at most; left out where the capacity is 0'),
});
const METRIC_USAGE = component('AccountingMetricUsage', { ...DEFINITION, periods: [USAGE_PERIOD] });
export const TOTAL = component('AccountingAggregatedMetric', { ...DEFINITION, total_value: 'number' });

export const INSTALLATION_REPORT = component(
  'AccountingInstallationReport',
  {
    installation_id: OBJECT_ID,
    project: 'text',
    provider: 'text',
    installation: 'text',
    infrastructure: nullable('text'),
    resource: doc('text', 'empty: none'),
    external_id: EXTERNAL_ID,
    data: [METRIC_USAGE],
  },
  'accounting contract 6.3',
).shownAs(examples.INSTALLATION_REPORT);
export const PROVIDER_REPORT = component(
  'AccountingProviderReport',
  {
    provider_id: 'text',
    name: 'text',
    website: nullable('text'),
    abbreviation: nullable('text'),
    logo: nullable('text'),
    external_id: EXTERNAL_ID,
    aggregated_metrics: [TOTAL],
    data: [INSTALLATION_REPORT],
  },
  'accounting contract 6.4',
).shownAs(examples.PROVIDER_REPORT);
export const GLOBAL_PROVIDER_REPORT = component(
  'AccountingGlobalProviderReport',
  { reports: doc([PROVIDER_REPORT], 'one for each project'), aggregated_metrics: [TOTAL] },
  'accounting contract 6.5',
).shownAs(examples.GLOBAL_PROVIDER_REPORT);
export const PROJECT_REPORT = component(
  'AccountingProjectReport',
  { ...PROJECT_MEMBERS, aggregated_metrics: [TOTAL], data: [PROVIDER_REPORT] },
  'accounting contract 6.5',
).shownAs(examples.PROJECT_REPORT);
