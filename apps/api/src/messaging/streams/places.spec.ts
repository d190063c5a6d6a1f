import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import { Leases } from '#domain/messaging/deliveries/leases.js';
import { forAny } from '#test/support/for-any.js';
import { Places } from './places.js';

const { signal } = new AbortController();

describe('The places of a stream', () => {
  it('wake it when one is free, and when the leases are gone', async () => {
    const ended = new AbortController();
    const places = new Places(1, ended.signal);
    places.took();
    expect(places.free).toBe(0);
    const freed = places.wait(60_000, signal);
    places.freed();
    await freed;
    expect(places.free).toBe(1);
    const gone = places.wait(60_000, signal);
    ended.abort();
    await gone;
    await places.wait(60_000, signal);
  });

  it('are as many as its messages leave of which it is not recorded what became of them', async () => {
    const step = fc.record({
      what: fc.constantFrom('lease', 'lease', 'end', 'restore', 'settle', 'come back', 'take back', 'time'),
      which: fc.nat(),
    });
    await forAny(100, fc.array(step, { maxLength: 60 }), (steps) => {
      const leases = new Leases({ floor: 0, settled: [], attempts: [] });
      const holders = [0, 1].map(() => new Places(100, signal));
      leases.comeUp(
        Array.from({ length: 20 }, (_, offset) => ({ offset })),
        20,
      );
      const delivered: Delivery[] = [];
      let [now, ending] = [0, [] as Delivery[]];
      const one = (which: number) => delivered.slice(which % Math.max(1, delivered.length)).slice(0, 1);
      for (const { what, which } of steps) {
        if (what === 'lease') delivered.push(...leases.lease(1 + (which % 3), now, 1_000, holders[which % 2]));
        else if (what === 'end') ending.push(...one(which).filter((delivery) => leases.end(delivery, now)));
        else if (what === 'take back') leases.takeBack(one(which));
        else if (what === 'time') {
          now += 600;
          ending.push(...leases.endDue(now, 100));
        } else {
          if (what === 'restore') leases.restore(ending);
          else if (what === 'settle') for (const { offset } of ending) leases.settle(offset);
          else for (const delivery of ending) leases.comeBack(delivery, now);
          ending = [];
        }
        expect(holders.reduce((sum, { free }) => sum + 100 - free, 0)).toBe(leases.outstanding + ending.length);
      }
    });
  });
});
