import type { NamedKind, NamedRecord } from '../api/names.js';
import type { Reference } from './places.js';

/** Kinds that `/ops/names` finds under the id of their project and their own. */
const IN_PROJECT = ['messaging.topic', 'messaging.schema'] as const satisfies readonly NamedKind[];

/** Other kinds of records with names. Days, capacities and usage have none. */
const NAMED = [
  'ops.key',
  'messaging.project',
  'messaging.user',
  'messaging.registration',
  'messaging.subscription',
  'accounting.project',
  'accounting.provider',
  'accounting.resource',
  'accounting.installation',
  'accounting.metric_definition',
  'accounting.unit_type',
  'accounting.metric_type',
  'accounting.entitlement',
  'accounting.client',
  'accounting.oidc_tenant',
  'status.tenant',
  'status.user',
  'status.report',
  'status.recomputation',
  'status.metric_profile',
  'status.operations_profile',
  'status.aggregation_profile',
  'status.thresholds_profile',
  'status.weights',
] as const satisfies readonly NamedKind[];

/** Whether records of a kind have names. */
export const isNamed = (service: string, kind: string): boolean => [...IN_PROJECT, ...NAMED].some((one) => one === `${service}.${kind}`);

/** A record as `/ops/names` finds it; `undefined` where its kind has no names. */
export const namedOf = ({ service, kind, id, scope }: Reference): NamedRecord | undefined => {
  const isRecord = (one: string): boolean => one === `${service}.${kind}`;
  const inProject = IN_PROJECT.find(isRecord);
  if (inProject) return { kind: inProject, id: `${scope}/${id}` };
  const named = NAMED.find(isRecord);
  return named && { kind: named, id };
};
