import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * A command on the machine of a server asks it for a copy of the log in the data directory. The name cannot be guessed, and the directory
 * exists, so the command may write to the data directory.
 */
const LOCAL_COPY = /^copy\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export const newLocalCopy = (): string => `copy.${randomUUID()}`;

/** Returns whether the directory of a backup is that of a command, in the data directory. */
export const isLocalCopy = (directory: string): boolean => LOCAL_COPY.test(directory);

/** Removes copies left by killed commands. */
export const removeLocalCopies = async (dataDirectory: string): Promise<void> => {
  for (const name of await readdir(dataDirectory).catch(() => []))
    if (isLocalCopy(name)) await rm(join(dataDirectory, name), { recursive: true, force: true });
};
