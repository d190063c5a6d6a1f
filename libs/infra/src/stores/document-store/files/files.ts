import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { requireRoom } from '#infra/platform/lmdb/free-space.js';
import { giveToOwner } from '#infra/platform/lmdb/ownership.js';

/** File system calls used by build files. Tests pass failing ones. */
export type Files = Readonly<{
  /** @param flags `r`, `r+`, or `w+` for an empty file */
  open(path: string, flags: 'r' | 'r+' | 'w+'): number;
  /** Returns the number of bytes written. */
  write(descriptor: number, bytes: Buffer, at: number, position: number): number;
  /** Returns the number of bytes read. */
  read(descriptor: number, bytes: Buffer, at: number, position: number): number;
  size(descriptor: number): number;
  truncate(descriptor: number, length: number): void;
  /** Resolves when all earlier writes are on disk. */
  sync(descriptor: number): Promise<void>;
  close(descriptor: number): void;
  /** Throws if the disk of a file has no room for so many bytes and the reserve. */
  requireRoom(path: string, bytes: number): void;
}>;

export const DISK: Files = {
  open: (path, flags) => {
    const descriptor = openSync(path, flags, 0o600);
    giveToOwner(path);
    return descriptor;
  },
  write: (descriptor, bytes, at, position) => writeSync(descriptor, bytes, at, bytes.length - at, position),
  read: (descriptor, bytes, at, position) => readSync(descriptor, bytes, at, bytes.length - at, position),
  size: (descriptor) => fstatSync(descriptor).size,
  truncate: (descriptor, length) => ftruncateSync(descriptor, length),
  sync: promisify(fdatasync),
  close: (descriptor) => closeSync(descriptor),
  requireRoom,
};
