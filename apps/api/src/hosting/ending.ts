import { setTimeout as sleep } from 'node:timers/promises';
import { StoreLost } from '#api/runtime/damage-watch.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { renewDataFile } from '#infra/platform/lmdb/lost-environment/renew-data-file.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { within } from '#infra/platform/scheduling/within.js';

/** A server that accepts requests. `close` ends it gracefully. */
export type Server = Readonly<{ url: string; runtime: Runtime; close(): Promise<void> }>;

/** The process ends at most 15 s after the signal or the end of the drain (docs/running/install.md); the rest is for Node itself. */
const ENDING_MS = 13_000;

/** Files that have failed may not close, and neither may parts that are still starting. */
export const ABANDONED_CLOSE_MS = 5_000;

/** The same for a server that restarts in this process: it includes time for open requests. */
const RENEWED_CLOSE_MS = 12_000;

/** Serves for the configured drain time, so that balancers can react. Ends at once if nothing can be served any more. */
const drained = async ({ runtime }: Server, logger: Logger): Promise<void> => {
  const { drain, lost, configuration } = runtime;
  const { drainSeconds: seconds } = configuration;
  drain.begin();
  if (seconds === 0) return;
  logger.info({ seconds }, 'draining: not ready any more, and serving for this time');
  await Promise.race([sleep(seconds * 1_000), lost]);
};

const closed = (server: Server): Promise<boolean> =>
  server.close().then(
    () => true,
    () => false,
  );

/** A server has ended because its derived files have failed. `url`: its address. */
type Renewable = Readonly<{ path: string; url?: string }>;

/** Derived files that have failed while a server started; `renewed`: those for which the previous server has ended. */
const renewableOf = (error: unknown, renewed: string | undefined): Renewable | undefined => {
  const path =
    error instanceof StoreLost ? error.renewable : error instanceof EnvironmentError && error.path === renewed ? renewed : undefined;
  return path === undefined ? undefined : { path };
};

/** Serves until the signal, or until a store is lost. @returns the exit code, or files to renew before a restart in this process */
const serveUntil = async (signalled: Promise<string>, starting: Promise<Server>, logger: Logger): Promise<number | Renewable> => {
  const first = await Promise.race([signalled, starting]);
  if (typeof first === 'string') {
    logger.info({ signal: first }, 'shutting down before the start has ended');
    await Promise.race([starting.then((server) => server.close()).catch(() => undefined), sleep(ABANDONED_CLOSE_MS)]);
    return 0;
  }
  const ending = await Promise.race([signalled, first.runtime.lost]);
  if (ending instanceof StoreLost) {
    // After a write of LMDB has failed, each further error of it may overwrite memory of this process (docs/lmdb.md).
    if (ending.renewable === undefined) return 1;
    first.runtime.drain.begin(); // not ready any more
    const isClosed = await within(RENEWED_CLOSE_MS, closed(first), () => false);
    return isClosed ? { path: ending.renewable, url: first.url } : 1;
  }
  logger.info({ signal: ending }, 'shutting down');
  await drained(first, logger);
  await first.close();
  return 0;
};

/** Exit code of the work; 1 if it takes longer than 13 seconds plus the drain after the signal. @param work resolves with the exit code */
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

/** A server that has run for this number of milliseconds restarts without a pause. */
const SOUND_MS = 600_000;
const renewalPauseMs = backOff(1_000, 60_000);

/**
 * Serves, and restarts in this process if derived files are damaged: at once, or after a pause if that happens repeatedly.
 * @param start begins a server. `port`: that of the previous one
 * @returns the exit code
 */
export const serveAnew = async (
  signalled: Promise<string>,
  logger: Logger,
  start: (port: number | undefined) => Promise<Server>,
): Promise<number> => {
  let port: number | undefined;
  let renewed: string | undefined;
  for (let failures = 0; ; ) {
    const began = performance.now();
    const ending = await serveUntil(signalled, start(port), logger).catch((error): Renewable => {
      const failed = renewableOf(error, renewed);
      if (!failed) throw error;
      logger.error({ err: error, path: failed.path }, 'derived files have failed while the server started');
      return failed;
    });
    if (typeof ending === 'number') return ending;
    failures = performance.now() - began < SOUND_MS ? failures + 1 : 1;
    if (failures > 1 && (await Promise.race([signalled, sleep(renewalPauseMs(failures - 1))]))) return 0;
    try {
      await renewDataFile(ending.path);
    } catch (error) {
      logger.error({ err: error, path: ending.path }, 'the files cannot be opened anew: the process ends');
      return 1;
    }
    if (ending.url !== undefined) port ??= Number(new URL(ending.url).port) || undefined; // 0 in the settings means any port
    renewed = ending.path;
    logger.warn({ path: ending.path }, 'the server begins anew in this process, with what is on the disk');
  }
};
