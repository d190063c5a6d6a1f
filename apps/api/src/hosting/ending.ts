import { setTimeout as sleep } from 'node:timers/promises';
import { StoreLost } from '#api/runtime/damage-watch.js';
import type { Runtime } from '#api/runtime/runtime.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ApiThreads } from './threads/api-threads.js';

/** A server that accepts requests. `close` ends it in order. */
export type Server = Readonly<{ url: string; runtime: Runtime; threads?: ApiThreads | undefined; close(): Promise<void> }>;

/** From the signal, or the end of the drain, to the end of the process pass 15 s at most (docs/operations.md): the rest is for Node itself. */
const ENDING_MS = 13_000;

/** Files that have failed may not close, and what is still starting neither. */
export const ABANDONED_CLOSE_MS = 5_000;

/** Goes on serving for as long as the configuration says, so that balancers notice; ends at once when nothing can be served any more. */
const drained = async ({ runtime, threads }: Server, logger: Logger): Promise<void> => {
  const { drain, lost, configuration } = runtime;
  const { drainSeconds: seconds } = configuration;
  drain.begin();
  threads?.drain();
  if (seconds === 0) return;
  logger.info({ seconds }, 'draining: not ready any more, and serving for this time');
  await Promise.race([sleep(seconds * 1_000), lost]);
};

/** Serves until the signal, or until a store is lost. @returns the exit code */
export const serveUntil = async (signalled: Promise<string>, starting: Promise<Server>, logger: Logger): Promise<number> => {
  const first = await Promise.race([signalled, starting]);
  if (typeof first === 'string') {
    logger.info({ signal: first }, 'shutting down before the start has ended');
    await Promise.race([starting.then((server) => server.close()).catch(() => undefined), sleep(ABANDONED_CLOSE_MS)]);
    return 0;
  }
  const ending = await Promise.race([signalled, first.runtime.lost]);
  if (ending instanceof StoreLost) {
    first.runtime.drain.begin(); // not ready any more
    await Promise.race([first.close(), sleep(ABANDONED_CLOSE_MS)]);
    return 1;
  }
  logger.info({ signal: ending }, 'shutting down');
  await drained(first, logger);
  await first.close();
  return 0;
};

/**
 * What the work comes to; 1 if it goes on for 13 seconds, and the drain, after the signal.
 * @param work resolves with the exit code
 */
export const withinTime = async (
  signalled: Promise<string>,
  drainSeconds: number,
  logger: Logger,
  work: () => Promise<number>,
): Promise<number> => {
  const ended = new AbortController();
  const overdue = async (): Promise<number> => {
    await signalled;
    await sleep(drainSeconds * 1_000 + ENDING_MS, undefined, { signal: ended.signal });
    logger.error({}, `the server has not ended in order ${ENDING_MS / 1_000} s after it was asked to: the process ends now`);
    return 1;
  };
  try {
    return await Promise.race([work(), overdue()]);
  } finally {
    ended.abort();
  }
};
