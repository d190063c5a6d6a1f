import { readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Damage, DataFile } from '#infra/platform/lmdb/data-file.js';

/** Makes what a killed process has left that of another boot, as it is after the machine was started again. */
export const reboot = (path: string): void => {
  const lock = join(path, 'lock');
  const [pid, start] = readlinkSync(lock).split(':');
  rmSync(lock);
  symlinkSync([pid, start, 'another-boot'].join(':'), lock);
};

/** Number of the newest transaction in the data file. Meta pages may contradict each other while a process commits. */
export const newestTransactionIn = (path: string): number => {
  const file = new DataFile(join(path, 'data.mdb'));
  try {
    for (;;)
      try {
        return file.readMeta().transaction;
      } catch (error) {
        if (!(error instanceof Damage)) throw error;
      }
  } finally {
    file.close();
  }
};
