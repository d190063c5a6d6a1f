import { millisecondsOf } from '#api/ops-kit/strict-members.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import type { Order } from '#infra/engine/audit-index/event-list.js';
import type { EventRequest } from '#infra/engine/audit-index/event-pages.js';
import type { EventQuery, StreamFilterQuery } from './event-query.js';

/** Whether a list has all events of its kind; only such ones show what has expired. */
const isUnfiltered = ({ type, actor, service, correlation, request, from, to }: StreamFilterQuery): boolean =>
  [type, actor, service, correlation, request, from, to].every((filter) => filter === undefined);

/** What a query asks for, without where it begins. */
export const requestOf = (query: StreamFilterQuery, owner: string, size: number): EventRequest => {
  const { type: types, actor, service, correlation, request, from, to, order = 'asc', form = 'readable', personal = false } = query;
  return {
    owner,
    filter: { types, actor, service, correlation, request },
    from: from === undefined ? undefined : millisecondsOf(from),
    to: to === undefined ? undefined : millisecondsOf(to),
    order,
    size,
    form,
    shown: { personal },
    listsExpired: form === 'stored' && isUnfiltered(query),
  };
};

/** What a query of `/audit/events` asks for. */
export const eventRequest = (index: AuditIndex, query: EventQuery, owner: string, size: number): EventRequest => {
  const { stream, category, after } = query;
  const asked = requestOf(query, owner, size);
  return {
    ...asked,
    filter: { ...asked.filter, stream, category },
    start: after === undefined ? undefined : startBehind(index, after, asked.order),
    listsExpired: asked.listsExpired && stream === undefined && category === undefined,
  };
};

/** Index of the first event behind a place, in the direction of the order. */
export const startBehind = (index: AuditIndex, after: string, order: Order): number => {
  const [position = '', last] = after.split('.');
  if (last !== undefined) return Number(last) + (order === 'asc' ? 1 : -1);
  return order === 'asc' ? index.countUpTo(BigInt(position)) : index.countUpTo(BigInt(position) - 1n) - 1;
};

/** `next` of a page whose first event that was not looked at has this index. In imported logs, expired events share the position of the next event. */
export const nextPosition = (index: AuditIndex, order: Order, next: number | null): string | null => {
  if (next === null) return null;
  const last = order === 'asc' ? next - 1 : next + 1;
  const { position } = index.event(last);
  return index.event(next).position === position ? `${position}.${last}` : `${position}`;
};
