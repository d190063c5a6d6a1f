import { isKey } from '#infra/stores/read-store/keys.js';
import { type Build, nameOf } from '../build.js';
import type { DocumentIndex } from '../document-index.js';
import { allEntries, countLive } from '../document-ranges.js';
import { type KeyEntry, wellFormed } from '../layer.js';
import { asRemoved, hasRemovals, remainingEntries, removalOf } from '../removals.js';
import type { Entry, VersionPlace, WantedDocument } from '../texts/record.js';
import { presenceAt, versionAt } from '../version-chain.js';
import type { DocumentLookup, Passed } from './view.js';

type Key = Readonly<{ key: string; wanted: WantedDocument }>;

/** Entries that are looked at in one turn of the event loop: of each a record may have to be read. */
const PASSED_AT_ONCE = 500;

const pass = (entries: Iterable<KeyEntry>, isShown: (one: KeyEntry) => boolean, most: number): Passed => {
  let [count, looked, last] = [0, 0, undefined as string | undefined];
  for (const one of entries) {
    if (looked === PASSED_AT_ONCE || count === most) return { count, last, isEnd: false };
    [looked, last] = [looked + 1, one.key];
    if (isShown(one)) count++;
  }
  return { count, last, isEnd: true };
};

/** Looks up the current documents. */
export const shownNow = (build: Build, index: DocumentIndex): DocumentLookup => ({
  find: (collection, key) => {
    const entry = isKey(key) ? build.live(collection, wellFormed(key)) : undefined;
    if (!entry || removalOf(build.state.removals, collection, wellFormed(key), entry)) return undefined;
    return { name: nameOf(collection, wellFormed(key)), place: entry };
  },
  *within(collection, range): Generator<Key> {
    for (const { key, entry } of remainingEntries(build, index, collection, range))
      yield { key, wanted: { name: nameOf(collection, key), place: entry } };
  },
  count: (collection, range) => {
    if (!hasRemovals(build, collection, range)) return countLive(build, index, collection, range);
    let count = 0;
    for (const _ of remainingEntries(build, index, collection, { ...range, offset: 0 })) count++;
    return count;
  },
  pass: (collection, range, most) => pass(remainingEntries(build, index, collection, range), () => true, most),
});

/** Looks up the documents as of a position. */
export const shownAt = (build: Build, index: DocumentIndex, position: number): DocumentLookup => {
  const placeOf = (name: string, entry: Entry): VersionPlace | undefined => {
    const presence = presenceAt(entry, position);
    if (presence === 'absent') return undefined;
    return presence === 'newest' ? entry : versionAt(build, name, entry, position);
  };
  const isThere = (name: string, entry: Entry): boolean => {
    const presence = presenceAt(entry, position);
    return presence === 'unknown' ? versionAt(build, name, entry, position) !== undefined : presence !== 'absent';
  };
  const isShown = (collection: string, { key, entry }: KeyEntry): boolean =>
    isThere(nameOf(collection, key), asRemoved(build, collection, key, entry));
  return {
    find: (collection, key) => {
      const name = nameOf(collection, wellFormed(key));
      const entry = isKey(key) ? build.entry(collection, wellFormed(key)) : undefined;
      const place = entry && placeOf(name, asRemoved(build, collection, wellFormed(key), entry));
      return place && { name, place };
    },
    *within(collection, range): Generator<Key> {
      let left = range.offset ?? 0;
      for (const found of allEntries(build, index, collection, range)) {
        if (left > 0) left -= Number(isShown(collection, found));
        else {
          const name = nameOf(collection, found.key);
          const place = placeOf(name, asRemoved(build, collection, found.key, found.entry));
          if (place) yield { key: found.key, wanted: { name, place } };
        }
      }
    },
    pass: (collection, range, most) => pass(allEntries(build, index, collection, range), (found) => isShown(collection, found), most),
  };
};
