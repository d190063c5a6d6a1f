import { describe, expect, it } from '@jest/globals';
import { StatusError } from '#api/status/errors.js';
import { periodOf, periodOfV3 } from './period-query.js';

/** The messages of `E400V`, or the period. */
const outcome = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return (error.body as { errors: readonly { message: string }[] }).errors.map(({ message }) => message);
  }
};

const LEAP = { start_time: '2016-02-29T23:59:59.5Z', end_time: '2016-03-01T00:00:00Z' };
const SPAN = { from: '2016-02-29', to: '2016-03-01' };
const DEFAULT = { from: '2015-05-01', to: '2015-05-09' };

describe('the period of a v2 call', () => {
  it.each([
    [LEAP, { span: SPAN, granularity: 'daily' }],
    [
      { ...LEAP, granularity: ['monthly', 'x'] },
      { span: SPAN, granularity: 'monthly' },
    ],
    [{ ...LEAP, granularity: 'Custom' }, ['Wrong Granularity']],
    [{ ...LEAP, granularity: '' }, ['Wrong Granularity']],
    [{ ...LEAP, granularity: 'constructor' }, ['Wrong Granularity']],
    [{}, ['No time span set', 'start_time not set']],
    [{ start_time: 'x' }, ['end_time not set', 'start_time parsing error']],
    [{ end_time: '' }, ['end_time parsing error', 'start_time not set']],
    [{ start_time: '2015-02-29T00:00:00Z', end_time: '2015-05-01T24:00:00Z' }, ['end_time parsing error', 'start_time parsing error']],
    [{ start_time: '2015-05-01', end_time: '2015-05-01T00:00:00+00:00' }, ['end_time parsing error', 'start_time parsing error']],
  ])('%j is %j', (query, expected) => expect(outcome(() => periodOf(query))).toEqual(expected));
});

describe('the period of a v3 call', () => {
  it.each([
    [
      { ...LEAP, granularity: 'CUSTOM' },
      { span: SPAN, granularity: 'custom' },
    ],
    [
      { ...LEAP, granularity: '' },
      { span: SPAN, granularity: 'daily' },
    ],
    [{}, { span: DEFAULT, granularity: 'daily' }],
    [{ start_time: '', end_time: '', granularity: 'X' }, ['Wrong Granularity']],
    [{ start_time: 'x' }, ['No time span set']],
    [{ end_time: '2015-05-01T00:00:00Z', start_time: '' }, ['No time span set']],
    [{ start_time: 'x', end_time: 'y', granularity: 'z' }, ['Wrong Granularity', 'start_time parsing error', 'end_time parsing error']],
  ])('%j is %j', (query, expected) => expect(outcome(() => periodOfV3(query, DEFAULT))).toEqual(expected));

  it('must be given where there is no default', () => expect(outcome(() => periodOfV3({}))).toEqual(['No time span set']));
});
