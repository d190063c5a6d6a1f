import { describe, expect, it } from '@jest/globals';
import { dayOf, isDay } from './time.js';

describe('days', () => {
  it.each(['2024-02-29', '0001-01-01', '2000-12-31', '9999-12-31'])('%s is a day', (text) => expect(isDay(text)).toBe(true));
  it.each([
    '2020-02-30',
    '2023-02-29',
    '2020-13-01',
    '2020-00-01',
    '2020-02',
    '2020-2-01',
    '20200201',
    ' 2020-01-01',
    '2020-01-01T00:00:00Z',
    '',
    '2020-01-01\n',
  ])('%j is not', (text) => expect(isDay(text)).toBe(false));
  it('are the first ten characters of an instant', () => expect(dayOf('2024-05-06T23:59:59.999Z')).toBe('2024-05-06'));
});
