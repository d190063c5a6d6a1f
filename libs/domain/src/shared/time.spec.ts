import { describe, expect, it } from '@jest/globals';
import { dayBefore, dayOf, isDay, zuluSecond } from './time.js';

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
  it('agree with the calendar', () => {
    const both = (length: number) => Array.from({ length }, (_, number) => `${number}`.padStart(2, '0'));
    for (const year of ['0000', '0001', '0004', '0100', '1900', '2000', '2023', '2024', '9999'])
      for (const month of both(14))
        for (const day of both(33)) {
          const text = `${year}-${month}-${day}`;
          const instant = new Date(`${text}T00:00:00.000Z`); // of the 30th of February it is in March
          expect([text, isDay(text)]).toEqual([text, !Number.isNaN(+instant) && instant.toISOString().startsWith(text)]);
        }
  });
  it('are the first ten characters of an instant', () => expect(dayOf('2024-05-06T23:59:59.999Z')).toBe('2024-05-06'));
  it('follow each other', () => expect(['2024-03-01', '2024-01-01'].map(dayBefore)).toEqual(['2024-02-29', '2023-12-31']));
});

describe('instants to the second', () => {
  it.each([
    ['2015-05-01T00:00:00Z', '2015-05-01T00:00:00Z'],
    ['2016-02-29T23:59:59.987654321Z', '2016-02-29T23:59:59Z'],
    ['2015-05-01T00:00:00,5Z', '2015-05-01T00:00:00Z'],
  ])('%s is %s', (text, instant) => expect(zuluSecond(text)).toBe(instant));
  it.each([
    '',
    '2015-05-01',
    '2015-05-01T00:00:00',
    '2015-05-01T00:00:00z',
    '2015-05-01t00:00:00Z',
    '2015-05-01 00:00:00Z',
    '2015-05-01T00:00:00+00:00',
    '2015-05-01T00:00Z',
    '2015-05-01T24:00:00Z',
    '2015-05-01T00:60:00Z',
    '2015-05-01T00:00:60Z',
    '2015-05-01T00:00:00.Z',
    '2015-02-29T00:00:00Z',
    '2015-05-01T00:00:00Z\n',
    ' 2015-05-01T00:00:00Z',
  ])('%j is not', (text) => expect(zuluSecond(text)).toBeUndefined());
});
