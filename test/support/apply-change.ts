import type { Change } from '#projections/shared/read-store.js';

/** Applies a change to the texts of its collection in the simplest way. */
export const applyChange = (texts: Map<string, string | Buffer>, change: Change): void => {
  if (change.kind === 'put') texts.set(change.key, change.value);
  else if (change.kind === 'append') texts.set(change.key, `${texts.get(change.key) ?? ''}${change.piece}`);
  else if (change.kind === 'delete') texts.delete(change.key);
  else for (const key of [...texts.keys()]) if (key.startsWith(change.prefix)) texts.delete(key);
};
