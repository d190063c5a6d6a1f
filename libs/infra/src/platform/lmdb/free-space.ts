import { statfsSync } from 'node:fs';

/** Free bytes of the file system of a directory, for users without privileges. Throws where the file system cannot tell. */
export const freeBytesUnder = (path: string): number => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

/** Less than the event log leaves free, so that what it has taken can still be applied: bytes. */
const RESERVE_BYTES = 16 * 2 ** 20;

/** There is no room for a write. It passes. */
class DiskFull extends Error {
  override readonly name = 'DiskFull';
  readonly code = 'ENOSPC';
  constructor() {
    super('too little space is left on the disk');
  }
}

/** @throws DiskFull nothing should be written to the directory now */
export const requireRoom = (path: string): void => {
  if (isBelowReserve(path)) throw new DiskFull();
};

/** A file system that cannot tell is judged by its writes alone. */
const isBelowReserve = (path: string): boolean => {
  try {
    return freeBytesUnder(path) < RESERVE_BYTES;
  } catch {
    return false;
  }
};
