import { printable } from '#infra/platform/logging/printable.js';
import { oneLine } from './tables.js';

const STYLES = { head: ['\u001b[1m', '\u001b[22m'], failure: ['\u001b[31m', '\u001b[39m'] } as const;

/** In a colour on a terminal that has them, unless `NO_COLOR` is set. The text can steer no terminal. */
const styled = (text: string, style: keyof typeof STYLES, output: NodeJS.WriteStream): string => {
  const [on, off] = output.isTTY && output.hasColors() ? STYLES[style] : ['', ''];
  return `${on}${text}${off}`;
};

/**
 * Writes a result to standard output, all of it before it returns, so that the process may end. What callers chose in it cannot steer the terminal.
 * @param headed the first line is the head of a table
 */
export const print = (text: string, { headed = false } = {}): Promise<void> =>
  new Promise((resolve, reject) => {
    const [first = '', ...rest] = printable(text).split('\n');
    const lines = [headed ? styled(first, 'head', process.stdout) : first, ...rest];
    process.stdout.write(`${lines.join('\n')}\n`, (error) => (error ? reject(error) : resolve()));
  });

/** Writes everything that is no result, to standard error: a line, whatever others chose in it. */
export const remark = (text: string): void => {
  process.stderr.write(`${printable(oneLine(text))}\n`);
};

/** Why the command failed, to standard error: a line, too, unless it is a stack. */
export const complain = (text: string, { isStack = false } = {}): void => {
  process.stderr.write(`${styled(printable(isStack ? text : oneLine(text)), 'failure', process.stderr)}\n`);
};

/** Of terminals that do not say it. */
const USUAL_WIDTH = 80;

/** Characters in a line of standard output; `undefined`: it is no terminal. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns || USUAL_WIDTH : undefined);
