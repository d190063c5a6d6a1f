import { lchownSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Gives a file or directory that the superuser has made to the owner of the directory around it: a command must not leave files that the
 * server cannot open. A file of that owner is not touched, because its times identify it (`fileIdentity`). No effect in other accounts.
 */
export const giveToOwner = (path: string, directory = dirname(path)): void => {
  if (process.getuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(directory);
    const made = lstatSync(path);
    if (made.uid !== uid && (made.isDirectory() || made.nlink === 1)) lchownSync(path, uid, gid);
  } catch {} // a container may withhold the right
};
