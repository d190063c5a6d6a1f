import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { environmentOf } from '#test/support/processes/logbook-process.js';

const ROOT = resolve(import.meta.dirname, '../..');
export const SAMPLES = join(ROOT, 'samples');

/** A program of `samples` that runs. */
export type Sample = Readonly<{
  /** Its output so far. */
  lines: readonly string[];
  /** The same of standard error. */
  errors: readonly string[];
  /** Resolves with the exit code; `null` when a signal ended it. */
  exited: Promise<number | null>;
  /** SIGTERM; resolves with the exit code. */
  end(): Promise<number | null>;
}>;

/** Starts a program in the folder of the samples with these environment variables, and this on its standard input. */
export const startSample = (command: readonly string[], environment: Readonly<Record<string, string>>, input = ''): Sample => {
  const [program = '', ...args] = command;
  const env = { ...environmentOf({}), PYTHONDONTWRITEBYTECODE: '1', ...environment };
  const child = spawn(program, args, { cwd: SAMPLES, env, stdio: 'pipe' });
  const sample = { lines: [] as string[], errors: [] as string[] };
  createInterface({ input: child.stdout }).on('line', (line) => sample.lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => sample.errors.push(line));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  child.stdin.end(input);
  const end = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return { ...sample, exited, end };
};

const stripsTypes = 'typescript' in process.features && Boolean(process.features.typescript);

/** The command that runs a sample in TypeScript: as it is where Node strips types, otherwise made JavaScript in this directory before. */
export const typeScript = (name: string, directory: string): readonly string[] => {
  const source = join(SAMPLES, 'typescript', `${name}.ts`);
  if (stripsTypes) return [process.execPath, source];
  const made = join(directory, `${name}.mjs`);
  const options = ['--bundle', '--platform=node', '--format=esm', '--log-level=error', `--outfile=${made}`];
  execFileSync(join(ROOT, 'node_modules/.bin/esbuild'), [source, ...options]);
  return [process.execPath, made];
};

export const python = (name: string): readonly string[] => ['python3', join(SAMPLES, 'python', `${name}.py`)];
