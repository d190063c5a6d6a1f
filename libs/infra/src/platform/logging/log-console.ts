import { format } from 'node:util';
import type { Logger } from './logger.js';

/** From now on, output of libraries to `console` in this thread becomes lines of the log. */
export const logConsole = (logger: Logger): void => {
  const facts = { from: 'console' };
  console.error = (...given: unknown[]) => logger.error(facts, textOf(given));
  console.warn = (...given: unknown[]) => logger.warn(facts, textOf(given));
  for (const name of ['log', 'info', 'debug'] as const) console[name] = (...given: unknown[]) => logger.info(facts, textOf(given));
};

/** Of errors the message alone: libraries attach data to them. */
const textOf = (given: readonly unknown[]): string => format(...given.map((one) => (one instanceof Error ? one.message : one)));
