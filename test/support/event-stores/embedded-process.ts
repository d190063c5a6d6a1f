import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryDirectory } from './embedded-log.js';

const ROOT = join(import.meta.dirname, '../../..');

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

type Task = 'write' | 'fill' | 'read' | 'digest' | 'tail' | 'count' | 'churn' | 'lose' | 'commit-soon';

export type EmbeddedProcesses = Readonly<{
  start(task: Task, paths: readonly string[], shell?: string): EmbeddedProcess;
  remove(): void;
}>;

/** Compiles the libraries aside, as other processes cannot run TypeScript. */
export const prepareEmbeddedProcesses = (): EmbeddedProcesses => {
  const build = temporaryDirectory();
  execFileSync(join(ROOT, 'node_modules/.bin/swc'), ['libs', '-d', join(build.path, 'dist'), '-q'], { cwd: ROOT });
  cpSync(join(ROOT, 'package.json'), join(build.path, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(build.path, 'node_modules'));
  const script = [join(ROOT, 'test/support/event-stores/embedded-child.mjs'), join(build.path, 'dist/libs')];
  return {
    /** `shell` goes before the command, for limits. */
    start: (task, paths, shell = '') =>
      watch(
        spawn('sh', ['-c', `${shell} exec "$0" "$@"`, process.execPath, ...script, task, ...paths], { stdio: ['pipe', 'pipe', 'inherit'] }),
      ),
    remove: build.remove,
  };
};

const watch = (child: ChildProcess): EmbeddedProcess => {
  const lines: unknown[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  let over = false;
  if (!child.stdout) throw new Error('the child has no output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!isWhole(line)) return; // killed while it printed
    lines.push(JSON.parse(line));
    wake();
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      over = true;
      wake();
      resolve(code ?? signal);
    });
  });
  const printed = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (lines.length < count && !over) return;
        waiting.delete(look);
        if (lines.length < count) reject(new Error(`it ended after ${lines.length} lines`));
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
