import { pino, stdSerializers } from 'pino';
import { scrub } from './scrub.js';

/** Structured log lines: an object with the facts, then a short text. */
export interface Logger {
  error(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  info(facts: object, text: string): void;
  debug(facts: object, text: string): void;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'silent';

/** Characters of a message that are worth a line. */
const LONGEST = 4_000;

/** Libraries attach what they worked on to their errors: a URL, a command, a body. Kept are only the parts that say what went wrong. */
const withoutDetails = (error: unknown): unknown => {
  if (!(error instanceof Error))
    return typeof error === 'object' && error !== null && 'message' in error ? { message: error.message } : error;
  const { type, message, stack, code } = stdSerializers.err(error);
  return { type, message: message.slice(0, LONGEST), stack: stack.slice(0, 2 * LONGEST), ...(code === undefined ? {} : { code }) };
};

/**
 * One JSON object a line: `level` as a word, `time` as UTC instant, then the facts; errors go in as `err`, without what is attached to them. No line
 * holds an e-mail address or the credentials of a URL, see {@link scrub}. Default: standard output.
 */
export const createLogger = (level: LogLevel, output: NodeJS.WritableStream = process.stdout): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      serializers: { err: withoutDetails },
      hooks: { streamWrite: scrub },
    },
    output,
  );
