import { expect, it } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import { newEvent } from '#test/contracts/event-store/fixture.js';
import { RecentEvents } from './recent-events.js';

const event = (position: number): RecordedEvent => ({
  ...newEvent(),
  stream: 'test.notes-1',
  revision: BigInt(position - 1),
  position: BigInt(position),
  recordedAt: 0,
});
const positions = (recent: RecentEvents, after: number) =>
  recent.page(after, undefined, 10)?.events.map(({ position }) => Number(position));

it('holds events for the slowest reader, and no longer', () => {
  const recent = new RecentEvents();
  recent.add(event(1), 10);
  const quick = recent.reader(1);
  const slow = recent.reader(1);
  recent.add(event(2), 10);
  recent.add(event(3), 10);
  recent.took(quick, 3);
  expect(positions(recent, 1)).toEqual([2, 3]);
  recent.took(slow, 2);
  expect([positions(recent, 1), positions(recent, 2)]).toEqual([undefined, [3]]);
  recent.remove(slow);
  expect(positions(recent, 2)).toBeUndefined();
  expect(recent.last).toBe(3);
});

it('begins anew behind a gap', () => {
  const recent = new RecentEvents();
  recent.reader(0);
  recent.add(event(1), 10);
  recent.add(event(5), 10);
  expect([positions(recent, 0), positions(recent, 4)]).toEqual([undefined, [5]]);
});
