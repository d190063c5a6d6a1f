import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { isNothing } from '#infra/stores/read-store/keys.js';
import type { ProjectionKeys } from '#infra/stores/read-store/redis/keys.js';
import { prefixEnds } from '#infra/stores/read-store/redis/lexical.js';
import { type Argument, CHUNK } from '#infra/stores/read-store/redis/script.js';
import type { Change, Namespace } from '#projections/shared/read-store.js';

/** What becomes of a key: its text, `null` if it is removed, and what is added to the text. */
type Outcome = { text: Argument | null | undefined; piece: string };

/** Changes to one collection since its last `delete-prefix`. The last change of a key wins; pieces after it are part of its text. */
type Batch = Map<string, Outcome>;

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
    const puts = [...batch].flatMap(([key, { text }]) => (text === undefined || text === null ? [] : [[key, text] as const]));
    const pieces = [...batch].flatMap(([key, { text, piece }]) => (text === undefined ? [[key, piece]] : []));
    const deletes = [...batch].flatMap(([key, { text }]) => (text === null ? [key] : []));
    const [listed, documents] = [puts.filter(([, text]) => isNothing(text)), puts.filter(([, text]) => !isNothing(text))];
    for (const chunk of chunksOf(documents)) append(args, ['put', number, collection, String(chunk.length)], chunk.flat());
    for (const chunk of chunksOf(listed))
      append(
        args,
        ['list', number, collection, String(chunk.length)],
        chunk.map(([key]) => key),
      );
    for (const chunk of chunksOf(pieces)) append(args, ['append', number, collection, String(chunk.length)], chunk.flat());
    for (const chunk of chunksOf(deletes)) append(args, ['delete', number, String(chunk.length)], chunk);
    batch = new Map();
  };
  for (const change of changes) {
    // Two strings with the same UTF-8 bytes are one key.
    if (change.kind === 'put') batch.set(change.key.toWellFormed(), { text: change.value, piece: '' });
    else if (change.kind === 'delete') batch.set(change.key.toWellFormed(), { text: null, piece: '' });
    else if (change.kind === 'append') addPiece(batch, change.key.toWellFormed(), change.piece.toWellFormed());
    else {
      flush();
      args.push('prefix', number, ...prefixEnds(change.prefix));
    }
  }
  flush();
  return args;
};

const addPiece = (batch: Batch, key: string, piece: string): void => {
  const before = batch.get(key);
  if (!before) batch.set(key, { text: undefined, piece });
  else if (before.text === undefined) before.piece += piece;
  else if (typeof before.text === 'object' && before.text) before.text = Buffer.concat([before.text, Buffer.from(piece)]);
  else before.text = (before.text ?? '').toWellFormed() + piece;
};

const append = (args: Argument[], head: readonly string[], chunk: readonly Argument[]): void => {
  args.push(...head, ...chunk);
};

const chunksOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, n) => items.slice(n * CHUNK, (n + 1) * CHUNK));
