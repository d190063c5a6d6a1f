import { pino } from 'pino';

/** Structured log lines: an object with the facts, then a short text. */
export interface Logger {
  error(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  info(facts: object, text: string): void;
  debug(facts: object, text: string): void;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'silent';

/** One JSON object a line: `level` as a word, `time` as UTC instant, then the facts; errors go in as `err`. Default: standard output. */
export const createLogger = (level: LogLevel, output: NodeJS.WritableStream = process.stdout): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
    },
    output,
  );
