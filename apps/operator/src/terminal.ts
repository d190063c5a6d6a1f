import { printable } from '#infra/platform/logging/printable.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { oneLine } from './tables.js';

const STYLES = { head: ['\u001b[1m', '\u001b[22m'], failure: ['\u001b[31m', '\u001b[39m'] } as const;

/** Applies a colour on a terminal that supports it, unless `NO_COLOR` is set. The text cannot control the terminal. */
const styled = (text: string, style: keyof typeof STYLES, output: NodeJS.WriteStream): string => {
  const [on, off] = output.isTTY && output.hasColors() ? STYLES[style] : ['', ''];
  return `${on}${text}${off}`;
};

const ignore = (): void => {};

/**
 * Writes to standard output before it returns, so that the process may end. A reader that has ended, as `head` does, is no failure: the
 * command keeps its exit code.
 */
export const write = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.off('error', ignore).on('error', ignore); // the callback has the error, too
    process.stdout.write(text, (error) => (error && codeOf(error) !== 'EPIPE' ? reject(error) : resolve()));
  });

/**
 * Writes a result to standard output. Values of clients cannot control the terminal.
 * @param headed whether the first line is the head of a table
 */
export const print = (text: string, { headed = false } = {}): Promise<void> => {
  const [first = '', ...rest] = printable(text).split('\n');
  const lines = [headed ? styled(first, 'head', process.stdout) : first, ...rest];
  return write(`${lines.join('\n')}\n`);
};

/** Writes anything but results to standard error, always in one line. */
export const remark = (text: string): void => {
  process.stderr.write(`${printable(oneLine(text))}\n`);
};

/** Writes the reason of a failure to standard error, in one line unless it is a stack. */
export const complain = (text: string, { isStack = false } = {}): void => {
  process.stderr.write(`${styled(printable(isStack ? text : oneLine(text)), 'failure', process.stderr)}\n`);
};

/** Width of terminals that do not report it. */
const USUAL_WIDTH = 80;

/** Characters per line of standard output; `undefined` if it is not a terminal. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns || USUAL_WIDTH : undefined);
