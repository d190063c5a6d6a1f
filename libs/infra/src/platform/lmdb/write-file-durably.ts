import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { codeOf } from '#infra/platform/program/system-error.js';
import { giveToOwner } from './ownership.js';

/**
 * Replaces a small file atomically and flushes it with its directory entry: a power failure leaves the old text or the new one. Mode 0600.
 */
export const writeFileDurably = (file: string, text: string): void => {
  const temporary = temporaryOf(file);
  try {
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      giveToOwner(temporary);
      writeAll(descriptor, Buffer.from(text));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true }); // the disk is full
    throw error;
  }
  flushDirectory(dirname(file));
};

/** Writes in a loop, because a full disk may accept only a part. */
export const writeAll = (descriptor: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
};

/** Creates a directory with mode 0700, and missing ones above it. A power failure leaves all of them. */
export const makeDirectoryDurably = (path: string): void => {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const end = dirname(resolve(first));
  for (let made = resolve(path); made !== end; made = dirname(made)) {
    giveToOwner(made, end);
    flushParent(made);
  }
};

/** Makes the name of a file or directory durable, unless this process may not read the directory around it. */
export const flushParent = (path: string): void => {
  try {
    flushDirectory(dirname(path));
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
  }
};

/** Makes creations, renamings and removals in a directory durable. */
export const flushDirectory = (path: string): void => {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
};

/** A file was replaced; after a power failure the old text may return. */
export class NotFlushed extends Error {
  override readonly name = 'NotFlushed';
}

/** {@link writeFileDurably} without blocking the event loop. Must not be called concurrently for a file. @throws NotFlushed */
export const replaceFileDurably = async (file: string, text: string): Promise<void> => {
  const temporary = temporaryOf(file);
  try {
    const handle = await open(temporary, 'w', 0o600);
    try {
      giveToOwner(temporary);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flush(dirname(file)).catch((cause) => {
    throw new NotFlushed('a file was replaced, but not its directory flushed', { cause });
  });
};

/** Flushes a file, or the entries of a directory, without blocking the event loop. */
export const flush = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Threads of a process may write the same file at the same time. */
const temporaryOf = (file: string): string => `${file}.${process.pid}.${threadId}.tmp`;
