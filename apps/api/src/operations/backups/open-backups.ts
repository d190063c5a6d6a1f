import type { EventStore } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/config/configuration.js';
import { BackupKind } from '#infra/copies/backups/backup-kind.js';
import type { EmbeddedEventStore } from '#infra/event-store/embedded/embedded-event-store.js';
import type { Integrity } from '#infra/integrity/integrity.js';
import type { Jobs } from '#infra/jobs/jobs.js';

/** Backups are made by processes that have the embedded log open and know where to put them. */
export const openBackups = (
  jobs: Jobs,
  log: EventStore,
  { backupDirectory }: Configuration,
  integrity: Pick<Integrity, 'catchUp'>,
): void => {
  if (backupDirectory === undefined || !isEmbedded(log)) return;
  jobs.register(new BackupKind(log, backupDirectory, () => integrity.catchUp()));
};

/** Not by its class, which need not be loaded. */
const isEmbedded = (log: EventStore): log is EmbeddedEventStore => 'copyTo' in log;
