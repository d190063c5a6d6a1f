import { isAnyLost } from '#infra/platform/lmdb/environment-error.js';
import { logConsole } from '#infra/platform/logging/log-console.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { endProcess } from './end-process.js';

/** Logs Node's own warnings, output of libraries and uncaught errors as log lines. An uncaught error ends the process. */
export const logProcessEvents = (logger: Logger): void => {
  logConsole(logger);
  process.removeAllListeners('warning'); // Node's own listener, which prints them
  process.on('warning', ({ name, message }) => logger.warn({ from: 'node', warning: name }, message));
  process.on('uncaughtException', (error) => {
    if (isAnyLost()) return; // logged, and the process ends
    logger.error({ err: error }, 'the server ended with an unexpected error');
    void endProcess(1);
  });
};
