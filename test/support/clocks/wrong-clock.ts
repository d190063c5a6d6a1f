import { existsSync, readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';

/** The library that shows programs another time, in Debian in a folder for each architecture; `undefined` where it is not installed. */
const library = (): string | undefined => {
  const architectures = existsSync('/usr/lib') ? readdirSync('/usr/lib').map((name) => `lib/${name}`) : [];
  return ['lib64', ...architectures].map((folder) => `/usr/${folder}/faketime/libfaketimeMT.so.1`).find((path) => existsSync(path));
};

/** Said once where the clock of Redis cannot be set wrong. */
export const NO_WRONG_CLOCK = 'the clock of Redis stays right: libfaketime is not installed (Debian, Ubuntu: apt-get install libfaketime)';

/**
 * What a native program needs in its environment so that its wall clock is wrong by what `file` says, from call to call; its monotonic clock stays
 * right. `undefined`: libfaketime is not installed.
 */
export const wrongClock = (file: string): Readonly<Record<string, string>> | undefined => {
  const path = library();
  if (path === undefined) return undefined;
  return {
    // With jemalloc, which asks for the time while it starts, the library waits for itself for ever; so memory comes from libc.
    LD_PRELOAD: `${path}:libc.so.6`,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
};

/** Sets a clock wrong by so many milliseconds; 0: right. A reader of the file finds the old text or the new one. */
export const setWrong = async (file: string, by: number): Promise<void> => {
  await writeFile(`${file}.new`, `${by < 0 ? '-' : '+'}${Math.abs(by) / 1_000}`);
  await rename(`${file}.new`, file);
};
