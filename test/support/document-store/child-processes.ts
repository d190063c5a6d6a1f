import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { builtModule } from '#test/support/processes/built.js';
import { SEED } from '#test/support/test-runs.js';

/** Other processes cannot run TypeScript. */
const SCRIPT = fileURLToPath(builtModule('test/support/document-store/child'));

type Task = 'write' | 'write-beside-thread' | 'read';

export type DocumentProcess = Readonly<{
  child: ChildProcess;
  /** What it has printed so far. */
  lines: readonly unknown[];
  /** Resolves once a line is as wanted, or rejects when it ends before. */
  printed(isWanted: (line: unknown, lines: readonly unknown[]) => boolean): Promise<void>;
  kill(): Promise<void>;
}>;

/** Starts one on a directory of documents. */
export const startDocumentProcess = (task: Task, path: string): DocumentProcess =>
  watch(spawn(process.execPath, [SCRIPT, task, path, `${SEED}`], { stdio: ['ignore', 'pipe', 'inherit'] }));

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
