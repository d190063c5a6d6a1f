import { accountingCatalogues } from '#domain/accounting/index.js';
import { integrityCatalogues } from '#domain/integrity/integrity-events.js';
import { messagingCatalogues } from '#domain/messaging/index.js';
import { ACCESS_KEYS_CATEGORY, accessKeyEvents } from '#domain/operations/access-keys.js';
import { AUDIT_CATEGORY, auditEvents } from '#domain/operations/audit-events.js';
import { BACKUPS_CATEGORY, backupEvents } from '#domain/operations/backup-events.js';
import { CERTIFICATES_CATEGORY, certificateEvents } from '#domain/operations/certificates.js';
import { ERASURES_CATEGORY, erasureEvents } from '#domain/operations/erasures.js';
import { LOG_CATEGORY, logEvents } from '#domain/operations/log-events.js';
import { PROJECTIONS_CATEGORY, projectionOperations } from '#domain/operations/projection-operations.js';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { statusCatalogues } from '#domain/status/index.js';
import { accountingProjections } from '#projections/accounting/index.js';
import { messagingProjections } from '#projections/messaging/index.js';
import { operationsProjections } from '#projections/operations/index.js';
import type { Projection } from '#projections/shared/projection.js';
import { statusProjections } from '#projections/status/index.js';

/** Every event type of the log, by stream category. */
export const catalogues: Readonly<Record<string, EventCatalogue>> = {
  [ACCESS_KEYS_CATEGORY]: accessKeyEvents,
  [BACKUPS_CATEGORY]: backupEvents,
  [AUDIT_CATEGORY]: auditEvents,
  [CERTIFICATES_CATEGORY]: certificateEvents,
  [ERASURES_CATEGORY]: erasureEvents,
  [LOG_CATEGORY]: logEvents,
  [PROJECTIONS_CATEGORY]: projectionOperations,
  ...integrityCatalogues,
  ...messagingCatalogues,
  ...accountingCatalogues,
  ...statusCatalogues,
};

/** Every read model. */
export const projections: readonly Projection[] = [
  ...operationsProjections,
  ...messagingProjections,
  ...accountingProjections,
  ...statusProjections,
];

/** Read models without which a node is not ready: see {@link Projection.needed}. */
export const NEEDED: ReadonlySet<string> = new Set(projections.flatMap(({ name, needed }) => (needed ? [name] : [])));
