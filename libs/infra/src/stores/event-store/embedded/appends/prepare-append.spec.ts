import { describe, expect, it } from '@jest/globals';
import type { NewEvent } from '#domain/shared/events.js';
import { type PreparedBlock, prepareAppend } from './prepare-append.js';

const eventOf = (index: number, text: string): NewEvent => ({
  id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
  type: 'Happened',
  data: { text },
  metadata: {
    time: '2024-01-01T00:00:00.000Z',
    actor: { kind: 'system', id: 'test' },
    service: 'ops',
    requestId: 'r',
    correlationId: 'c',
    causationId: 'r',
    schemaVersion: 1,
  },
});

/** A slice that is over, or never is, with a count of how often the work gave way. */
const sliceThat = (isOver: boolean) => {
  const slice = {
    isOver,
    yields: 0,
    next: async () => {
      slice.yields++;
    },
  };
  return slice;
};

const eventsOf = (count: number, characters: number) => Array.from({ length: count }, (_, index) => eventOf(index, 'x'.repeat(characters)));

describe('the preparation of an append', () => {
  it('is synchronous if its time slice is long enough', () => {
    const blocks = prepareAppend('s', eventsOf(250, 10), sliceThat(false));
    expect(blocks).toMatchObject([{ events: { length: 100 } }, { events: { length: 100 } }, { events: { length: 50 } }]);
  });

  it('yields between blocks if it is not, with the same result', async () => {
    const events = eventsOf(10, 40_000);
    const slice = sliceThat(true);
    const preparing = prepareAppend('s', events, slice);
    expect(preparing).toBeInstanceOf(Promise);
    expect(await preparing).toEqual(prepareAppend('s', events, sliceThat(false)));
    expect(slice.yields).toBe(9);
  });

  it('is the same whether texts of data are made already, and metadata shared', () => {
    const apart = eventsOf(3, 10);
    const [{ metadata }] = apart as [NewEvent];
    const shared = apart.map((event) => ({ ...event, metadata, dataText: JSON.stringify(event.data) }));
    const last = { ...eventOf(3, 'é"'), metadata: { ...metadata, schemaVersion: 2 } };
    const textsOf = (events: readonly NewEvent[]) => (prepareAppend('s', events, sliceThat(false)) as readonly PreparedBlock[])[0]?.texts;
    expect(textsOf([...shared, last])).toEqual(textsOf([...apart, last]));
    expect(textsOf([last])?.map(({ text, dataBytes }) => [JSON.parse(text), dataBytes])).toEqual([[last, 15]]);
  });

  it('never yields for a single event', () => expect(prepareAppend('s', eventsOf(1, 100_000), sliceThat(true))).toHaveLength(1));

  it('refuses what is not JSON, even after it has yielded', async () => {
    const events = [...eventsOf(2, 40_000), { ...eventOf(5, ''), data: null as unknown as NewEvent['data'] }];
    expect(() => prepareAppend('s', events, sliceThat(false))).toThrow('the event is not JSON');
    await expect(prepareAppend('s', events, sliceThat(true))).rejects.toThrow('the event is not JSON');
  });
});
