import { describe, expect, it } from '@jest/globals';
import type { Cost } from './cost.js';
import { figuresOf, withFigures } from './document.js';
import type { ProfileRow } from './row.js';
import { asMarkdown, asText, chart, operations, stages, threads, turns } from './tables.js';

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

const CIRCUMSTANCES = {
  at: '2026-01-02T03:04:05.000Z',
  commit: 'abcdef012345',
  cpu: 'a processor',
  cores: 2,
  system: 'Linux 6.1',
  node: 'v20.19.0',
  load: 0.04,
  effort: { warmUps: 3, rounds: 5, sliceSeconds: 2, manyEvents: 1 },
};

describe('tables of a profile', () => {
  it('show both sides of an operation', () => {
    expect(asMarkdown(operations([row])).split('\n')[2]).toBe(
      '| command | 0.25 (0.20-0.30) | 5,000 | 20,000 | 1.25 | 12.5 | 125 | 0.00 | 300 | 50.0 | 48.0 | 8.00 |',
    );
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

  it('take the place of earlier ones in the document', () => {
    const figures = figuresOf([row], CIRCUMSTANCES);
    expect(figures).toContain(
      'at commit abcdef012345: a processor, 2 cores, Linux 6.1, Node v20.19.0, load 0.0 before; of each operation 5 rounds of 2 s',
    );
    const begin = '<!-- figures: written by npm run bench -- --profile --write -->';
    const end = '<!-- end of figures -->';
    const place = '--profile --write';
    const document = withFigures(`before\n\n${begin}\nold\n${end}\n\nafter\n`, place, figures);
    expect(document).toBe(`before\n\n${begin}\n\n${figures}\n\n${end}\n\nafter\n`);
    expect(withFigures(document, place, figures)).toBe(document);
    expect(() => withFigures('no place', place, figures)).toThrow('the document has no lines');
  });
});
