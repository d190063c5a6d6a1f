import { pino, stdSerializers } from 'pino';
import { build } from '#infra/platform/program/build.js';
import { nodeName } from '#infra/platform/program/node-name.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { printable } from './printable.js';
import { scrub } from './scrub.js';

/** Structured log lines: an object with the facts, then a short text. */
export interface Logger {
  error(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  info(facts: object, text: string): void;
  debug(facts: object, text: string): void;
}

/** Adds facts to every line. */
export const withFacts = (log: Omit<Logger, 'debug'>, known: object): Omit<Logger, 'debug'> => ({
  error: (facts, text) => log.error({ ...known, ...facts }, text),
  warn: (facts, text) => log.warn({ ...known, ...facts }, text),
  info: (facts, text) => log.info({ ...known, ...facts }, text),
});

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'silent';

/** Longer messages are cut: characters. */
const LONGEST = 4_000;

/**
 * Libraries attach data to their errors: a URL, a command, a body. Only the parts that say what went wrong are logged. For an outage that is its
 * message; it is logged for as long as it lasts, so a stack of each would hide all other lines.
 */
const withoutDetails = (error: unknown): unknown => {
  if (!(error instanceof Error))
    return typeof error === 'object' && error !== null && 'message' in error ? { message: error.message } : error;
  const { type, message, stack, code } = stdSerializers.err(error);
  return {
    ...{ type, message: message.slice(0, LONGEST) },
    ...(!isOutage(error) && { stack: stack.slice(0, 2 * LONGEST) }),
    ...(code !== undefined && { code }),
  };
};

const guarded = new WeakSet<NodeJS.WritableStream>();

/** Lines that cannot be written, because the disk is full or nobody reads any more, are lost: their stream's error would end the process. */
const withoutErrors = (output: NodeJS.WritableStream): NodeJS.WritableStream => {
  if (!guarded.has(output)) output.on('error', () => undefined);
  guarded.add(output);
  return output;
};

/**
 * Logs one JSON object a line: `level` as a word, `time` as UTC instant, the `service` (`logbook`), `node` and `version` that say it, then the facts, which
 * have members of other names; errors as `err`, without attached data. No line contains an e-mail address or the credentials of a URL, see {@link scrub}, nor what a terminal would obey.
 * @param output default: standard output
 */
export const createLogger = (level: LogLevel, output: NodeJS.WritableStream = process.stdout): Logger =>
  pino(
    {
      level,
      base: { service: 'logbook', node: nodeName(), version: build.version },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      serializers: { err: withoutDetails },
      hooks: { streamWrite: (line) => printable(scrub(line)) },
    },
    withoutErrors(output),
  );
