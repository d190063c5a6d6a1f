import { describe, expect, it } from '@jest/globals';
import { cutPeriods } from './report-periods.js';

const capacity = (value: string, registered_on: string) => ({
  id: value,
  installation_id: 'x',
  metric_definition_id: 'd',
  value,
  registered_on: registered_on.includes('T') ? registered_on : `${registered_on}T00:00:00.000Z`,
});
const [S, E] = ['2031-03-01T00:00:00.000Z', '2031-04-01T00:00:00.000Z'];
const cut = (...capacities: Parameters<typeof capacity>[]) =>
  cutPeriods(
    S,
    E,
    capacities.map((one) => capacity(...one)),
  );

describe('the periods of a report', () => {
  it('are the whole range if there are no capacities', () => expect(cut()).toEqual([{ from: S, to: E, capacity: undefined }]));

  it('are split where capacities begin, in any order of registration', () =>
    expect(cut(['120', '2031-03-21'], ['80', '2031-03-11'])).toEqual([
      { from: S, to: '2031-03-11T00:00:00.000Z', capacity: undefined },
      { from: '2031-03-11T00:00:00.000Z', to: '2031-03-21T00:00:00.000Z', capacity: '80' },
      { from: '2031-03-21T00:00:00.000Z', to: E, capacity: '120' },
    ]));

  it('start with the latest capacity before the range', () =>
    expect(cut(['20', '2030-06-01'], ['10', '2030-01-01'], ['30', '2031-05-01'])).toEqual([{ from: S, to: E, capacity: '20' }]));

  it('start with a capacity at their first instant', () =>
    expect(cut(['10', '2030-01-01'], ['20', '2031-03-01'])).toEqual([{ from: S, to: E, capacity: '20' }]));

  it('are not split at the end of the range or later', () => {
    expect(cut(['10', '2031-04-01'])).toEqual([{ from: S, to: E, capacity: undefined }]);
    expect(cut(['40', '2031-06-01'], ['41', '2031-07-01'])).toEqual([{ from: S, to: E, capacity: undefined }]);
  });

  it('can be split within a day', () =>
    expect(cut(['10', '2031-03-05T12:00:00.000Z'], ['20', '2031-03-05T12:00:00.001Z'])).toEqual([
      { from: S, to: '2031-03-05T12:00:00.000Z', capacity: undefined },
      { from: '2031-03-05T12:00:00.000Z', to: '2031-03-05T12:00:00.001Z', capacity: '10' },
      { from: '2031-03-05T12:00:00.001Z', to: E, capacity: '20' },
    ]));

  it('are empty for an empty range', () => {
    expect(cutPeriods(S, S, [])).toEqual([]);
    expect(cutPeriods(S, S, [capacity('10', '2030-01-01')])).toEqual([]);
    expect(cutPeriods(E, S, [capacity('10', '2031-03-11')])).toEqual([]);
  });
});
