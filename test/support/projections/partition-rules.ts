import { expect } from '@jest/globals';
import type { Partitioning } from '#projections/shared/partitions.js';
import type { DocumentChange, DocumentKey, ProjectedEvent, Projection } from '#projections/shared/projection.js';

/** Collection → key → stored text. */
export type StoredTexts = ReadonlyMap<string, ReadonlyMap<string, string | Buffer>>;

/** Partitions that the documents of one place belong to, now or by the change; `any`: the place says nothing. */
type Found = readonly (string | undefined)[] | 'any';

const partitionsAt = (
  partitioning: Partitioning,
  stored: StoredTexts,
  projection: Projection,
  place: DocumentKey,
  value?: unknown,
): Found => {
  const { collection, key } = place;
  const owner = partitioning.owners[collection];
  switch (owner?.by) {
    case undefined:
    case 'shared':
      return 'any';
    case 'first-part':
      return [`${owner.kind}:${key.split('/', 1)[0]}`];
    case 'key':
      return [owner.partition(key)];
    case 'collection':
      return [owner.partition];
    case 'document': {
      const text = stored.get(collection)?.get(key);
      const decode = projection.codecs?.[collection]?.decode ?? JSON.parse;
      const before = text === undefined ? [] : [owner.partition(decode(String(text)))];
      const after = value === undefined ? [] : [owner.partition(JSON.parse(JSON.stringify(value)))];
      return [...before, ...after];
    }
  }
};

const placesOf = (stored: StoredTexts, change: DocumentChange): readonly DocumentKey[] => {
  const { collection } = change;
  if (change.kind !== 'delete-prefix') return [{ collection, key: change.key }];
  const keys = [...(stored.get(collection)?.keys() ?? [])].filter((key) => key.startsWith(change.prefix));
  // A prefix that ends with a slash stands for the keys there may be.
  return [...keys, ...(change.prefix.endsWith('/') ? [change.prefix] : [])].map((key) => ({ collection, key }));
};

/** What the partitioning of a projection promises (`Partitioning`), for one event. */
export const expectOwnDocuments = (
  projection: Projection,
  stored: StoredTexts,
  event: ProjectedEvent,
  named: readonly DocumentKey[],
  changes: readonly DocumentChange[],
): void => {
  const { partitions } = projection;
  const own = partitions.ofEvent(event);
  const contested = new Set(partitions.contested);
  const foreign = (places: readonly DocumentKey[], value?: unknown): readonly DocumentKey[] =>
    places.filter((place) => {
      const found = partitionsAt(partitions, stored, projection, place, value);
      return found !== 'any' && found.some((partition) => partition !== undefined && !own.includes(partition));
    });
  const isRecord = ({ collection }: DocumentKey): boolean => partitions.owners[collection]?.by !== 'document';
  const written = changes.filter(({ collection }) => !contested.has(collection));
  const strange = written.flatMap((change) => {
    const places = placesOf(stored, change);
    const asked = change.kind === 'delete-prefix' ? places.filter((place) => isRecord(place) || place.key !== change.prefix) : places;
    return foreign(asked, change.kind === 'put' ? change.value : undefined);
  });
  expect({
    type: event.type,
    reads: foreign(named),
    contested: named.filter(({ collection }) => contested.has(collection)),
    writes: strange,
  }).toEqual({
    type: event.type,
    reads: [],
    contested: [],
    writes: [],
  });
};
