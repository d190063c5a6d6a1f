import { printable } from '#infra/platform/logging/printable.js';

/** Writes a result to standard output, all of it before it returns, so that the process may end. What callers chose in it cannot steer the terminal. */
export const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${printable(text)}\n`, (error) => (error ? reject(error) : resolve()));
  });

/** Writes everything that is no result, to standard error. */
export const remark = (text: string): void => {
  process.stderr.write(`${printable(text)}\n`);
};
