import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** Documents as stored text, by collection and key. */
type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A view of documents that do not change. Keys compare by their UTF-16 units: those of tests are ASCII. */
export const memoryView = (texts: Texts): ReadView => {
  const sorted = new Map<string, readonly StoredDocument[]>(
    Object.entries(texts).map(([collection, documents]) => [
      collection,
      Object.entries(documents)
        .map(([key, text]) => ({ key, value: Buffer.from(text) }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    ]),
  );
  const within = (collection: string, { gte, gt, lte, lt, reverse }: KeyRange): readonly StoredDocument[] => {
    const found = (sorted.get(collection) ?? []).filter(
      ({ key }) =>
        (gte === undefined || key >= gte) &&
        (gt === undefined || key > gt) &&
        (lte === undefined || key <= lte) &&
        (lt === undefined || key < lt),
    );
    return reverse ? found.toReversed() : found;
  };
  const range = (collection: string, wanted: KeyRange): readonly StoredDocument[] => {
    const { offset = 0, limit = Number.POSITIVE_INFINITY } = wanted;
    return within(collection, wanted).slice(offset, offset + limit);
  };
  const get = (collection: string, key: string): Buffer | null => {
    const text = texts[collection]?.[key];
    return text === undefined ? null : Buffer.from(text);
  };
  return {
    get: async (collection, key) => get(collection, key),
    getMany: async (collection, keys) => keys.map((key) => get(collection, key)),
    range: async (collection, wanted) => range(collection, wanted),
    ranges: async (collection, wanted) => wanted.map((one) => range(collection, one)),
    count: async (collection, wanted) => within(collection, wanted).length,
  };
};
