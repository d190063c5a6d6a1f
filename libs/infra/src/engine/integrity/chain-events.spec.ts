import { describe, expect, it } from '@jest/globals';
import { ANCHORS_STREAM, LEAVES_STREAM } from '#domain/integrity/integrity-events.js';
import type { ReadStreamOptions } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { chainEvents } from './chain-events.js';

/** A log in which positions divisible by 1,000 are other events, further ones divisible by 10 anchors, and the rest leaves. */
const logOf = (length: number) => {
  const streams = new Map<string, RecordedEvent[]>([
    [LEAVES_STREAM, []],
    [ANCHORS_STREAM, []],
  ]);
  for (let position = 1; position <= length; position += 1) {
    if (position % 1_000 === 0) continue;
    const stream = position % 10 === 0 ? ANCHORS_STREAM : LEAVES_STREAM;
    const events = streams.get(stream) ?? [];
    events.push({ stream, revision: BigInt(events.length), position: BigInt(position) } as RecordedEvent);
  }
  let reads = 0;
  return {
    reads: () => reads,
    readStream: async (stream: string, { from, direction, limit }: ReadStreamOptions): Promise<readonly RecordedEvent[]> => {
      reads += 1;
      const events = streams.get(stream) ?? [];
      if (direction === 'backwards') return events.slice(-limit).reverse();
      return events.slice(Number(from ?? 0n), Number(from ?? 0n) + limit);
    },
  };
};

const positions = async (log: ReturnType<typeof logOf>, after: Position, end: Position): Promise<readonly number[]> => {
  const found: number[] = [];
  for await (const batch of chainEvents(log, after, end)) {
    expect(batch.length).toBeGreaterThan(0);
    found.push(...batch.map(({ position }) => Number(position)));
  }
  return found;
};

const between = (after: number, end: number): readonly number[] =>
  Array.from({ length: end - after }, (_, index) => after + 1 + index).filter((position) => position % 1_000 !== 0);

describe('The events of the chain', () => {
  it.each([
    [0, 3_000],
    [0, 0],
    [0, 9],
    [1, 10],
    [16, 17],
    [999, 1_000],
    [1_000, 1_001],
    [1_015, 1_777],
    [2_999, 3_000],
    [3_000, 3_000],
  ])('after %d up to %d come once each, in log order, from both streams', async (after, end) => {
    expect(await positions(logOf(3_000), BigInt(after), BigInt(end))).toEqual(between(after, end));
  });

  it('are none in a log without a chain', async () => {
    expect(await positions(logOf(0), 0n, 5_000_000n)).toEqual([]);
    expect(await positions(logOf(0), 4n, 5_000_000n)).toEqual([]);
  });

  it('cost two looks at each stream where nothing is new', async () => {
    const log = logOf(3_000);
    expect(await positions(log, 2_999n, 2_999n)).toEqual([]);
    expect(await positions(log, 2_999n, 5_000n)).toEqual([]);
    expect(log.reads()).toBe(4);
  });
});
