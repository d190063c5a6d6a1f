import { describe, expect, it } from '@jest/globals';
import type { EventBatch } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { Gathering } from './gathering.js';

const batchOf = (count: number, caughtUp = true): EventBatch => ({
  events: Array<RecordedEvent>(count).fill({} as RecordedEvent),
  position: 1n,
  caughtUp,
});

describe('Gathering', () => {
  it('pauses longer with each batch of many events, and shortly again after one of few', () => {
    const gathering = new Gathering(1_000);
    const pauses = [1, 4, 5, 10, 20, 40, 40, 39, 5, 9].map((count) => gathering.pauseAfter(batchOf(count)));
    expect(pauses).toEqual([25, 25, 50, 100, 200, 200, 200, 25, 50, 25]);
  });

  it('goes on at once where there is more to read, and where nothing came', () => {
    const gathering = new Gathering(1_000);
    expect(gathering.pauseAfter(batchOf(500, false))).toBe(0);
    expect(gathering.pauseAfter(batchOf(1_000))).toBe(0);
    expect(gathering.pauseAfter(batchOf(0))).toBe(0);
  });
});
