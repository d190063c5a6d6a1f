import { bounded, component, doc, either, oneOf, type Shape, schema } from '#api/shared/openapi/shape.js';
import { OIDC_TENANT_MEMBERS } from './components.js';

const filled = (description: string): Shape => doc('text', description, { minLength: 1 });

/** Members of a record as members of its changes: none has to be there; `null` and empty texts change nothing. */
const changes = (members: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> =>
  Object.fromEntries(Object.entries(members).map(([name, shape]) => [`${name.replace(/\?$/, '')}?`, shape]));

const CHANGE = 'Empty texts and members that are left out change nothing';
/** Ids become segments of entitlements and paths. */
const DOTLESS = { pattern: '^[^.]+$' };

const PROJECT = {
  acronym: filled('short name'),
  title: filled('full name'),
  start_date: doc('day', 'yyyy-MM-dd'),
  end_date: doc('day', 'yyyy-MM-dd'),
  call_identifier: filled('of the call that funds it'),
};
export const NEW_PROJECT = component('AccountingNewProject', { id: doc('text', 'unique, without dots', DOTLESS), ...PROJECT });
export const PROJECT_CHANGE = component('AccountingProjectChange', changes(PROJECT), CHANGE);
export const REGISTER_PROJECTS = component('AccountingRegisterProjectsRequest', {
  projects: bounded([filled('id in the external catalogue of projects')], { minItems: 1 }),
});

const PROVIDER = { name: filled('unique'), 'website?': 'text', 'abbreviation?': 'text', 'logo?': 'text' } as const;
export const NEW_PROVIDER = component('AccountingNewProvider', {
  'id?': doc('text', 'unique, without dots; generated when it is left out', DOTLESS),
  ...PROVIDER,
  'external_id?': doc('text', 'unique; generated when it is left out'),
});
export const PROVIDER_CHANGE = component(
  'AccountingProviderChange',
  changes({ id: doc('text', 'a new id', DOTLESS), ...PROVIDER }),
  CHANGE,
);

const INSTALLATION = {
  organisation: filled('id of a provider that is associated with the project'),
  infrastructure: filled('short name of the infrastructure'),
  installation: filled('name, unique among those of the provider in the project'),
  'resource?': doc('text', 'id of a resource'),
  'unit_of_access?': doc('text', 'id of a metric definition'),
} as const;
export const NEW_INSTALLATION = component('AccountingNewInstallation', {
  project: filled('id of a project'),
  ...INSTALLATION,
  'external_id?': doc('text', 'unique; generated when it is left out'),
});
export const INSTALLATION_CHANGE = component('AccountingInstallationChange', changes(INSTALLATION), CHANGE);

const DEFINITION = {
  metric_name: filled('unique for its unit type, in any letter case'),
  'metric_description?': 'text',
  metric_type: filled('one of the metric types, such as `aggregated`, `count`'),
  unit_type: filled('one of the unit types, such as `TB`, `count`'),
} as const;
export const NEW_METRIC_DEFINITION = component('AccountingNewMetricDefinition', DEFINITION);
export const METRIC_DEFINITION_CHANGE = component('AccountingMetricDefinitionChange', changes(DEFINITION), CHANGE);

const typed = (member: string): Readonly<Record<string, Shape>> => ({
  [member]: filled('unique in any letter case'),
  description: filled('what it means'),
});
export const NEW_UNIT_TYPE = component('AccountingNewUnitType', typed('unit_type'));
export const UNIT_TYPE_CHANGE = component('AccountingUnitTypeChange', changes(typed('unit_type')), CHANGE);
export const NEW_METRIC_TYPE = component('AccountingNewMetricType', typed('metric_type'));
export const METRIC_TYPE_CHANGE = component('AccountingMetricTypeChange', changes(typed('metric_type')), CHANGE);

export const NEW_RESOURCE = component('AccountingNewResource', { id: filled('unique'), name: filled('full name') });

const REGISTERED_ON = doc('text', 'from when on the value holds: a day (its midnight in UTC) or a timestamp; default now');
export const NEW_CAPACITY = component('AccountingNewCapacity', {
  value: 'number',
  metric_definition_id: filled('id of a metric definition'),
  'registered_on?': REGISTERED_ON,
});
export const CAPACITY_CHANGE = component('AccountingCapacityChange', { 'value?': 'number', 'registered_on?': REGISTERED_ON }, CHANGE);

const METRIC = {
  metric_definition_id: filled('id of a metric definition'),
  time_period_start: doc('instant', 'not in the future'),
  time_period_end: doc('instant', 'after the start, not in the future'),
  'value?': doc('number', 'default 0'),
  'group_id?': 'text',
  'user_id?': 'text',
} as const;
export const NEW_METRIC = component('AccountingNewMetric', METRIC);
export const METRIC_CHANGE = component('AccountingMetricChange', changes({ ...METRIC, value: 'number' }), CHANGE);

export const ENTITLEMENT = component('AccountingEntitlementRequest', {
  name: filled('such as `urn:example:group:accounting:<project>:role=admin`; only names of that form grant anything'),
});
export const SETTING = component('AccountingSettingRequest', { value: filled('one of the allowed values') });

export const NEW_OIDC_TENANT = component('AccountingNewOidcTenant', {
  ...OIDC_TENANT_MEMBERS,
  issuer: filled('unique in any letter case'),
  tenant_id: filled('unique in any letter case'),
  secret: filled('of the client'),
});
export const OIDC_TENANT_CHANGE = component('AccountingOidcTenantChange', changes({ ...OIDC_TENANT_MEMBERS, secret: 'text' }), CHANGE);

export const PUSHED_MESSAGE = component('AccountingPushedMessage', {
  message: {
    data: doc('base64', 'a JSON object with `status` and what it is about'),
    'messageId?': 'text',
  },
  'subscription?': 'text',
});

const NODE = schema({ $ref: '#/components/schemas/AccountingSearch' });
const QUERY = component('AccountingSearchQuery', {
  type: oneOf('query'),
  field: filled('name of a member of the record'),
  values: doc(either('text', 'number', 'flag', 'null'), 'one value; a text of the form yyyy-MM-ddTHH:mm:ssZ is an instant'),
  'operand?': doc(oneOf('eq', 'neq', 'lt', 'lte', 'gt', 'gte'), 'in any letter case; default eq'),
});
const FILTER = component('AccountingSearchFilter', {
  type: oneOf('filter'),
  operator: doc(oneOf('AND', 'OR'), 'in any letter case'),
  criteria: bounded([NODE], { minItems: 1 }),
});
export const SEARCH = component('AccountingSearch', either(QUERY, FILTER), 'accounting contract 5.1');
