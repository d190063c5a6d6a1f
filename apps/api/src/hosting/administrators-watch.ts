import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '#api/runtime/runtime.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import { ensureAdministrators } from './credentials.js';

const pauseMs = backOff(1_000, 5_000);

/**
 * After every interruption of the log, ensures that it has the administrators of this server: a replaced copy may lack newer keys. Returns
 * a function that stops it.
 */
export const ensureAdministratorsAgain = (runtime: Runtime): (() => Promise<void>) => {
  const { eventStore, logger } = runtime;
  const abort = new AbortController();
  const { signal } = abort;
  let wanted = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    for (let failures = 0; wanted && !signal.aborted; ) {
      wanted = false;
      await sleep(pauseMs(failures + 1), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await ensureAdministrators(runtime);
        failures = 0;
      } catch (error) {
        if (isLogged(++failures)) logger.warn({ err: error }, 'the keys of the administrators cannot be looked up in the log now');
        wanted = true;
      }
    }
  };
  const stopListening = eventStore.onInterruption(() => {
    wanted = true;
    running ??= run().finally(() => {
      running = undefined;
    });
  });
  return async () => {
    stopListening();
    abort.abort();
    await running;
  };
};
