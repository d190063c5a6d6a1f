import { describe, expect, it } from '@jest/globals';
import type { Cost } from './cost.js';
import type { ProfileRow } from './row.js';
import { asMarkdown, asText, chart, operations, references, stages, threads, turns } from './tables.js';

const cost = (perSecond: number, threadTimes: Readonly<Record<string, number>>, kib: number): Cost => ({
  perSecond,
  latencyMs: { p50: 1.25, p99: 12.5, p999: 125 },
  late: 0,
  usage: {
    micros: Object.values(threadTimes).reduce((sum, time) => sum + time, 0),
    threads: new Map(Object.entries(threadTimes)),
    writtenBytes: kib * 1_024,
  },
});

const row: ProfileRow = {
  name: 'command',
  reference: 'bare Fastify route',
  ratio: { median: 0.25, min: 0.2, max: 0.3 },
  logbook: cost(5_000, { main: 200, followers: 100 }, 48),
  bare: cost(20_000, { main: 50 }, 8),
  stages: new Map([
    ['HTTP', 150],
    ['decide', 50],
  ]),
  turns: {
    longestMs: 41.25,
    p999Ms: 8,
    longPerSecond: 0.5,
    causes: new Map([
      ['commit', 30],
      ['GC', 70],
    ]),
  },
};

describe('tables of a profile', () => {
  it('show both sides of an operation', () => {
    expect(asMarkdown(operations([row])).split('\n')[2]).toBe('| command | 0.25 (0.20-0.30) | 5,000 | 1.25 | 12.5 | 300 | 48.0 |');
    expect(asMarkdown(references([row])).split('\n')[2]).toBe('| command | 125 | 0.00 | 20,000 | 50.0 | 8.00 |');
  });

  it('name the threads and the stages', () => {
    expect(asText(threads([row])).split('\n')).toEqual(['CPU µs by thread  main  followers', 'command            200        100']);
    expect(stages([row]).head.slice(0, 5)).toEqual(['main thread µs by stage', 'HTTP', 'access', 'body in', 'decide']);
    expect(stages([row]).rows[0]?.slice(0, 5)).toEqual(['command', '150', '0.00', '0.00', '50.0']);
  });

  it('name what ran in long turns, the most first', () => {
    expect(turns([row]).rows).toEqual([['command', '41.3', '8.00', '0.50', 'GC 70 %, commit 30 %']]);
  });

  it('draw bars that are as long as the multiples of the reference', () => {
    const small: ProfileRow = { ...row, name: 'read', logbook: cost(20_000, { main: 50 }, 0) };
    expect(chart([row, small]).split('\n')).toEqual([
      `command  ${'█'.repeat(40)}${'▓'.repeat(20)} 6.0`,
      `read     ${'█'.repeat(10)} 1.0`,
      '',
      '█ main   ▓ followers',
    ]);
  });
});
