import type { NamedKind, NamedRecord } from '../../api/names.js';
import { useNames } from '../../parts/name.js';

/** Kinds of records by the kinds of partitions, with their service where the projection's is not meant. */
const KINDS: Readonly<Record<string, NamedKind>> = {
  'messaging project': 'messaging.project',
  'messaging user': 'messaging.user',
  'messaging registration': 'messaging.registration',
  'accounting project': 'accounting.project',
  'accounting provider': 'accounting.provider',
  'accounting resource': 'accounting.resource',
  'accounting definition': 'accounting.metric_definition',
  'accounting client': 'accounting.client',
  'accounting entitlement': 'accounting.entitlement',
  'accounting oidc-tenant': 'accounting.oidc_tenant',
  'status tenant': 'status.tenant',
  'ops key': 'ops.key',
};

/** Partitions are `<kind>:<id>`. */
const recordOf = (projection: string, partition: string): Readonly<{ word: string; record: NamedRecord }> | undefined => {
  const [service] = projection.split('.');
  const colon = partition.indexOf(':');
  const word = partition.slice(0, Math.max(0, colon));
  const kind = KINDS[`${service} ${word}`];
  return kind && { word, record: { kind, id: partition.slice(colon + 1) } };
};

/** Texts of partitions: kind and name, such as `tenant Alpine Grid`; of others what the server calls them. */
export const usePartitionNames = (projection: string, partitions: readonly string[]): ((partition: string) => string) => {
  const nameOf = useNames(partitions.flatMap((one) => recordOf(projection, one)?.record ?? []));
  return (partition) => {
    const found = recordOf(projection, partition);
    return found ? `${found.word.replace('-', ' ')} ${nameOf(found.record).text}` : partition;
  };
};
