import { recordIn, recordNamed } from '#api/operations/records/records-of-id.js';
import { Problem } from '#api/ops-kit/problem.js';
import { millisecondsOf } from '#api/ops-kit/strict-members.js';
import { resourceTerm } from '#domain/audit/resources/resources-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import type { Order } from '#infra/engine/audit-index/event-list.js';
import type { EventRequest } from '#infra/engine/audit-index/event-pages.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';
import type { EventQuery, StreamFilterQuery } from './event-query.js';

/** Returns whether a list has all events of its kind. Only such lists show expired ones. */
const isUnfiltered = ({ type, actor, service, correlation, causation, request, from, to }: StreamFilterQuery): boolean =>
  [type, actor, service, correlation, causation, request, from, to].every((filter) => filter === undefined);

/** Request of a query, without its start. */
export const requestOf = (query: StreamFilterQuery, owner: string, size: number): EventRequest => {
  const {
    type: types,
    actor,
    service,
    correlation,
    causation,
    request,
    from,
    to,
    order = 'asc',
    form = 'readable',
    personal = false,
  } = query;
  return {
    owner,
    filter: { types, actor, service, correlation, causation, request },
    from: from === undefined ? undefined : millisecondsOf(from),
    to: to === undefined ? undefined : millisecondsOf(to),
    order,
    size,
    form,
    shown: { personal },
    listsExpired: form === 'stored' && isUnfiltered(query),
  };
};

/** The term of a record, by its id or name. @throws Problem 400 */
const termOf = async (history: RecordHistory, record: string): Promise<string> => {
  const asked = recordIn(record);
  if (asked) return resourceTerm((await recordNamed(history, asked)) ?? asked);
  throw new Problem(400, 'the request is not as this call takes it', [
    { member: 'record', detail: 'must be service, kind and id, such as status/report/<id>' },
  ]);
};

type Indexed = Readonly<{ index: AuditIndex; events: Pick<EventStore, 'readStream'> }>;

/** Request of a query of `/audit/events`. @throws Problem 400 */
export const eventRequest = async ({ index, events }: Indexed, query: EventQuery, owner: string, size: number): Promise<EventRequest> => {
  const { event, stream, category, record, after } = query;
  const asked = requestOf(query, owner, size);
  const resource = record === undefined ? undefined : await termOf(new RecordHistory(index, events, size), record);
  return {
    ...asked,
    filter: { ...asked.filter, event, stream, category, resource },
    start: after === undefined ? undefined : startBehind(index, after, asked.order),
    listsExpired: asked.listsExpired && [event, stream, category, record].every((one) => one === undefined),
  };
};

/** Index of the first event after a place, in the given order. */
export const startBehind = (index: AuditIndex, after: string, order: Order): number => {
  const [position = '', last] = after.split('.');
  if (last !== undefined) return Number(last) + (order === 'asc' ? 1 : -1);
  return order === 'asc' ? index.countUpTo(BigInt(position)) : index.countUpTo(BigInt(position) - 1n) - 1;
};

/**
 * `next` of a page; `next` is the index of the first event that was not checked. In imported logs, expired events share the position of the
 * next event.
 */
export const nextPosition = (index: AuditIndex, order: Order, next: number | null): string | null => {
  if (next === null) return null;
  const last = order === 'asc' ? next - 1 : next + 1;
  const { position } = index.event(last);
  return index.event(next).position === position ? `${position}.${last}` : `${position}`;
};
