import { describe, expect, it } from '@jest/globals';
import { CAUSES, CAUSES_BESIDE_EVENTS, documentedTypes } from '#test/support/events/causes.js';

describe('the causes of events', () => {
  it('are stated for every type of event, and for no other', () =>
    expect([...CAUSES.keys()].sort()).toEqual([...documentedTypes()].sort()));

  it('are calls, time, the configuration or a start, or types of events', () => {
    const known = new Set([...documentedTypes(), ...CAUSES_BESIDE_EVENTS]);
    expect([...CAUSES].flatMap(([name, causes]) => [...causes].filter((one) => !known.has(one)).map((one) => `${name}: ${one}`))).toEqual(
      [],
    );
    expect([...CAUSES].filter(([, { size }]) => size === 0)).toEqual([]);
  });
});
