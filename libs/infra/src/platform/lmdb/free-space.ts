import { statfsSync } from 'node:fs';

/** Free bytes of the file system of a directory for unprivileged users. Throws if the file system does not report them. */
export const freeBytesUnder = (path: string): number => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

/** In bytes. Less than the event log leaves free, so that events that it has accepted can still be applied. */
const RESERVE_BYTES = 16 * 2 ** 20;

/** There is no space for a write. This is temporary. */
class DiskFull extends Error {
  override readonly name = 'DiskFull';
  readonly code = 'ENOSPC';
  constructor() {
    super('too little space is left on the disk');
  }
}

/** @throws DiskFull the directory has too little space for writes */
export const requireRoom = (path: string): void => {
  if (isBelowReserve(path)) throw new DiskFull();
};

/** Without a figure from the file system, only failed writes count. */
const isBelowReserve = (path: string): boolean => {
  try {
    return freeBytesUnder(path) < RESERVE_BYTES;
  } catch {
    return false;
  }
};
