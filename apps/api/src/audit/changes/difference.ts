import { setTimeout as pause } from 'node:timers/promises';
import type { PastApplication } from '#api/as-of/past-application.js';
import { dayOf, LAST_DAY, type ReadingOf, ValueReader } from '#api/audit/resources/value-reader.js';
import { kindOf } from '#api/operations/records/kinds.js';
import { resourcesOf } from '#domain/audit/resources/resources-of.js';
import type { LogMoment } from '#domain/operations/moments.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { ExactJson } from '#domain/shared/json/exact-json.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { dayLists } from '#domain/status/index.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';
import { DayListQueries } from '#projections/status/day-lists/queries.js';

type Parts = Readonly<{ index: AuditIndex; events: EventStore; past: PastApplication; shown: MarkVisibility; size: number }>;

type Difference = Readonly<{ record: object; against: string | null; dated: boolean; before: ExactJson; after: ExactJson }>;

/** Record that an event changed; `undefined` if there is none. */
const changedBy = (event: RecordedEvent): ResourceReference | undefined => {
  const change = resourcesOf(event).find(({ beside }) => beside === undefined);
  return (
    change && { service: change.service, kind: change.kind, id: change.id, ...(change.scope !== undefined && { scope: change.scope }) }
  );
};

/** Last day with a list, up to the day of a list and as of a moment; `null` if there is none. @throws AsOfRefused */
const listedDay = async (past: PastApplication, { kind, id, scope = '' }: ResourceReference, moment: LogMoment): Promise<string | null> => {
  const list = dayLists.find((one) => one.kind === kind);
  const found =
    list &&
    (await past.over({ kind: 'position', position: moment.position }, (store) => new DayListQueries(store, list, pause).asOf(scope, id)));
  return found && found !== 'of now' ? found.day : null;
};

/**
 * Difference that an event made to its record; `undefined` if it changed none, or has left the log. For a dated record, the previous state is the replaced
 * snapshot of the same day, or else the snapshot with the previous date. The lists of days are compared in the same way.
 * @throws AsOfRefused, Problem 410, 503
 */
export const differenceAt = async (at: number, { index, events, past, shown, size }: Parts): Promise<Difference | undefined> => {
  const history = new RecordHistory(index, events, size);
  const event = await history.read(at);
  if (typeof event !== 'object') return undefined;
  const reference = changedBy(event);
  const kind = reference && kindOf(reference.service, reference.kind);
  if (!reference || !kind) return undefined;
  const ends = resourcesOf(event).some((change) => change.ends && change.kind === reference.kind && change.id === reference.id);
  const oldest = await history.oldest(reference);
  const first = oldest === undefined ? event : await history.event(oldest);
  const record = { service: reference.service, kind: reference.kind, id: reference.id, scope: reference.scope ?? null };
  if (reference.service === 'ops') return { record, against: null, dated: false, ...keyBeside(first, ends) };
  const [earlier, then] = [index.momentBefore(at), ends ? null : index.momentAfter(at)];
  const reading = { past, history, kind, reference, first, shown };
  if (kind.scope === 'tenant') return { record, dated: true, ...(await listsBeside(reading, earlier, then)) };
  const reader = new ValueReader(reading);
  // A dated record is deleted with all its snapshots; the difference shows the newest.
  const day = kind.dated ? (typeof event.data.date === 'string' ? event.data.date : LAST_DAY) : undefined;
  const valueAt = (moment: LogMoment | null): Promise<ExactJson> => {
    if (moment === null || moment.index < (oldest ?? 0)) return Promise.resolve(null);
    return day === undefined ? reader.at(moment) : reader.day(moment, day);
  };
  const [before, after] = [await valueAt(earlier), await valueAt(then)];
  const dated = day !== undefined;
  return { record, against: dated ? dayOf(before) : null, dated, before, after };
};

/** The list of a day after an event, and the one that it is compared with. */
const listsBeside = async (
  reading: ReadingOf,
  earlier: LogMoment | null,
  then: LogMoment | null,
): Promise<Pick<Difference, 'against' | 'before' | 'after'>> => {
  const { past, reference } = reading;
  const against = earlier && (await listedDay(past, reference, earlier));
  const readAt = (moment: LogMoment, id = reference.id) => new ValueReader({ ...reading, reference: { ...reference, id } }).at(moment);
  const [before, after] = [earlier && against !== null ? await readAt(earlier, against) : null, then && (await readAt(then))];
  const ofOneDay = against === null || against === reference.id;
  return ofOneDay ? { against, before, after } : { against, before: undated(before), after: undated(after) };
};

/** Items of a list without the day that they all have. */
const undated = (list: ExactJson): ExactJson =>
  Array.isArray(list) ? list.map(({ date: _, ...item }: Readonly<Record<string, ExactJson>>) => item) : list;

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
