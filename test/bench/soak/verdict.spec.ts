import { describe, expect, it } from '@jest/globals';
import { findings, type SoakSample, soakTable } from './verdict.js';

const MIB = 1_048_576;

const sample = (minute: number, rssMib: number, p99Ms: number, file = 100, held = 60): SoakSample => ({
  minute,
  perSecond: 5_000,
  p50Ms: 4,
  p99Ms,
  late: 0,
  rssAnonBytes: rssMib * MIB,
  longestTurnMs: 12,
  stores: new Map([['log', { file: file * MIB, held: held * MIB }]]),
  during: minute === 4 ? 'rebuild' : '',
});

const flat = [200, 250, 300, 300, 310, 300, 300, 320, 305].map((mib, index) => sample(index + 1, mib, 20));

const failed = (samples: readonly SoakSample[], failures: readonly string[] = []): readonly string[] =>
  findings(samples, failures).flatMap(({ holds, seen }) => (holds ? [] : [seen]));

describe('findings of a soak', () => {
  it('are good when memory, times and files stay', () => {
    expect(failed(flat)).toEqual([]);
  });

  it('compare the memory of the last third with the middle one', () => {
    expect(failed([...flat.slice(0, 6), sample(7, 335, 20), sample(8, 335, 20), sample(9, 290, 20)])).toEqual(['1.12 ×']);
  });

  it('compare the times at the end with those at the beginning', () => {
    expect(failed([...flat.slice(0, 6), ...[59, 61, 62].map((p99) => sample(9, 300, p99))])).toEqual(['3.05 ×']);
  });

  it('look at each file beside what it holds', () => {
    expect(failed([...flat, sample(10, 300, 20, 200, 67)])).toEqual(['200 MiB, holds 67.0 MiB']);
    expect(failed([...flat, sample(10, 300, 20, 60, 1)])).toEqual([]);
  });

  it('show an answer that was not as it must be', () => {
    expect(failed(flat, ['GET /x: 500'])).toEqual(['GET /x: 500']);
  });

  it('have a line for each interval', () => {
    expect(soakTable(flat).rows[3]).toEqual(['4.0', '5,000', '4.00', '20.0', '0', '12.0', '300', '60.0 / 100', 'rebuild']);
  });
});
