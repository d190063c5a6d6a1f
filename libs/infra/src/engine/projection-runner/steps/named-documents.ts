import type { DocumentKey } from '#projections/shared/projection.js';

/** More names are compared by a set of them. */
const FEW = 16;

/** Returns a function that finds out whether a document is among those named, in this form. */
export const checkOf = (named: readonly DocumentKey[]): ((name: DocumentKey) => boolean) => {
  const idOf = ({ collection, key, form }: DocumentKey): string => `${form ?? ''}\0${collection}\0${key}`;
  let ids: ReadonlySet<string> | undefined;
  return (wanted) => {
    if (named.length <= FEW)
      return named.some(({ collection, key, form }) => key === wanted.key && collection === wanted.collection && form === wanted.form);
    ids ??= new Set(named.map(idOf));
    return ids.has(idOf(wanted));
  };
};
