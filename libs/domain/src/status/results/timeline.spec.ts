import { describe, expect, it } from '@jest/globals';
import { cutAt, overlay, painted, type Segment, statusAt } from './timeline.js';

const TIMELINE = [
  { at: 0, status: 'A' },
  { at: 10, status: 'B' },
  { at: 20, status: 'C' },
];
const segment = (from: number, to: number, status = 'X'): Segment => ({ from, to, status });

describe('a timeline', () => {
  it('is cut after a second, but keeps its first step', () => {
    expect([0, 9, 10, 86_400].map((now) => cutAt(TIMELINE, now).length)).toEqual([1, 1, 2, 3]);
  });

  it('has a status at each second', () => {
    expect([0, 9, 10, 19, 20, 86_399].map((second) => statusAt(TIMELINE, second)).join('')).toBe('AABBCC');
  });

  it.each([
    ['in between', [segment(12, 15)], '0A 10B 12X 15B 20C'],
    ['over a change', [segment(5, 15)], '0A 5X 15B 20C'],
    ['from the beginning', [segment(0, 5)], '0X 5A 10B 20C'],
    ['to the end', [segment(25, 86_400)], '0A 10B 20C 25X'],
    ['exactly over a step', [segment(10, 20)], '0A 10X 20C'],
    ['with the status after it', [segment(15, 20, 'C')], '0A 10B 15C'],
    ['with the status before it', [segment(10, 15, 'A')], '0A 15B 20C'],
    ['side by side', [segment(5, 12), segment(12, 14, 'Y')], '0A 5X 12Y 14B 20C'],
    ['all day', [segment(0, 86_400)], '0X'],
    ['none', [], '0A 10B 20C'],
  ])('takes segments: %s', (_, segments, steps) => {
    expect(
      overlay(TIMELINE, segments)
        .map(({ at, status }) => `${at}${status}`)
        .join(' '),
    ).toBe(steps);
  });
});

describe('painted segments', () => {
  it.each([
    ['beside each other', [segment(5, 9), segment(1, 3, 'Y')], '1-3Y 5-9X'],
    ['the later over the earlier', [segment(1, 9), segment(3, 5, 'Y')], '1-3X 3-5Y 5-9X'],
    ['the later hides the earlier', [segment(3, 5), segment(1, 9, 'Y')], '1-3Y 3-5Y 5-9Y'],
    ['across', [segment(1, 5), segment(3, 9, 'Y'), segment(4, 6, 'Z')], '1-3X 3-4Y 4-5Z 5-6Z 6-9Y'],
  ])('%s', (_, layers, text) => {
    expect(
      painted(layers)
        .map(({ from, to, status }) => `${from}-${to}${status}`)
        .join(' '),
    ).toBe(text);
  });
});
