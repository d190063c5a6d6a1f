import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** Documents as stored, by collection and key. */
type Texts = Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;

/** How many of the documents, which are in the order of their keys, stand before a key: with `orAt` the one that has it counts too. */
const countBefore = (documents: readonly StoredDocument[], key: string, orAt = false): number => {
  let [low, high] = [0, documents.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = documents[middle]?.key ?? '';
    if (other < key || (orAt && other === key)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const bytesOf = (stored: string | Buffer): Buffer => (typeof stored === 'string' ? Buffer.from(stored) : stored);

const sortedOf = (documents: Texts[string]): readonly StoredDocument[] =>
  Object.entries(documents)
    .map(([key, text]) => ({ key, value: bytesOf(text) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));

/** A view of documents that do not change. Keys compare by their UTF-16 units: those of tests are ASCII. */
export const memoryView = (texts: Texts): ReadView => {
  /** Of the collections that ranges were asked of: many views are only asked for single documents. */
  const sorted = new Map<string, readonly StoredDocument[]>();
  /** Single documents that were asked for, by collection and key, each with the text that it was made of. */
  const read = new Map<string, Readonly<{ text: string | Buffer; value: Buffer }>>();
  const inOrder = (collection: string): readonly StoredDocument[] => {
    const documents = sorted.get(collection) ?? sortedOf(texts[collection] ?? {});
    sorted.set(collection, documents);
    return documents;
  };
  const within = (collection: string, { gte, gt, lte, lt, reverse }: KeyRange): readonly StoredDocument[] => {
    const documents = inOrder(collection);
    const start = Math.max(gte === undefined ? 0 : countBefore(documents, gte), gt === undefined ? 0 : countBefore(documents, gt, true));
    const end = Math.min(
      lte === undefined ? documents.length : countBefore(documents, lte, true),
      lt === undefined ? documents.length : countBefore(documents, lt),
    );
    const found = documents.slice(start, Math.max(start, end));
    return reverse ? found.toReversed() : found;
  };
  const range = (collection: string, wanted: KeyRange): readonly StoredDocument[] => {
    const { offset = 0, limit = Number.POSITIVE_INFINITY } = wanted;
    return within(collection, wanted).slice(offset, offset + limit);
  };
  const get = (collection: string, key: string): Buffer | null => {
    const name = `${collection}/${key}`;
    const text = texts[collection]?.[key];
    if (text === undefined) return null;
    const known = read.get(name);
    if (known?.text === text) return known.value;
    const value = bytesOf(text);
    read.set(name, { text, value });
    return value;
  };
  return {
    get: async (collection, key) => get(collection, key),
    getMany: async (collection, keys) => keys.map((key) => get(collection, key)),
    lengths: async (collection, keys) => keys.map((key) => get(collection, key)?.length ?? null),
    range: async (collection, wanted) => range(collection, wanted),
    ranges: async (collection, wanted) => wanted.map((one) => range(collection, one)),
    count: async (collection, wanted) => within(collection, wanted).length,
  };
};
