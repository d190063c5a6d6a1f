import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** Calls of the file system that build files are made of. Tests pass their own, which fail. */
export type Files = Readonly<{
  /** @param flags `r`, `r+`, or `w+` for an empty one */
  open(path: string, flags: 'r' | 'r+' | 'w+'): number;
  /** Returns how much was written. */
  write(descriptor: number, bytes: Buffer, at: number, position: number): number;
  /** Returns how much was read. */
  read(descriptor: number, bytes: Buffer, at: number, position: number): number;
  size(descriptor: number): number;
  truncate(descriptor: number, length: number): void;
  /** Resolves when all earlier writes are on the disk. */
  sync(descriptor: number): Promise<void>;
  close(descriptor: number): void;
}>;

export const DISK: Files = {
  open: (path, flags) => openSync(path, flags, 0o600),
  write: (descriptor, bytes, at, position) => writeSync(descriptor, bytes, at, bytes.length - at, position),
  read: (descriptor, bytes, at, position) => readSync(descriptor, bytes, at, bytes.length - at, position),
  size: (descriptor) => fstatSync(descriptor).size,
  truncate: (descriptor, length) => ftruncateSync(descriptor, length),
  sync: promisify(fdatasync),
  close: (descriptor) => closeSync(descriptor),
};
