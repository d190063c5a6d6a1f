import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from '#infra/platform/logging/logger.js';

const LOOK_MS = 1_000;
/** Minimum time between lines about the same or a recurring shortage. */
const BETWEEN_LINES_MS = 60_000;

/** Logs a shortage of file descriptors, in which Node silently closes connections it cannot accept. Does not keep the process alive. */
export const watchDescriptors = (logger: Pick<Logger, 'error' | 'info'>): void => {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let isLogged = false;
  const look = (): void => {
    const code = shortage();
    if (code !== undefined && performance.now() - loggedAt >= BETWEEN_LINES_MS) {
      loggedAt = performance.now();
      isLogged = true;
      logger.error(
        { code },
        `no file descriptor is left (${code}): new connections are closed unanswered until others end. ${ADVICE[code]}`,
      );
    } else if (code === undefined && isLogged) {
      isLogged = false;
      logger.info({}, 'there are file descriptors again');
    }
  };
  setInterval(look, LOOK_MS).unref();
};

const ADVICE = { EMFILE: 'Raise the limit of the process (ulimit -n, LimitNOFILE=)', ENFILE: 'Raise that of the machine (fs.file-max)' };

const shortage = (): keyof typeof ADVICE | undefined => {
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'EMFILE' || code === 'ENFILE' ? code : undefined;
  }
};
