import { describe, expect, it } from '@jest/globals';
import type { PeerRow } from './peers.js';
import { peerChart, peerTable } from './tables.js';

const costs = (system: string, perSecond: number, threads: Readonly<Record<string, number>>) => ({
  system,
  cost: {
    perSecond,
    latencyMs: { p50: 1.25, p99: 12.5, p999: 125 },
    late: 0,
    usage: {
      micros: Object.values(threads).reduce((sum, time) => sum + time, 0),
      threads: new Map(Object.entries(threads)),
      writtenBytes: 10_240,
    },
  },
});

const ROWS: readonly PeerRow[] = [
  {
    operation: 'read one',
    costs: [costs('Logbook', 5_000, { main: 90, followers: 10 }), costs('Nest & PostgreSQL', 2_500, { program: 120, database: 80 })],
  },
];

describe('tables of peers', () => {
  it('show what program and database use, where there are two', () => {
    expect(peerTable(ROWS).rows).toEqual([
      ['read one', 'Logbook', '5,000', '1.25', '12.5', '125', '100', '100', '', '10.0'],
      ['', 'Nest & PostgreSQL', '2,500', '1.25', '12.5', '125', '200', '120', '80.0', '10.0'],
    ]);
  });

  it('draw bars as long as the figures, the longest at the full length', () => {
    const chart = peerChart(ROWS);
    expect([...chart.matchAll(/width="(\d+)" height="13"/g)].map(([, width]) => Number(width))).toEqual([75, 150, 150, 75]);
    expect(chart).toContain('Nest &amp; PostgreSQL');
    expect(chart.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true);
  });
});
