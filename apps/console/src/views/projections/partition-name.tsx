import { namedKind } from '#domain/operations/named-kinds.js';
import type { NamedRecord } from '../../api/names.js';
import { useNames } from '../../parts/name.js';

/** Partitions are `<kind>:<id>`. */
const recordOf = (projection: string, partition: string): Readonly<{ word: string; record: NamedRecord }> | undefined => {
  const [service] = projection.split('.');
  const colon = partition.indexOf(':');
  const word = partition.slice(0, Math.max(0, colon));
  const kind = namedKind(`${service}.${word === 'definition' ? 'metric_definition' : word.replace('-', '_')}`);
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
