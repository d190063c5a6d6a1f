import type { RootDatabase } from 'lmdb';

/** The part of an lmdb range used here: a number if it only counts. */
type Range = { iterate(...options: unknown[]): Iterator<unknown> | number };
type Store = { getRange(options: unknown): Range };

/**
 * Makes the ranges of all databases of an environment throw once LMDB has lost it. LMDB itself returns empty ranges then, and each of them
 * lengthens the text of its next error, which has 300 bytes: the fifth overruns the heap.
 */
export const guardRanges = (root: RootDatabase): void => {
  const store: Store = Object.getPrototypeOf(root); // shared with its databases
  const { getRange } = store;
  store.getRange = function (options) {
    const range = getRange.call(this, options);
    const { iterate } = range;
    range.iterate = (...args) => {
      const entries = iterate.apply(range, args);
      if (typeof entries !== 'number') guardFirst(entries, root);
      return entries;
    };
    return range;
  };
};

/** Checks before the first step, which begins to read. */
const guardFirst = (entries: Iterator<unknown>, root: RootDatabase): void => {
  const { next } = entries;
  entries.next = () => {
    entries.next = next;
    const first = next.call(entries);
    if (first.done) throwIfLost(root);
    return first;
  };
};

/** @throws Error with "MDB_PANIC" in its text, because LMDB returns no code */
export const throwIfLost = (root: RootDatabase): void => void root.doesExist(0);
