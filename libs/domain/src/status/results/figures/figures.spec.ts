import { describe, expect, it } from '@jest/globals';
import type { Timeline } from '#domain/status/results/timeline.js';
import { figureTexts, PROFILE_V } from '#test/support/results/plans.js';
import { figuresOf, secondsByStatus } from './figures.js';

const { defaults } = PROFILE_V;
const timeline = (...steps: readonly (readonly [number, string])[]): Timeline => steps.map(([at, status]) => ({ at, status }));
const figures = (steps: Timeline, elapsed = 86_400) => figureTexts(figuresOf(steps, elapsed, defaults));

describe('figures of a day (results contract 8)', () => {
  it('count OK and WARNING as up', () => expect(figures(timeline([0, 'OK'], [43_200, 'WARNING']))).toBe('100 / 100 / 0 / 1 / 0'));

  it('count unknown, missing and excluded time as unknown', () => {
    expect(figures(timeline([0, 'UNKNOWN'], [21_600, 'MISSING'], [43_200, 'EXCLUDED'], [64_800, 'OK']))).toBe(
      '100 / 100 / 0.75 / 0.25 / 0',
    );
  });

  it('exclude downtimes from reliability only', () => {
    expect(figures(timeline([0, 'DOWNTIME'], [43_200, 'OK']))).toBe('50 / 100 / 0 / 0.5 / 0.5');
  });

  it('have no availability if everything is unknown, no reliability if the rest is down', () => {
    expect(figures(timeline([0, 'MISSING']))).toBe('-1 / -1 / 1 / 0 / 0');
    expect(figures(timeline([0, 'UNKNOWN'], [43_200, 'DOWNTIME']))).toBe('0 / -1 / 0.5 / 0 / 0.5');
  });

  it('count each second once if a default is both unknown and missing', () => {
    const same = { ...defaults, missing: 'UNKNOWN' };
    expect(figureTexts(figuresOf(timeline([0, 'UNKNOWN'], [43_200, 'OK']), 86_400, same))).toBe('100 / 100 / 0.5 / 0.5 / 0');
  });

  it('have reliability -1 if a state that is both down and unknown lasts most of the day', () => {
    const same = { ...defaults, down: 'UNKNOWN' };
    expect(figureTexts(figuresOf(timeline([0, 'UNKNOWN'], [64_800, 'OK']), 86_400, same))).toBe('100 / -1 / 0.75 / 0.25 / 0.75');
  });

  it('cover the time that has passed today, at least a second', () => {
    expect(figures(timeline([0, 'OK'], [50, 'CRITICAL']), 200)).toBe('25 / 25 / 0 / 0.25 / 0');
    expect(figures(timeline([0, 'OK']), 0)).toBe('100 / 100 / 0 / 1 / 0');
    expect(figures(timeline([0, 'OK'], [200, 'CRITICAL']), 200)).toBe('100 / 100 / 0 / 1 / 0');
  });

  it('are rounded half up from the exact fraction', () => {
    // 1/64 = 0.015625 and 3/64 = 0.046875 are ties, 1/128 = 0.0078125 is not
    expect(figures(timeline([0, 'OK'], [1, 'CRITICAL']), 128)).toBe('0.78125 / 0.78125 / 0 / 0.00781 / 0');
    expect(figures(timeline([0, 'OK'], [3, 'CRITICAL']), 64)).toBe('4.6875 / 4.6875 / 0 / 0.04688 / 0');
    expect(figures(timeline([0, 'OK'], [1, 'CRITICAL']), 64)).toBe('1.5625 / 1.5625 / 0 / 0.01563 / 0');
  });

  it('include excluded time as unknown', () => {
    const excluded = figuresOf(timeline([0, 'OK'], [43_200, 'CRITICAL']), 86_400, defaults, [
      { from: 43_200, to: 64_800, status: 'UNKNOWN' },
    ]);
    expect(figureTexts(excluded)).toBe('66.66667 / 66.66667 / 0.25 / 0.5 / 0');
  });
});

it('counts the seconds of each status up to the end', () => {
  const seconds = secondsByStatus(timeline([0, 'OK'], [10, 'CRITICAL'], [30, 'OK'], [90, 'WARNING']), 60);
  expect([...seconds]).toEqual([
    ['OK', 40],
    ['CRITICAL', 20],
  ]);
});
