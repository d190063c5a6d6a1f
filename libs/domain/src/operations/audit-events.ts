import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

export const AUDIT_CATEGORY = 'ops.audit';

/** What auditors looked at. One stream: its events are independent facts, and appends of many callers are put together. */
export const AUDIT_STREAM = `${AUDIT_CATEGORY}-global`;

/** Who looked, and when, is in the metadata. */
export type AuditEvent =
  /** An auditor asked for personal data in plain text. `path`: as it was asked for, without its query; `query`: the parameters that were given. */
  | Readonly<{
      type: 'PersonalDataRead';
      data: Readonly<{ path: string; query: Readonly<Record<string, string | readonly string[]>> }>;
    }>
  /** An auditor read a service as of the past. `path`: without its query, which may hold a credential; `position`: the moment, as in the answer. */
  | Readonly<{ type: 'AsOfRead'; data: Readonly<{ path: string; position: string; requestId: string }> }>;

export const auditEvents: CatalogueOf<AuditEvent> = { PersonalDataRead: { resource: none }, AsOfRead: { resource: none } };

/** A read that is recorded before it is answered. */
export type RecordRead = Readonly<{ type: 'RecordRead'; event: AuditEvent }>;

/** There are no rules: every read is recorded. */
export const auditTrail: Decider<null, RecordRead, AuditEvent> = {
  window: 0,
  initialState: () => null,
  decide: ({ event }) => [event],
  evolve: () => null,
};
