import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether file systems can be mounted: only root may, and not in every container. */
export const canMount = (): boolean => {
  const directory = mkdtempSync(join(tmpdir(), 'logbook-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', directory], { stdio: 'ignore' });
    execFileSync('umount', [directory]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(directory);
  }
};
