import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { ProjectionKeys } from '#infra/stores/read-store/redis/keys.js';
import { prefixEnds } from '#infra/stores/read-store/redis/lexical.js';
import { type Argument, CHUNK } from '#infra/stores/read-store/redis/script.js';
import type { Change, Namespace } from '#projections/shared/read-store.js';

/** Changes to one collection since its last `delete-prefix`. The last change of a key wins. */
type Batch = Map<string, string | null>;

/** The part of KEYS and ARGV of the script COMMIT that describes the changes. KEYS are numbered from `firstKey`. */
export const commitArguments = (
  keys: ProjectionKeys,
  slot: Namespace['slot'],
  changes: readonly Change[],
  firstKey: number,
): Readonly<{ keys: readonly string[]; args: readonly Argument[] }> => {
  const byCollection = new Map<string, Change[]>();
  for (const change of changes) {
    getOrInsert(byCollection, change.collection, () => []).push(change);
  }
  const names = [...byCollection.keys()];
  return {
    keys: names.flatMap((collection) => [keys.documents(slot, collection), keys.index(slot, collection)]),
    args: names.flatMap((collection, n) => collectionArguments(String(firstKey + 2 * n), collection, byCollection.get(collection) ?? [])),
  };
};

const collectionArguments = (number: string, collection: string, changes: readonly Change[]): readonly Argument[] => {
  const args: Argument[] = [];
  let batch: Batch = new Map();
  const flush = (): void => {
    const puts = [...batch].flatMap(([key, value]) => (value === null ? [] : [[key, value]]));
    const deletes = [...batch].flatMap(([key, value]) => (value === null ? [key] : []));
    for (const chunk of chunksOf(puts)) append(args, ['put', number, collection, String(chunk.length)], chunk.flat());
    for (const chunk of chunksOf(deletes)) append(args, ['delete', number, String(chunk.length)], chunk);
    batch = new Map();
  };
  for (const change of changes) {
    // Two strings with the same UTF-8 bytes are one key.
    if (change.kind === 'put') batch.set(change.key.toWellFormed(), change.value);
    else if (change.kind === 'delete') batch.set(change.key.toWellFormed(), null);
    else {
      flush();
      args.push('prefix', number, ...prefixEnds(change.prefix));
    }
  }
  flush();
  return args;
};

const append = (args: Argument[], head: readonly string[], chunk: readonly string[]): void => {
  args.push(...head, ...chunk);
};

const chunksOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, n) => items.slice(n * CHUNK, (n + 1) * CHUNK));
