import { nextTurn } from '#infra/platform/coordination/next-turn.js';

/** Lets so many turns of the event loop pass that everything has happened that waits for no timer, thread, disk or connection. */
export const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await nextTurn();
};

/** Does the work and returns its result. `turn` returns the number of turns of the event loop since the start. */
export const inTurns = async <Result>(work: (turn: () => number) => Promise<Result>): Promise<Result> => {
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn++) await nextTurn();
  })();
  try {
    return await work(() => turn);
  } finally {
    isOver = true;
    await counting;
  }
};
