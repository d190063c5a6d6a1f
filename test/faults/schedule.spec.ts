import { describe, expect, it } from '@jest/globals';
import { type Cast, describeFault, type FaultKind, scheduleFor } from './schedule.js';

const cast: Cast = { nodes: ['a', 'b'], redis: 'redis', events: 'events', clients: 'clients', clocks: ['a', 'b', 'redis', 'events'] };
const seeds = Array.from({ length: 50 }, (_, seed) => seed);

describe('a schedule of faults', () => {
  it('follows from its seed', () => {
    expect(scheduleFor(7, 60, cast)).toEqual(scheduleFor(7, 60, cast));
    expect(scheduleFor(7, 60, cast)).not.toEqual(scheduleFor(8, 60, cast));
  });

  it('is over in time, in order, and hurts no part twice at a time nor more than three parts', () => {
    for (const seed of seeds) {
      const faults = scheduleFor(seed, 30, cast);
      expect(faults.map(({ at }) => at)).toEqual(faults.map(({ at }) => at).sort((one, other) => one - other));
      for (const fault of faults) {
        expect(fault.at + fault.lasts).toBeLessThanOrEqual(30_000);
        const meanwhile = faults.filter(({ at, lasts }) => at <= fault.at && at + lasts >= fault.at);
        expect(meanwhile.length).toBeLessThanOrEqual(3);
        expect(new Set(meanwhile.map(({ target }) => target)).size).toBe(meanwhile.length);
      }
    }
  });

  it('has every kind of fault, and deletes Redis only', () => {
    const faults = seeds.flatMap((seed) => scheduleFor(seed, 60, cast));
    const kinds: readonly FaultKind[] = ['clock', 'cut', 'delay', 'flush', 'freeze', 'kill', 'mute', 'stall', 'stop'];
    expect([...new Set(faults.map(({ kind }) => kind))].sort()).toEqual(kinds);
    expect([...new Set(faults.filter(({ kind }) => kind === 'flush').map(({ target }) => target))]).toEqual(['redis']);
    expect([...new Set(faults.filter(({ kind }) => kind === 'kill').map(({ target }) => target))].sort()).toEqual([
      'a',
      'b',
      'events',
      'redis',
    ]);
  });

  it('sets clocks wrong either way by seconds to hours, of those parts that have one to set', () => {
    const clocksOf = (among: Cast) => seeds.flatMap((seed) => scheduleFor(seed, 60, among)).filter(({ kind }) => kind === 'clock');
    const all = clocksOf(cast);
    expect([...new Set(all.map(({ target }) => target))].sort()).toEqual(['a', 'b', 'events', 'redis']);
    const seconds = [...new Set(all.map(({ amount }) => amount / 1_000))].sort((one, other) => one - other);
    expect(seconds).toEqual([-21_600, -3_600, -120, -10, -1, 1, 10, 120, 3_600, 21_600]);
    expect([...new Set(clocksOf({ ...cast, clocks: ['a', 'events'] }).map(({ target }) => target))].sort()).toEqual(['a', 'events']);
  });

  it('draws from the kinds that are asked for', () => {
    const faults = scheduleFor(1, 120, cast, ['flush', 'cut']);
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['flush', 'cut']));
  });

  it('says each fault in a line', () => {
    expect(describeFault({ at: 1_230, lasts: 400, kind: 'delay', target: 'a>redis', amount: 20 })).toBe(
      '1.23 s  delay a>redis 20 ms, for 0.4 s',
    );
    expect(describeFault({ at: 0, lasts: 0, kind: 'flush', target: 'redis', amount: 0 })).toBe('0.00 s  flush redis');
  });
});
