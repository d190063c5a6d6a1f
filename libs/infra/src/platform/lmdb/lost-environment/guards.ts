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

/** The part of lmdb's native environment used here. `tell` is called with the progress of a thread, and once with how it ended. */
type Native = { startWriting(instructions: number, tell: (status: number) => unknown): void; close(): void };
/** Readers see the transaction, or its callbacks are due. */
const PROGRESS = new Set([1, 2]);

/**
 * Lets an environment be freed only when no thread of lmdb uses it. A promise of a transaction resolves as soon as its thread says that it has
 * committed, but the thread goes on to read the environment, and to lock a mutex in it (`WriteWorker::Write` in `writer.cpp`). `close` waits
 * only for the newest transaction, whose thread may be faster.
 */
export const outliveWriteThreads = (root: RootDatabase): void => {
  const { env } = root as unknown as { env: Native };
  const [start, free, close] = [env.startWriting.bind(env), env.close.bind(env), root.close.bind(root)];
  let running = 0;
  let ended = (): void => {};
  let freed: Promise<void> | undefined;
  const startWriting: Native['startWriting'] = (instructions, tell) => {
    start(instructions, (status) => {
      try {
        return tell(status);
      } finally {
        if (!PROGRESS.has(status)) running -= 1;
        if (running === 0) ended();
      }
    });
    running += 1;
  };
  const freeLater = (): void => {
    if (running === 0) free();
    else
      freed = new Promise((resolve) => {
        ended = () => resolve(free());
      });
  };
  Object.defineProperties(env, { startWriting: { value: startWriting }, close: { value: freeLater } }); // they cannot be assigned
  root.close = async () => {
    await close();
    await freed;
  };
};
