/** Kinds whose records have no look-up by id alone: their names are read from their newest events. None of them is personal. */
export const LOGGED_KINDS = [
  'messaging.topic',
  'messaging.schema',
  'accounting.resource',
  'accounting.metric_definition',
  'accounting.unit_type',
  'accounting.metric_type',
  'accounting.entitlement',
  'status.report',
  'status.metric_profile',
  'status.operations_profile',
  'status.aggregation_profile',
  'status.thresholds_profile',
  'status.weights',
] as const;

/** Kinds of records with names: days, capacities and usage have none. `actor`: a key or a user of any service. */
export const NAMED_KINDS = [
  'actor',
  'ops.key',
  'messaging.project',
  'messaging.user',
  'messaging.registration',
  'messaging.subscription',
  'accounting.project',
  'accounting.provider',
  'accounting.installation',
  'accounting.client',
  'accounting.oidc_tenant',
  'status.tenant',
  'status.user',
  'status.recomputation',
  ...LOGGED_KINDS,
] as const;

export type NamedKind = (typeof NAMED_KINDS)[number];
export type LoggedKind = (typeof LOGGED_KINDS)[number];

/** `undefined` if there are no names of this kind. */
export const namedKind = (text: string): NamedKind | undefined => NAMED_KINDS.find((one) => one === text);
