import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

export const AUDIT_CATEGORY = 'ops.audit';

/** Records reads by auditors. One stream: its events are independent, and appends of many callers are combined. */
export const AUDIT_STREAM = `${AUDIT_CATEGORY}-global`;

/** A read of personal data in plain text. `path`: as it was asked for, without its query; `query`: the parameters that were given. */
export type PersonalDataRead = Readonly<{ path: string; query: Readonly<Record<string, string | readonly string[]>> }>;

/** A read of a service as of the past. `path`: without its query, which may hold a credential; `position`: the moment, as in the answer. */
export type AsOfRead = Readonly<{ path: string; position: string; requestId: string }>;

/** A read of the data of a message by an auditor: each is an event of its own. `messageId`: offset in the topic. */
type MessageDataRead = Readonly<{ projectId: string; topicId: string; messageId: string; requestId: string }>;

/**
 * An event stands for the reads of one actor and kind in ten minutes. `also`: the different ones besides the first, with their instants
 * (`YYYY-MM-DDTHH:MM:SS.sssZ`); `more`: how many reads are not named, because they repeat a named one or came after too many of them.
 */
type Gathered<Read> = Read & Readonly<{ also?: readonly (Read & Readonly<{ time: string }>)[]; more?: number }>;

/** The actor is in the metadata, with the instant of the event. */
export type AuditEvent =
  | Readonly<{ type: 'PersonalDataRead'; data: Gathered<PersonalDataRead> }>
  | Readonly<{ type: 'AsOfRead'; data: Gathered<AsOfRead> }>
  | Readonly<{ type: 'MessageDataRead'; data: MessageDataRead }>;

export const auditEvents: CatalogueOf<AuditEvent> = {
  PersonalDataRead: { resource: none },
  AsOfRead: { resource: none },
  MessageDataRead: { resource: none },
};

type RecordRead = Readonly<{ type: 'RecordRead'; event: AuditEvent }>;

/** There are no rules: every read is recorded. */
export const auditTrail: Decider<null, RecordRead, AuditEvent> = {
  window: 0,
  initialState: () => null,
  decide: ({ event }) => [event],
  evolve: () => null,
};
