import type { EventStore } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/config/configuration.js';
import { BackupKind } from '#infra/copies/backup-kind.js';
import type { EmbeddedEventStore } from '#infra/event-store/embedded/embedded-event-store.js';
import type { Jobs } from '#infra/jobs/jobs.js';

/** Backups are made by processes that have the embedded log open and know where to put them. */
export const openBackups = (jobs: Jobs, log: EventStore, { backupDirectory }: Configuration): void => {
  if (backupDirectory !== undefined && isEmbedded(log)) jobs.register(new BackupKind(log, backupDirectory));
};

/** Not by its class, which need not be loaded. */
const isEmbedded = (log: EventStore): log is EmbeddedEventStore => 'copyTo' in log;
