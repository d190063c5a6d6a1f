import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';

const ROOT = join(import.meta.dirname, '../../..');

type Task = 'write' | 'write-beside-thread' | 'read';

export type DocumentProcess = Readonly<{
  child: ChildProcess;
  /** What it has printed so far. */
  lines: readonly unknown[];
  /** Resolves once a line is as wanted, or rejects when it ends before. */
  printed(isWanted: (line: unknown, lines: readonly unknown[]) => boolean): Promise<void>;
  kill(): Promise<void>;
}>;

export type DocumentProcesses = Readonly<{ start(task: Task, path: string): DocumentProcess; remove(): void }>;

/** Compiles the libraries aside, as other processes cannot run TypeScript. */
export const prepareDocumentProcesses = (): DocumentProcesses => {
  const build = temporaryDirectory();
  execFileSync(join(ROOT, 'node_modules/.bin/swc'), ['libs', 'test/support/document-store', '-d', join(build.path, 'dist'), '-q'], {
    cwd: ROOT,
  });
  cpSync(join(ROOT, 'package.json'), join(build.path, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(build.path, 'node_modules'));
  const script = join(build.path, 'dist/test/support/document-store/child.js');
  const start = (task: Task, path: string) =>
    watch(spawn(process.execPath, [script, task, path], { stdio: ['ignore', 'pipe', 'inherit'] }));
  return { start, remove: build.remove };
};

const watch = (child: ChildProcess): DocumentProcess => {
  if (!child.stdout) throw new Error('the child has no output');
  const lines: unknown[] = [];
  const input = createInterface({ input: child.stdout });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  input.on('line', (line) => lines.push(JSON.parse(line)));
  const printed = (isWanted: (line: unknown, lines: readonly unknown[]) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (isWanted(lines.at(-1), lines)) resolve();
      };
      input.on('line', look);
      void ended.then(() => reject(new Error(`it ended after ${lines.length} lines`)));
      look();
    });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { child, lines, printed, kill };
};
