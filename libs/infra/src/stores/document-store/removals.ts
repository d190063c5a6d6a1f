import { placeOf } from '#infra/stores/read-store/keys.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import type { Build } from './build.js';
import type { Removal } from './build-state.js';
import type { DocumentIndex } from './document-index.js';
import { liveEntries } from './document-ranges.js';
import type { KeyEntry } from './layer.js';
import type { Entry } from './texts/record.js';

/** Default number of documents that a commit removes by prefix at once, and that are removed at once later. */
export const MOST_REMOVED = 5_000;

/** The first removal of a document that has no record of it. */
export const removalOf = (removals: readonly Removal[], collection: string, key: string, entry: Entry): Removal | undefined =>
  entry.isAlive
    ? removals.find((removal) => removal.collection === collection && entry.offset < removal.end && key.startsWith(removal.prefix))
    : undefined;

/** The entry that the document has once its removal is recorded. */
export const asRemoved = ({ state }: Build, collection: string, key: string, entry: Entry): Entry => {
  const removal = removalOf(state.removals, collection, key, entry);
  if (!removal) return entry;
  const last = Math.max(entry.last, removal.position);
  return { ...entry, isAlive: false, last, since: last };
};

/** Returns whether a range may contain documents whose removal is not recorded. */
export const hasRemovals = ({ state }: Build, collection: string, range: KeyRange): boolean =>
  state.removals.some((removal) => removal.collection === collection && placeOf(range, removal.prefix) !== 'apart');

/** Entries of documents that are not removed, in the order of the range, from its offset on. The caller applies the limit. */
export function* remainingEntries(build: Build, index: DocumentIndex, collection: string, range: KeyRange): Generator<KeyEntry> {
  if (!hasRemovals(build, collection, range)) return yield* liveEntries(build, index, collection, range);
  let left = range.offset ?? 0;
  for (const found of liveEntries(build, index, collection, { ...range, offset: 0 }))
    if (!removalOf(build.state.removals, collection, found.key, found.entry) && left-- <= 0) yield found;
}

/** The next documents of which a removal is to be recorded. @param after the last one of the previous call */
export const nextRemoved = (
  build: Build,
  index: DocumentIndex,
  removal: Removal,
  after: string | undefined,
  most: number,
): readonly string[] => {
  const { collection, prefix, end } = removal;
  const keys: string[] = [];
  for (const { key, entry } of liveEntries(build, index, collection, after === undefined ? { gte: prefix } : { gt: after })) {
    if (keys.length === most || !key.startsWith(prefix)) break;
    if (entry.offset < end) keys.push(key);
  }
  return keys;
};
