import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Installation } from '#test/bench/installation.js';
import { cpuMicrosOf } from '#test/bench/profile/usage.js';

type Used = Readonly<{ cpuSeconds: number; peakMiB: number }>;

const COMMAND_LINE = fileURLToPath(new URL('../../../server/cli.js', import.meta.url));
const LOOK_MS = 20;
const MIB = 1_048_576;

/** Most resident memory so far, MiB. */
const peakOf = (pid: number): number => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Runs `logbook` on the stores of an installation. @throws when it fails */
const logbook = async ({ directory, environment }: Installation, data: string, args: readonly string[]): Promise<Used> => {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...environment, LOGBOOK_DATA_DIR: data };
  const child = spawn(process.execPath, ['--enable-source-maps', COMMAND_LINE, ...args], {
    cwd: directory,
    env,
    stdio: ['ignore', 'ignore', 2],
  });
  const exited = once(child, 'exit').then(([code]) => code as number);
  let used: Used = { cpuSeconds: 0, peakMiB: 0 };
  while (child.exitCode === null && child.pid !== undefined) {
    try {
      used = { cpuSeconds: cpuMicrosOf(child.pid) / 1e6, peakMiB: peakOf(child.pid) || used.peakMiB };
    } catch {
      // has ended
    }
    await sleep(LOOK_MS);
  }
  const code = await exited;
  if (code !== 0) throw new Error(`logbook ${args.join(' ')} ended with ${code}`);
  return used;
};

/** Copies the log of an installation whose server has ended: export, import, backup, restore. */
export const measureCopies = async (installation: Installation, said: (name: string, value: number) => void): Promise<void> => {
  const place = mkdtempSync(join(tmpdir(), 'logbook-bench-copies-'));
  try {
    const run = async (name: string, data: string, ...args: readonly string[]): Promise<void> => {
      const { cpuSeconds, peakMiB } = await logbook(installation, data, args);
      said(`${name}, CPU s`, cpuSeconds);
      said(`${name}: most memory, MiB`, peakMiB);
    };
    const file = join(place, 'log.ndjson.gz');
    await run('export', installation.directory, 'export', file);
    said('export: file, MiB', statSync(file).size / MIB);
    await run('import', join(place, 'imported'), 'import', file, '--unverified', '--with-keys');
    await run('verification of the copy', join(place, 'imported'), 'audit', 'verify');
    rmSync(join(place, 'imported'), { recursive: true });
    await run('backup, by the command', installation.directory, 'backup', join(place, 'backup'));
    await run('restore', join(place, 'restored'), 'restore', join(place, 'backup'));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};
