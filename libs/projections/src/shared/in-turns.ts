import type { Slice } from './pages.js';

/** Runs steps to their result. Yields to the event loop between them when the slice is over. */
export const inTurns = async <Result>(steps: Generator<undefined, Result>, slice: Slice): Promise<Result> => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.isOver) await slice.next();
  }
};
