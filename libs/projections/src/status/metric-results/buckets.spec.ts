import { describe, expect, it } from '@jest/globals';
import { bucketOf, bucketsFor, bucketsLike, MOST_BUCKETS } from './buckets.js';

describe('buckets of a day', () => {
  it.each([
    [[], 64],
    [[0], 4],
    [[20_000], 4],
    [[20_001], 8],
    [[144_000, 7], 32],
    [[7, 144_000], 32],
    [[2_000_000], 512],
    [[100_000_000], MOST_BUCKETS],
  ])('after days of %j points are %i', (before, buckets) => expect(bucketsFor(before)).toBe(buckets));

  it('share hosts evenly, also hosts whose names differ in the last character', () => {
    const counts = new Map<number, number>();
    for (let host = 0; host < 6_400; host++) {
      const bucket = bucketOf('0b2b0f0e-5b6b-4b3b-8b1b-000000000000', `node-${host}.example.org`, 64);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
    expect(counts.size).toBe(64);
    expect(Math.max(...counts.values())).toBeLessThan(150);
  });

  it('never change', () => {
    expect(['', 'h', 'ä.example.org', '\ud800'].map((host) => bucketOf('t', host, 1_024))).toEqual([854, 955, 550, 933]);
  });

  it('are others for another tenant', () => {
    const hosts = Array.from({ length: 100 }, (_, host) => `h${host}`);
    const same = hosts.filter((host) => bucketOf('t', host, 64) === bucketOf('u', host, 64));
    expect(same.length).toBeLessThan(10);
  });

  it.each([
    [64, 64],
    [64, 256],
    [256, 64],
    [64, 4],
    [4, 1_024],
  ])('of a day with %i lead to those of a day with %i', (one, other) => {
    for (let number = 0; number < 500; number++) {
      const host = `host-${number}`;
      expect(bucketsLike(bucketOf('t', host, one), one, other)).toContain(bucketOf('t', host, other));
    }
  });
});
