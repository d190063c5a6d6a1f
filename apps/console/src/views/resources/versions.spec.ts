import { describe, expect, it } from '@jest/globals';
import { type Version, versionAt } from './versions.js';

const version = (number: number, position: string, time: string): Version => ({
  version: number,
  index: number,
  position,
  time: `2026-03-01T${time}:00.000Z`,
  actor: { kind: 'key', id: 'k', name: null },
  type: 'T',
});

describe('The version at a moment', () => {
  const versions = [version(1, '9', '10:00'), version(2, '10', '11:00'), version(3, '111', '12:00')];

  it.each([
    ['8', undefined],
    ['9', 1],
    ['99', 2],
    ['111', 3],
    ['2026-03-01T09:59:59Z', undefined],
    ['2026-03-01T11:00:00Z', 2],
    ['2026-04-01', 3],
  ])('at %s is %s', (moment, found) => expect(versionAt(versions, moment)?.version).toBe(found));
});
