import { isKey } from '#infra/stores/read-store/keys.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import { type Build, nameOf } from './build.js';
import type { DocumentIndex } from './document-index.js';
import { allEntries, countLive, liveEntries } from './document-ranges.js';
import { type KeyEntry, wellFormed } from './layer.js';
import type { Entry, VersionPlace, WantedDocument } from './texts/record.js';
import { presenceAt, versionAt } from './version-chain.js';
import type { DocumentLookup } from './view.js';

type Key = Readonly<{ key: string; wanted: WantedDocument }>;

/** Looks up the current documents. */
export const shownNow = (build: Build, index: DocumentIndex): DocumentLookup => ({
  find: (collection, key) => {
    const entry = isKey(key) ? build.live(collection, wellFormed(key)) : undefined;
    return entry && { name: nameOf(collection, wellFormed(key)), place: entry };
  },
  *within(collection, range): Generator<Key> {
    for (const { key, entry } of liveEntries(build, index, collection, range))
      yield { key, wanted: { name: nameOf(collection, key), place: entry } };
  },
  count: (collection, range) => countLive(build, index, collection, range),
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
    for (const found of allEntries(build, index, collection, range)) if (isThere(nameOf(collection, found.key), found.entry)) yield found;
  }
  return {
    find: (collection, key) => {
      const name = nameOf(collection, wellFormed(key));
      const entry = isKey(key) ? build.entry(collection, wellFormed(key)) : undefined;
      const place = entry && placeOf(name, entry);
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
      for (const { key, entry } of allEntries(build, index, collection, bounds)) count += Number(isThere(nameOf(collection, key), entry));
      return count;
    },
  };
};
