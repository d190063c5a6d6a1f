import { describe, expect, it } from '@jest/globals';
import { asOfIn } from '#api/shared/as-of/as-of-header.js';

describe('the header Logbook-As-Of', () => {
  it.each([
    ['2024-01-15T12:00:00Z', Date.UTC(2024, 0, 15, 12)],
    ['2024-01-15T12:00:00.5Z', Date.UTC(2024, 0, 15, 12, 0, 0, 500)],
    ['2024-01-15T12:00:00.123Z', Date.UTC(2024, 0, 15, 12, 0, 0, 123)],
    ['2024-01-15T12:00:00.123999999Z', Date.UTC(2024, 0, 15, 12, 0, 0, 123)],
    ['2024-02-29T23:59:59Z', Date.UTC(2024, 1, 29, 23, 59, 59)],
  ])('is an instant: %s', (text, milliseconds) => expect(asOfIn(text)).toEqual({ kind: 'instant', milliseconds }));

  it.each([
    ['0', 0n],
    ['7', 7n],
    ['18446744073709551615', 2n ** 64n - 1n],
  ])('is a position: %s', (text, position) => expect(asOfIn(text)).toEqual({ kind: 'position', position }));

  it.each([
    undefined,
    '',
    ' 7',
    '07',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '18446744073709551616',
    '99999999999999999999999',
    'now',
    '2024-01-15',
    '2024-01-15T12:00:00',
    '2024-01-15T12:00:00+00:00',
    '2024-01-15t12:00:00z',
    '2024-01-15T12:00:00.Z',
    '2024-01-15 12:00:00Z',
    '2023-02-29T12:00:00Z',
    '2024-02-30T12:00:00Z',
    '2024-13-01T12:00:00Z',
    '2024-01-15T24:00:00Z',
    '2024-01-15T12:60:00Z',
    '2024-01-15T12:00:00Z, 2024-01-16T12:00:00Z',
    '7, 8',
  ])('is neither: %s', (text) => expect(asOfIn(text)).toBeUndefined());

  it('is malformed when it is given twice', () => expect(asOfIn(['7', '7'])).toBeUndefined());
});
