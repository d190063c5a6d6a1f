import type { Slice } from './pages.js';

/** What steps come to, others having their turn of the event loop between them. */
export const inTurns = async <Result>(steps: Generator<undefined, Result>, slice: Slice): Promise<Result> => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.isOver) await slice.next();
  }
};
