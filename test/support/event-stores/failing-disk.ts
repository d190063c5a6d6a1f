import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('failing-disk.c', import.meta.url));

/** A disk on which single calls of a process fail with EIO. */
export type FailingDisk = Readonly<{
  /** What the process needs in its environment. */
  environment: Readonly<Record<string, string>>;
  /** Has the next call of a kind on a path with this part fail: a write of a `header` of LMDB, or of another `page`, an `append`, a `read` or a `flush`. */
  failOnce(kind: 'header' | 'page' | 'append' | 'read' | 'flush', part: string): void;
  /** Whether it has. */
  hasFailed(): boolean;
}>;

/** @param folder for its files. @returns `undefined`: there is no C compiler */
export const failingDisk = (folder: string): FailingDisk | undefined => {
  const library = join(folder, 'failing-disk.so');
  const compiled = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'], { stdio: 'ignore' });
  if (process.platform !== 'linux' || compiled.status !== 0) return undefined;
  const faults = join(folder, 'faults');
  return {
    environment: { LD_PRELOAD: library, FAILING_DISK: faults },
    failOnce: (kind, part) => {
      writeFileSync(`${faults}.new`, `${kind} ${part}\n`);
      renameSync(`${faults}.new`, faults);
    },
    hasFailed: () => !existsSync(faults),
  };
};
