import type { PastApplication } from '#api/as-of/past-application.js';
import { ValueReader } from '#api/audit/resources/value-reader.js';
import { kindOf } from '#api/operations/records/kinds.js';
import { resourcesOf } from '#domain/audit/resources/resources-of.js';
import type { LogMoment } from '#domain/operations/moments.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { ExactJson } from '#domain/shared/json/exact-json.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';

/** A dated record is deleted with all its snapshots; the difference shows the newest. */
const LAST_DAY = '9999-12-31';

type Parts = Readonly<{ index: AuditIndex; events: EventStore; past: PastApplication; shown: MarkVisibility; size: number }>;

type Difference = Readonly<{ record: object; against: string | null; dated: boolean; before: ExactJson; after: ExactJson }>;

/** Record that an event changed; `undefined` if there is none. */
const changedBy = (event: RecordedEvent): ResourceReference | undefined => {
  const change = resourcesOf(event).find(({ beside }) => beside === undefined);
  return (
    change && { service: change.service, kind: change.kind, id: change.id, ...(change.scope !== undefined && { scope: change.scope }) }
  );
};

/** Day of a snapshot, or of the list of a day, which all its items share. */
const dayOf = (value: ExactJson): string | null => {
  const holder: ExactJson | undefined = Array.isArray(value) ? value[0] : value;
  return typeof holder === 'object' && holder !== null && 'date' in holder && typeof holder.date === 'string' ? holder.date : null;
};

/**
 * Difference that an event made to its record; `undefined` if it changed none, or has left the log. For a dated record, the previous state is the replaced
 * snapshot of the same day, or else the snapshot with the previous date.
 * @throws Problem 410, 503
 */
export const differenceAt = async (at: number, { index, events, past, shown, size }: Parts): Promise<Difference | undefined> => {
  const history = new RecordHistory(index, events, size);
  const event = await history.read(at);
  if (typeof event !== 'object') return undefined;
  const reference = changedBy(event);
  const kind = reference && kindOf(reference.service, reference.kind);
  if (!reference || !kind) return undefined;
  const ends = resourcesOf(event).some((change) => change.ends && change.kind === reference.kind && change.id === reference.id);
  const [oldest] = await history.versions(reference);
  const first = oldest ? await history.event(oldest.index) : event;
  const record = { service: reference.service, kind: reference.kind, id: reference.id, scope: reference.scope ?? null };
  if (reference.service === 'ops') return { record, against: null, dated: false, ...keyBeside(first, ends) };
  const reader = new ValueReader({ past, history, kind, reference, first, shown });
  const isList = kind.scope === 'tenant';
  const day = kind.dated ? (typeof event.data.date === 'string' ? event.data.date : LAST_DAY) : undefined;
  const valueAt = (moment: LogMoment | null): Promise<ExactJson> => {
    if (moment === null || moment.index < (oldest?.index ?? 0)) return Promise.resolve(null);
    return day === undefined ? reader.at(moment, []) : reader.day(moment, day);
  };
  const [before, after] = [await valueAt(index.momentBefore(at)), ends ? null : await valueAt(index.momentAfter(at))];
  const dated = day !== undefined || isList;
  return { record, against: dated ? dayOf(before) : null, dated, before, after };
};

const keyBeside = (first: RecordedEvent, ends: boolean): Readonly<{ before: ExactJson; after: ExactJson }> => {
  const { keyId, service, roles, name } = first.data;
  const key: ExactJson = {
    id: keyId ?? null,
    service: service ?? null,
    role: Array.isArray(roles) ? roles.join(' ') : null,
    name: name ?? null,
    issuedAt: first.metadata.time,
  };
  return ends ? { before: key, after: null } : { before: null, after: key };
};
