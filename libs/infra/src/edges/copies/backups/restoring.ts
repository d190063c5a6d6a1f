import { existsSync } from 'node:fs';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';

/** Directory in which a restore prepares a log. It exists only during a restore, or after one that did not end. */
export const restoringOf = (log: string): string => `${log}.restoring`;

/** Otherwise a start would begin an empty log in place of the one to be restored. @throws EnvironmentError */
export const refuseUnfinishedRestore = (log: string): void => {
  const restoring = restoringOf(log);
  if (existsSync(restoring))
    throw new EnvironmentError(
      restoring,
      `is what a restore has left that did not end: give the same backup to \`logbook restore\` again, or delete ${restoring} to go on without it`,
    );
};
