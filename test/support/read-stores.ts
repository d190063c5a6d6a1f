import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import { ReadModelsUnavailable, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** How often an unavailable store is asked again, in milliseconds. */
const POLL_MS = 5;

/** Asks again for as long as the store is unavailable: it comes back by itself. */
export const whenBack = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailable)) throw error;
      await sleep(POLL_MS);
    }
  }
};

/** What a read comes to once there is a connection again. */
export const whenBackOrBehind = async <Result>(ask: () => Promise<Result>): Promise<Result | 'behind'> => {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ReadModelsUnavailable) return 'behind';
      if (!(error instanceof ReadStoreUnavailable)) throw error;
      await sleep(POLL_MS);
    }
  }
};

/** Resolves when the store notifies of a commit up to this position or a later one. */
export const reaching = (store: ReadStore, projection: string, position: Position): Promise<void> =>
  new Promise((resolve) => {
    const stop = store.onCommit(projection, (checkpoint) => {
      if (checkpoint < position) return;
      stop();
      resolve();
    });
  });
