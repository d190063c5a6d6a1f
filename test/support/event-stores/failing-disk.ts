import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFile } from '#test/support/processes/built.js';

type Environment = Readonly<Record<string, string>>;

/** A kind of call that can fail: `write` anywhere, `flush` of a file or directory, `open` for reading as well. */
export type CallKind = 'write' | 'flush' | 'rename' | 'open' | 'truncate';

/** Calls `n` to `n + times - 1` of a kind fail, or write half of their bytes (`SHORT`). `part`: only those on paths with it. */
export type NthFault = Readonly<{ kind: CallKind; n: number; error: 'EIO' | 'ENOSPC' | 'SHORT'; times: number; part?: string }>;

/** A disk whose calls fail or are recorded for a process. Each method returns a part of the environment of the process. */
export type DiskShim = Readonly<{
  /** The first call that `faults` names fails with EIO. */
  failingOnce(faults: string): Environment;
  /** Calls under `root` fail. `said` gets a line for each. */
  failingNth(root: string, fault: NthFault, said: string): Environment;
  /** Changes under `root` are recorded in `journal`. */
  recorded(root: string, journal: string): Environment;
  /** The process sees the text of the file `boot` as the id of the boot. */
  otherBoot(boot: string): Environment;
}>;

/** @param folder for its files. @returns `undefined`: there is no C compiler */
export const diskShim = (folder: string): DiskShim | undefined => {
  const library = join(folder, 'failing-disk.so');
  const source = sourceFile('test/support/event-stores/failing-disk.c');
  const compiled = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'ignore' });
  if (process.platform !== 'linux' || compiled.status !== 0) return undefined;
  const preloaded = { LD_PRELOAD: library };
  return {
    failingOnce: (faults) => ({ ...preloaded, FAILING_DISK: faults }),
    failingNth: (root, { kind, n, error, times, part = '' }, said) => ({
      ...preloaded,
      FAILING_DISK_ROOT: root,
      FAILING_DISK_NTH: `${kind} ${n} ${error} ${times} ${part}`,
      FAILING_DISK_SAID: said,
    }),
    recorded: (root, journal) => ({ ...preloaded, FAILING_DISK_ROOT: root, FAILING_DISK_JOURNAL: journal }),
    otherBoot: (boot) => ({ ...preloaded, FAILING_DISK_BOOT: boot }),
  };
};

/** A disk on which single calls of a process fail with EIO. */
export type FailingDisk = Readonly<{
  /** What the process needs in its environment. */
  environment: Environment;
  /** Has the next call of a kind on a path with this part fail: a write of a `header` of LMDB, or of another `page`, an `append`, a `read` or a `flush`. */
  failOnce(kind: 'header' | 'page' | 'append' | 'read' | 'flush', part: string): void;
  /** Whether it has. */
  hasFailed(): boolean;
}>;

/** @param folder for its files. @returns `undefined`: there is no C compiler */
export const failingDisk = (folder: string): FailingDisk | undefined => {
  const shim = diskShim(folder);
  if (!shim) return undefined;
  const faults = join(folder, 'faults');
  return {
    environment: shim.failingOnce(faults),
    failOnce: (kind, part) => {
      writeFileSync(`${faults}.new`, `${kind} ${part}\n`);
      renameSync(`${faults}.new`, faults);
    },
    hasFailed: () => !existsSync(faults),
  };
};
