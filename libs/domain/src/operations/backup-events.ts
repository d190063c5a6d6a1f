import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

export const BACKUPS_CATEGORY = 'ops.backups';
export const BACKUPS_STREAM = `${BACKUPS_CATEGORY}-global`;

/** Somebody asked for a copy of the whole log; who, and when, is in the metadata. `directory` is relative to that of all backups. */
export type BackupEvent = Readonly<{ type: 'BackupRequested'; data: Readonly<{ backupId: string; directory: string }> }>;

export type BackupCommand =
  | Readonly<{ type: 'RequestBackup'; backupId: string; directory: string }>
  /** Changes nothing. Used to find the result of a repeated call. */
  | Readonly<{ type: 'LookUp' }>;

export const backupEvents: CatalogueOf<BackupEvent> = { BackupRequested: { resource: none } };

/** Every request is recorded. */
export const backupRequests: Decider<null, BackupCommand, BackupEvent> = {
  window: 0,
  initialState: () => null,
  decide: (command) => {
    if (command.type === 'LookUp') return [];
    const { backupId, directory } = command;
    return [{ type: 'BackupRequested', data: { backupId, directory } }];
  },
  evolve: () => null,
};
