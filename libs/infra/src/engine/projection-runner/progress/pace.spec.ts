import { describe, expect, it } from '@jest/globals';
import { Pace } from './pace.js';

const MINUTE = 60_000;
/** The begin of a minute. */
const NOW = 29_000_000 * MINUTE;
const CAUGHT_UP = { events: 0, seconds: 0 };
const at = (...times: readonly number[]) => times.map((recordedAt) => ({ recordedAt }));
const timed = (type: string, milliseconds: number) => ({ id: type, type, position: 1n, milliseconds });

describe('the pace of a projection', () => {
  it('is what was written and applied in the last minute', () => {
    const pace = new Pace(0);
    pace.add(at(...new Array(90).fill(NOW - 90_000)), null, NOW - 61_000);
    pace.add(at(NOW - 90_000, NOW - 30_000, NOW - 30_000), null, NOW - 20_000);
    const { eventsIn, eventsOut } = pace.snapshot(CAUGHT_UP, NOW);
    expect([eventsIn, eventsOut]).toEqual([2 / 60, 3 / 60]);
  });

  it('counts the events of the current second, though one of almost a minute ago is applied in it', () => {
    const pace = new Pace(0);
    pace.add(at(NOW, NOW), null, NOW);
    pace.add(at(NOW + 50 - 59_990), null, NOW + 50);
    const { eventsIn, eventsOut } = pace.snapshot(CAUGHT_UP, NOW + 50);
    expect([eventsIn, eventsOut]).toEqual([2 / 60, 3 / 60]);
  });

  it('counts what waits among what was written', () => {
    const pace = new Pace(0);
    expect(pace.snapshot({ events: 30, seconds: 10 }, NOW).eventsIn).toBe(30 / 60);
    expect(pace.snapshot({ events: 1_200, seconds: 600 }, NOW).eventsIn).toBe(120 / 60);
  });

  it('has the longest lag of each minute of an hour', () => {
    const pace = new Pace(0);
    pace.add(at(NOW - 61 * MINUTE), null, NOW - 60 * MINUTE); // too long ago
    pace.add(at(NOW - 3 * MINUTE - 8_000), null, NOW - 3 * MINUTE);
    pace.add(at(NOW - 3 * MINUTE - 1_000), null, NOW - 3 * MINUTE + 1_000);
    const { from, lags } = pace.snapshot(CAUGHT_UP, NOW + 1);
    expect(from).toBe(NOW - 59 * MINUTE);
    expect(lags).toHaveLength(60);
    expect(lags.map((lag, minute) => [minute, lag]).filter(([, lag]) => lag !== 0)).toEqual([[56, 8]]);
  });

  it('has the lag of a projection that stands still, though nothing was applied', () => {
    const pace = new Pace(0);
    pace.add(at(NOW - 5 * MINUTE), null, NOW - 5 * MINUTE);
    const { lags } = pace.snapshot({ events: 1, seconds: 150 }, NOW + 30_000);
    expect(lags.slice(-4)).toEqual([0, 60, 120, 150]);
  });

  it('has no lags of the minutes before it began, unless events waited then', () => {
    const pace = new Pace(NOW - 2 * MINUTE + 1);
    pace.add(at(NOW - MINUTE), null, NOW);
    const { lags } = pace.snapshot(CAUGHT_UP, NOW + 1);
    expect(lags.slice(0, 57)).toEqual(new Array(57).fill(null));
    expect(lags.slice(57)).toEqual([0, 0, 60]);
    expect(new Pace(NOW).snapshot({ events: 1, seconds: 150 }, NOW + 30_000).lags.slice(-5)).toEqual([null, null, 60, 120, 150]);
  });

  it('knows the slowest event of the last hour', () => {
    const pace = new Pace(0);
    pace.add([], timed('Old', 900), NOW - 61 * MINUTE);
    pace.add([], timed('Slow', 40), NOW - 5 * MINUTE);
    pace.add([], timed('Quick', 2), NOW);
    expect(pace.snapshot(CAUGHT_UP, NOW).slowest).toMatchObject({ type: 'Slow', milliseconds: 40 });
    expect(new Pace(0).snapshot(CAUGHT_UP, NOW).slowest).toBeNull();
  });
});
