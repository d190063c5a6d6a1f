import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process of its own that prints JSON values, one per line. */
export type PrintingProcess = Readonly<{
  child: ChildProcess;
  /** Its output so far. */
  lines: readonly unknown[];
  /** Resolves once it has printed so many lines, or ones that are as wanted; rejects when it ends before. */
  printed(wanted: number | ((lines: readonly unknown[]) => boolean)): Promise<void>;
  /** Resolves when it has ended. */
  kill(): Promise<void>;
  /** Resolves with the exit code, or the signal that ended it, when all its output has been read. */
  ended: Promise<number | NodeJS.Signals | null>;
}>;

export const watch = (child: ChildProcess): PrintingProcess => {
  const lines: unknown[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  let end: number | NodeJS.Signals | null | undefined;
  if (!child.stdout) throw new Error('the child has no output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!isWhole(line)) return; // killed while it printed
    lines.push(JSON.parse(line));
    wake();
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      end = code ?? signal;
      wake();
      resolve(end);
    });
  });
  const printed: PrintingProcess['printed'] = (wanted) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const isThere = typeof wanted === 'number' ? lines.length >= wanted : wanted(lines);
        if (!isThere && end === undefined) return;
        waiting.delete(look);
        if (isThere) resolve();
        else reject(new Error(`it ended with ${end} after ${lines.length} lines`));
      };
      waiting.add(look);
      look();
    });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { child, lines, printed, kill, ended };
};

const isWhole = (line: string): boolean => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};
