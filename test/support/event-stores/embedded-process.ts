import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { builtModule } from '#test/support/processes/built.js';

/** Other processes cannot run TypeScript. */
const SCRIPT = fileURLToPath(builtModule('test/support/event-stores/embedded-child'));

/** A process of its own on an embedded log. */
export type EmbeddedProcess = Readonly<{
  child: ChildProcess;
  /** What it has printed so far, a JSON value per line. */
  lines: readonly unknown[];
  /** Resolves once it has printed so many lines; rejects when it ends before. */
  printed(count: number): Promise<void>;
  /** Resolves with the exit code, or the signal that ended it, when all its output has been read. */
  ended: Promise<number | NodeJS.Signals | null>;
}>;

export type Task = 'write' | 'fill' | 'read' | 'digest' | 'tail' | 'count' | 'churn' | 'lock' | 'lose' | 'commit-soon';

/** Starts one. `shell` goes before the command, for limits. */
export const startEmbeddedProcess = (task: Task, paths: readonly string[], shell = ''): EmbeddedProcess =>
  watch(spawn('sh', ['-c', `${shell} exec "$0" "$@"`, process.execPath, SCRIPT, task, ...paths], { stdio: ['pipe', 'pipe', 'inherit'] }));

const watch = (child: ChildProcess): EmbeddedProcess => {
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
  const printed = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (lines.length < count && end === undefined) return;
        waiting.delete(look);
        if (lines.length < count) reject(new Error(`it ended with ${end} after ${lines.length} lines`));
        else resolve();
      };
      waiting.add(look);
      look();
    });
  return { child, lines, printed, ended };
};

const isWhole = (line: string): boolean => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};
