import type { LoggerService } from '@nestjs/common';
import type { Logger } from '#infra/platform/logging/logger.js';

/** Writes Nest's own messages to our log; its start-up messages are left out. */
export const nestLogger = (logger: Logger): LoggerService => ({
  log: () => {},
  error: (message, ...rest) => logger.error({ from: 'nest', err: message instanceof Error ? message : undefined, rest }, String(message)),
  warn: (message, ...rest) => logger.warn({ from: 'nest', rest }, String(message)),
});
