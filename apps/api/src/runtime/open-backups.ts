import type { EventStore } from '#domain/shared/event-store.js';
import { BackupKind } from '#infra/edges/copies/backups/backup-kind.js';
import type { Integrity } from '#infra/engine/integrity/integrity.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { EmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';

/** Only processes with the embedded log open make backups. */
export const openBackups = (
  jobs: Jobs,
  log: EventStore,
  { backupDirectory: backups, dataDirectory: data }: Configuration,
  integrity: Pick<Integrity, 'catchUp'>,
): void => {
  if (isEmbedded(log)) jobs.register(new BackupKind(log, { backups, data }, () => integrity.catchUp()));
};

/** Avoids its class, which need not be loaded. */
const isEmbedded = (log: EventStore): log is EmbeddedEventStore => 'copyTo' in log;
