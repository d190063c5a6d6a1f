import { nextTurn } from '#infra/platform/coordination/next-turn.js';

/** Lets so many turns of the event loop pass that everything has happened that waits for no timer, thread, disk or connection. */
export const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await nextTurn();
};
