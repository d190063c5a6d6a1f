import { describe, expect, it } from '@jest/globals';
import { besideTerm, resourceTerm } from '#domain/audit/resources/resources-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { AuditIndex } from './audit-index.js';
import { EventList } from './event-list.js';
import { RecordHistory } from './record-history.js';

const TENANT = { service: 'status', kind: 'tenant', id: 't' };
const SIZE = 3_000;

/** History over an index of lists, with counts of the indexes and events that were read. `requests`: of events, by index; each other has its own. */
const historyOf = (lists: Readonly<Record<string, readonly number[]>>, requests: Readonly<Record<number, string>> = {}, name?: number) => {
  const read = { indexes: 0, events: 0 };
  const listOf = (indexes: readonly number[]) => ({
    from: (index: number) => {
      read.indexes++;
      return indexes.find((one) => one >= index);
    },
    upTo: (index: number) => indexes.findLast((one) => one <= index),
  });
  const index = {
    event: (at: number) => ({ streamName: 'status.tenants-t', revision: at, logTime: requests[at] === undefined ? at : 0 }),
    select: ({ resource }: Readonly<{ resource: string }>) => new EventList([listOf(lists[resource] ?? [])]),
  } as unknown as AuditIndex;
  const events = {
    readStream: async (stream: string, { from }: Readonly<{ from: bigint }>) => {
      read.events++;
      const at = Number(from);
      const data = { tenantId: 't', ...(at === name && { name: 'named' }) };
      return [
        {
          stream,
          revision: from,
          type: 'TenantRevised',
          data,
          metadata: { requestId: requests[at] ?? `${at}` },
        } as unknown as RecordedEvent,
      ];
    },
  } as unknown as EventStore;
  return { history: new RecordHistory(index, events, SIZE), read };
};

const many = (from: number): readonly number[] => Array.from({ length: SIZE - from }, (_, step) => from + step);

describe('the oldest version of a record', () => {
  const [own, beside] = [resourceTerm(TENANT), besideTerm(TENANT)];
  it.each([
    ['its first event', { [own]: many(5), [beside]: many(7) }, {}, 5],
    ['an event of another record before', { [own]: many(5), [beside]: [3, ...many(7)] }, {}, 3],
    ['not one of the same append', { [own]: many(5), [beside]: [4, ...many(7)] }, { 4: 'r', 5: 'r' }, 5],
    ['none without own events', { [beside]: many(7) }, {}, undefined],
  ])('is %s, found without the others', async (_, lists, requests, expected) => {
    const { history, read } = historyOf(lists, requests);
    expect(await history.oldest(TENANT)).toBe(expected);
    expect(read.indexes).toBeLessThanOrEqual(6);
    expect((await history.versions(TENANT))[0]?.index).toBe(expected);
  });
});

it('names are known back to the event that set them, without another read', async () => {
  const { history, read } = historyOf({ [resourceTerm(TENANT)]: many(0) }, {}, 2);
  const nameAt = (index: number) => history.names.at(TENANT, index, Number.POSITIVE_INFINITY);
  expect(await nameAt(40)).toBe('named');
  const { events } = read;
  for (let index = 40; index >= 2; index--) expect(await nameAt(index)).toBe('named');
  expect(read.events).toBe(events);
  expect(await nameAt(1)).toBeUndefined();
});
