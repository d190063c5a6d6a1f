import { isKey } from '#infra/stores/read-store/keys.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import { type Build, nameOf } from '../build.js';
import type { DocumentIndex } from '../document-index.js';
import { allEntries, countLive } from '../document-ranges.js';
import { type KeyEntry, wellFormed } from '../layer.js';
import { asRemoved, hasRemovals, remainingEntries, removalOf } from '../removals.js';
import type { Entry, VersionPlace, WantedDocument } from '../texts/record.js';
import { presenceAt, versionAt } from '../version-chain.js';
import type { DocumentLookup } from './view.js';

type Key = Readonly<{ key: string; wanted: WantedDocument }>;

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
  function* present(collection: string, range: KeyRange): Generator<KeyEntry> {
    for (const { key, entry: newest } of allEntries(build, index, collection, range)) {
      const entry = asRemoved(build, collection, key, newest);
      if (isThere(nameOf(collection, key), entry)) yield { key, entry };
    }
  }
  return {
    find: (collection, key) => {
      const name = nameOf(collection, wellFormed(key));
      const entry = isKey(key) ? build.entry(collection, wellFormed(key)) : undefined;
      const place = entry && placeOf(name, asRemoved(build, collection, wellFormed(key), entry));
      return place && { name, place };
    },
    *within(collection, range): Generator<Key> {
      let left = range.offset ?? 0;
      for (const { key, entry } of present(collection, range)) {
        const name = nameOf(collection, key);
        const place = left-- > 0 ? undefined : placeOf(name, entry);
        if (place) yield { key, wanted: { name, place } };
      }
    },
    count: (collection, range) => {
      const { offset: _, limit: __, reverse: ___, ...bounds } = range;
      let count = 0;
      for (const _ of present(collection, bounds)) count++;
      return count;
    },
  };
};
