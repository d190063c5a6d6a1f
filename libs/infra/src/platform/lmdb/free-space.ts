import { closeSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';

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

/** @param bytes to be written before the reserve is needed. Default 0 @throws DiskFull the directory has too little space for writes */
export const requireRoom = (path: string, bytes = 0): void => {
  if (hasLessThan(path, RESERVE_BYTES + bytes)) throw new DiskFull();
};

/** Without a figure from the file system, only failed writes count. */
const hasLessThan = (path: string, bytes: number): boolean => {
  try {
    return freeBytesUnder(path) < bytes;
  } catch {
    return false;
  }
};

/** In bytes. For threads and heaps, without which the process would end with a signal. */
const OTHER_ADDRESS_SPACE = 4 * 2 ** 30;

/** @throws Error the process may not reserve so many bytes more (`ulimit -v`). No check where the system reports no limits */
export const requireAddressSpace = (bytes: number): void => {
  const limit = figureIn('/proc/self/limits', /^Max address space +(\d+)/m);
  if (limit === undefined) return;
  const used = 1_024 * (figureIn('/proc/self/status', /^VmSize:\s+(\d+)/m) ?? 0);
  if (limit - used >= bytes + OTHER_ADDRESS_SPACE) return;
  throw new Error(`the limit of the address space is too low (ulimit -v): each store needs ${Math.ceil(bytes / 2 ** 30)} GiB`);
};

/** LMDB needs so many descriptors to open its files. */
const DESCRIPTORS = 4;

/** Throws if the process cannot open as many files as LMDB does. */
export const requireDescriptors = (directory: string): void => {
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS) opened.push(openSync(directory, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
};

/** Throws if a file of so many bytes cannot be written. */
export const tryWriting = (file: string, bytes: number): void => {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { mode: 0o600 });
  } finally {
    rmSync(file, { force: true });
  }
};

const figureIn = (file: string, pattern: RegExp): number | undefined => {
  try {
    const figure = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return figure === undefined ? undefined : Number(figure);
  } catch {
    return undefined;
  }
};
