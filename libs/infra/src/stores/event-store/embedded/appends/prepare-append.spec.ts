import { describe, expect, it } from '@jest/globals';
import type { NewEvent } from '#domain/shared/events.js';
import { Block, encodeBlock } from '#infra/stores/event-store/embedded/storage/block.js';
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

/** A slice that is always or never over, with a count of how often the work yielded. */
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
    const storedOf = (events: readonly NewEvent[]) => {
      const [block] = prepareAppend('s', events, sliceThat(false)) as readonly [PreparedBlock];
      const record = encodeBlock({ stream: 's', revision: 0, position: 1, recordedAt: 0 }, block.texts, block.metadataText).toString();
      return { record, events: Block.decode(1, record).events(), dataBytes: block.texts.map(({ dataBytes }) => dataBytes) };
    };
    const stored = storedOf([...shared, last]);
    expect(stored.events).toMatchObject([...apart, last]);
    expect(storedOf([...apart, last])).toMatchObject({ events: stored.events, dataBytes: stored.dataBytes });
    expect(stored.record.split('"correlationId"')).toHaveLength(3);
    expect(Block.decode(1, stored.record).events(1, 2)).toEqual(stored.events.slice(1, 2));
    expect(Block.decode(1, stored.record).events(3)).toEqual(stored.events.slice(3));
    expect(stored.dataBytes.at(-1)).toBe(15);
  });

  it('never yields for a single event', () => expect(prepareAppend('s', eventsOf(1, 100_000), sliceThat(true))).toHaveLength(1));

  it('refuses what is not JSON, even after it has yielded', async () => {
    const events = [...eventsOf(2, 40_000), { ...eventOf(5, ''), data: JSON.parse('null') }];
    expect(() => prepareAppend('s', events, sliceThat(false))).toThrow('the event is not JSON');
    await expect(prepareAppend('s', events, sliceThat(true))).rejects.toThrow('the event is not JSON');
  });
});
