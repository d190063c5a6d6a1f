import { describe, expect, it } from '@jest/globals';
import { anyInstant, lastDayBefore, wireInstant, zuluInstant } from './instants.js';

describe('instants', () => {
  it.each([
    ['2031-03-01T00:00:00Z', '2031-03-01T00:00:00.000Z'],
    ['2031-03-01t23:59:59z', '2031-03-01T23:59:59.000Z'],
    ['2031-03-01T10:11:12.5Z', '2031-03-01T10:11:12.500Z'],
    ['2031-03-01T10:11:12.123456789Z', '2031-03-01T10:11:12.123Z'],
    ['2032-02-29T00:00:00Z', '2032-02-29T00:00:00.000Z'],
  ])('are parsed from %s', (text, instant) => expect([zuluInstant(text), anyInstant(text)]).toEqual([instant, instant]));

  it.each([
    '',
    'now',
    '2031-02-30T00:00:00Z',
    '2031-03-01T24:00:00Z',
    '2031-03-01T00:60:00Z',
    '2031-03-01T00:00Z',
    '2031-03-01T00:00:00',
    '2031-03-01 00:00:00Z',
    '2031-03-01T00:00:00.Z',
    '2031-03-01T00:00:00.1234567890Z',
    '31-03-01T00:00:00Z',
    ' 2031-03-01T00:00:00Z',
    '2031-03-01T00:00:00Z\n',
    '2031-02-30',
    '2031-03-01T00:00:00+19:00',
    '0000-01-01T00:00:00+01:00',
  ])('are not parsed from %j', (text) => expect([zuluInstant(text), anyInstant(text)]).toEqual([undefined, undefined]));

  it.each([
    ['2031-03-01', '2031-03-01T00:00:00.000Z'],
    ['2031-03-01T00:30:00+01:00', '2031-02-28T23:30:00.000Z'],
    ['2031-03-01T23:30:00.25-0130', '2031-03-02T01:00:00.250Z'],
  ])('are parsed from %s where other formats than Zulu timestamps are accepted', (text, instant) =>
    expect([zuluInstant(text), anyInstant(text)]).toEqual([undefined, instant]),
  );

  it('are shown without a zero fraction', () => {
    expect(wireInstant('2031-03-01T00:00:00.000Z')).toBe('2031-03-01T00:00:00Z');
    expect(wireInstant('2031-03-01T00:00:00.120Z')).toBe('2031-03-01T00:00:00.120Z');
  });

  it.each([
    ['2031-03-01T00:00:00.000Z', '2031-02-28'],
    ['2031-03-01T00:00:00.001Z', '2031-03-01'],
    ['2032-01-01T00:00:00.000Z', '2031-12-31'],
    ['2031-03-01T12:00:00.000Z', '2031-03-01'],
  ])('end at %s after a moment of %s', (instant, day) => expect(lastDayBefore(instant)).toBe(day));
});
