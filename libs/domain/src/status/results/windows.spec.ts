import { describe, expect, it } from '@jest/globals';
import { at, DAY } from '#test/support/results/plans.js';
import { stretchAround, timeOfDay, windowOn } from './windows.js';

describe('windows on a day (results contract 6)', () => {
  it.each([
    ['inside', '2024-05-02T10:00:00Z', '2024-05-02T12:00:00Z', at('10:00'), at('12:00')],
    ['from the day before', '2024-05-01T10:00:00Z', '2024-05-02T12:00:00Z', 0, at('12:00')],
    ['to the day after', '2024-05-02T10:00:00Z', '2024-05-03T00:00:00Z', at('10:00'), 86_400],
    ['around', '2023-05-01T10:00:00Z', '2025-05-02T12:00:00Z', 0, 86_400],
    ['to the last second: midnight', '2024-05-02T10:00:00Z', '2024-05-02T23:59:59Z', at('10:00'), 86_400],
    ['to the second before the last', '2024-05-02T10:00:00Z', '2024-05-02T23:59:58Z', at('10:00'), 86_398],
    ['with fractions', '2024-05-02T10:00:00.9Z', '2024-05-02T12:00:00.9Z', at('10:00'), at('12:00')],
  ])('%s', (_, start, end, from, to) => expect(windowOn(DAY, start, end)).toEqual({ from, to }));

  it.each([
    ['that ends at its midnight', '2024-05-01T00:00:00Z', '2024-05-02T00:00:00Z'],
    ['that ends in the last second of the day before', '2024-05-01T00:00:00Z', '2024-05-01T23:59:59Z'],
    ['that begins after it', '2024-05-03T00:00:00Z', '2024-05-04T00:00:00Z'],
    ['that ends before it begins', '2024-05-02T12:00:00Z', '2024-05-02T10:00:00Z'],
    ['of no length', '2024-05-02T12:00:00Z', '2024-05-02T12:00:00Z'],
  ])('are empty: one %s', (_, start, end) => {
    const { from, to } = windowOn(DAY, start, end)!;
    expect(from).toBeGreaterThanOrEqual(to);
  });

  it('are none if a time cannot be read', () => {
    expect(windowOn(DAY, '2024-05-02', '2024-05-02T12:00:00Z')).toBeUndefined();
    expect(windowOn(DAY, '2024-05-02T10:00:00Z', '2024-02-30T12:00:00Z')).toBeUndefined();
    expect(stretchAround(DAY, 'x', '2024-05-02T12:00:00Z')).toBeUndefined();
  });
});

describe('stretches around a day', () => {
  it('count from its midnight', () => {
    expect(stretchAround(DAY, '2024-05-01T23:59:00Z', '2024-05-02T00:00:01Z')).toEqual({ from: -60, to: 1 });
  });
  it('have no bounds that are further away', () => {
    expect(stretchAround(DAY, '2024-04-30T23:59:00Z', '2024-05-03T00:00:00Z')).toEqual({ from: -Infinity, to: Infinity });
  });
});

it('writes a second of the day as a time', () => expect([0, 3661, 86_399].map(timeOfDay)).toEqual(['00:00:00', '01:01:01', '23:59:59']));
