import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { writeFileDurably } from './write-file-durably.js';

/**
 * A process that writes without flushing leaves a file `open.<pid>` with the boot it runs under, and removes it when it has closed. One
 * that stays behind from an earlier boot means that the machine stopped before the data was flushed. A file per process, because the
 * first to close knows nothing of the others. Killed processes leave theirs too: within one boot it means nothing.
 */
export const recordOpener = (path: string): (() => void) => {
  const file = join(path, `open.${process.pid}`);
  writeFileDurably(file, currentBoot());
  return () => rmSync(file, { force: true });
};

/** The files left behind under other boots. */
export const openersOfAnotherBoot = (path: string): readonly string[] =>
  readdirSync(path)
    .filter((name) => /^open\.\d+$/.test(name))
    .map((name) => join(path, name))
    .filter((file) => !isThisBoot(readIfThere(file)));

/** The kernel's random id of this boot; where there is none, the second of the boot. */
const currentBoot = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return String(Math.round(Date.now() / 1000 - uptime()));
  }
};

/** The computed second of a boot wavers when the clock is set. */
const CLOCK_TOLERANCE_SECONDS = 60;

const isThisBoot = (recorded: string | undefined): boolean => {
  if (recorded === undefined) return true; // closed in the meantime
  const current = currentBoot();
  return recorded === current || Math.abs(Number(recorded) - Number(current)) <= CLOCK_TOLERANCE_SECONDS;
};

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};
