import { randomUUID } from 'node:crypto';
import type { NewEvent, RecordedEvent } from '#domain/shared/events.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { UnknownEventType } from '#infra/stores/event-codec/schemas.js';
import { orStream } from '#projections/shared/partitions.js';
import type { Projection } from '#projections/shared/projection.js';
import { defineProjection, put, remove, removePrefix } from './define-projection.js';

/** A small domain for tests of what is made for any projection: named counters. */
export type TallyEvent =
  | Readonly<{ type: 'Counted'; data: Readonly<{ name: string; by: number }> }>
  | Readonly<{ type: 'Dropped'; data: Readonly<{ name: string }> }>
  | Readonly<{ type: 'Cleared'; data: Readonly<{ prefix: string }> }>
  /** Nobody handles it. */
  | Readonly<{ type: 'Noted'; data: Readonly<{ text: string }> }>;

export type Total = Readonly<{ sum: number; events: number }>;

const types: readonly string[] = ['Counted', 'Dropped', 'Cleared', 'Noted'];

const asTotal = (document: unknown): Total => (document as Total | undefined) ?? { sum: 0, events: 0 };

/**
 * `totals`: name → {@link Total}. `history`: `<name>/<n>` → the sum after the n-th event since the counter began. Each stream is a partition.
 */
export const tallyProjection = (options: Partial<Pick<Projection, 'name' | 'version' | 'categories'>> = {}): Projection =>
  defineProjection<Exclude<TallyEvent, { type: 'Noted' }>>({
    name: 'test.tally',
    version: 1,
    service: 'ops',
    categories: ['test.tally'],
    handles: ['Counted', 'Dropped', 'Cleared'],
    partitions: { ofEvent: orStream(() => []), owners: {} },
    ...options,
    reads: ({ type, data }) => (type === 'Counted' ? [{ collection: 'totals', key: data.name }] : []),
    apply: ({ type, data }, read) => {
      switch (type) {
        case 'Counted': {
          const { sum, events } = asTotal(read('totals', data.name));
          const total: Total = { sum: sum + data.by, events: events + 1 };
          return [put('totals', data.name, total), put('history', `${data.name}/${String(total.events).padStart(9, '0')}`, total.sum)];
        }
        case 'Dropped':
          return [remove('totals', data.name), removePrefix('history', `${data.name}/`)];
        case 'Cleared':
          return [removePrefix('totals', data.prefix), removePrefix('history', data.prefix)];
      }
    },
  });

export const newTallyEvent = ({ type, data }: TallyEvent): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    time: '2024-01-02T03:04:05.678Z',
    actor: { kind: 'system', id: 'test' },
    service: 'ops',
    requestId: 'test',
    correlationId: 'test',
    causationId: 'test',
    schemaVersion: 1,
  },
});

/** As the codec of the whole system does: an unknown type is an error. */
export const decodeTally: DecodeEvents = (events: readonly RecordedEvent[]) => {
  for (const { type } of events) if (!types.includes(type)) throw new UnknownEventType('test.tally', type);
  return events;
};
