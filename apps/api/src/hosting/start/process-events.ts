import { logConsole } from '#infra/platform/logging/log-console.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { endProcess } from './end-process.js';

/** Node's own warnings, what libraries print, and the errors that nothing catches, as lines of the log instead of texts on standard error. Such an error ends the process. */
export const logProcessEvents = (logger: Logger): void => {
  logConsole(logger);
  process.removeAllListeners('warning'); // Node's own, which prints them
  process.on('warning', ({ name, message }) => logger.warn({ from: 'node', warning: name }, message));
  process.on('uncaughtException', (error) => {
    logger.error({ err: error }, 'the server ended with an unexpected error');
    void endProcess(1);
  });
};
