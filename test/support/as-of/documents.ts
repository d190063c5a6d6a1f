import type { ReadView } from '#projections/shared/read-store.js';

/** Collection → key → text, in their orders. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The documents of these collections; those without any are left out. */
export const documentsOf = async (view: ReadView, collections: readonly string[]): Promise<Texts> => {
  const found: Record<string, Record<string, string>> = {};
  for (const collection of collections) {
    const documents = await view.range(collection, {});
    if (documents.length > 0) found[collection] = Object.fromEntries(documents.map(({ key, value }) => [key, value.toString()]));
  }
  return found;
};
