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
    start: after === undefined ? undefined : startBehind(index, BigInt(after), asked.order),
    listsExpired: asked.listsExpired && stream === undefined && category === undefined,
  };
};

/** Index of the first event behind a position, in the direction of the order. */
const startBehind = (index: AuditIndex, after: bigint, order: Order): number =>
  order === 'asc' ? index.countUpTo(after) : index.countUpTo(after - 1n) - 1;

/** `next` of a page whose first event that was not looked at has this index. */
export const nextPosition = (index: AuditIndex, order: Order, next: number | null): string | null =>
  next === null ? null : `${index.event(order === 'asc' ? next - 1 : next + 1).position}`;
