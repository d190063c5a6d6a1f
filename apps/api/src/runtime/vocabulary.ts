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
import { ACCESS } from '#projections/accounting/access/queries.js';
import { CATALOGUE } from '#projections/accounting/catalogue/queries.js';
import { DEFINITIONS } from '#projections/accounting/definitions/queries.js';
import { accountingProjections } from '#projections/accounting/index.js';
import { ACCOUNTS } from '#projections/messaging/accounts/queries.js';
import { messagingProjections } from '#projections/messaging/index.js';
import { RESOURCES } from '#projections/messaging/resources/queries.js';
import { ACCESS_KEYS } from '#projections/operations/access-keys/queries.js';
import { operationsProjections } from '#projections/operations/index.js';
import type { Projection } from '#projections/shared/projection.js';
import { statusProjections } from '#projections/status/index.js';
import { TENANTS } from '#projections/status/tenants/queries.js';

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

/**
 * Read models without which a node is not ready: with them callers are admitted, and what they name is found, so that most calls that write work. They
 * are small; all others may be filled meanwhile.
 */
export const NEEDED: ReadonlySet<string> = new Set([ACCESS_KEYS, ACCOUNTS, RESOURCES, ACCESS, CATALOGUE, DEFINITIONS, TENANTS]);

/** Every read model. */
export const projections: readonly Projection[] = [
  ...operationsProjections,
  ...messagingProjections,
  ...accountingProjections,
  ...statusProjections,
];
