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
    expect([1, 30, 60, 120, 240, 480, 3, 19, 20].map((count) => gathering.pauseAfter(batchOf(count)))).toEqual([
      20, 40, 80, 160, 200, 200, 20, 20, 40,
    ]);
  });

  it('goes on at once where there is more to read, and where nothing came', () => {
    const gathering = new Gathering(1_000);
    expect(gathering.pauseAfter(batchOf(500, false))).toBe(0);
    expect(gathering.pauseAfter(batchOf(1_000))).toBe(0);
    expect(gathering.pauseAfter(batchOf(0))).toBe(0);
  });
});
