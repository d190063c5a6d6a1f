import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type Costs, checkOf, STEPS } from '#test/bench/capacity/model.js';
import { capacityTables, checkTable } from '#test/bench/capacity/tables.js';
import { scenarios } from '#test/bench/scenarios/index.js';
import { asFile, type Figures, readFigures, withFigures, writeFigures } from './figures.js';
import { byTarget, targetTable } from './targets.js';

const MEASUREMENT = {
  at: '2026-01-02T03:04:05.000Z',
  commit: 'abcdef012345',
  cpu: 'a processor',
  cores: 2,
  system: 'Linux 6.1',
  node: 'v20.19.0',
  load: 0.04,
};
const COSTS: Costs = new Map(
  STEPS.map((step) => [step, { requests: 1, cpuMicros: 100, mainMicros: 50, writtenBytes: 1_024, keptBytes: new Map([['log', 1_024]]) }]),
);
const SOURCE = 'From [capacity.json](figures/capacity.json): 2026-01-02, commit abcdef012345, 2 cores of a processor, load 0.0 before.';

const given = (tables: Figures['tables']) => ({
  page: (place: string, old = '') =>
    withFigures(`before\n\n<!-- figures: ${place} -->\n${old}<!-- end -->\n\nafter\n`, () => ({ ...MEASUREMENT, tables })),
});
const shown = (place: string, content: string): string => `before\n\n<!-- figures: ${place} -->\n\n${content}\n\n<!-- end -->\n\nafter\n`;

describe('places of figures in the page', () => {
  const machines = {
    head: ['', 'a site'],
    rows: [
      ['cores', '2'],
      ['logs', '1'],
    ],
  };
  const table = '|  | a site |\n| --- | --: |\n| cores | 2 |\n| logs | 1 |';

  it('get the table with its source', () =>
    expect(given({ machines }).page('capacity machines')).toBe(shown('capacity machines', `${table}\n\n${SOURCE}`)));

  it('lose the table that they had', () =>
    expect(given({ machines }).page('capacity machines', '\n| old |\n\n')).toBe(shown('capacity machines', `${table}\n\n${SOURCE}`)));

  it('may have fewer rows', () =>
    expect(given({ machines }).page('capacity machines 1 rows')).toBe(
      shown('capacity machines 1 rows', `${table.slice(0, table.indexOf('\n| logs'))}\n\n${SOURCE}`),
    ));

  it('name a table that there is', () => expect(() => given({}).page('capacity machines')).toThrow('capacity.json has no table machines'));

  it.each([
    ['CPU s', 126, 'The check failed**: model and day are more than 25 % apart (CPU s), and the machines above may be as wrong.'],
    ['CPU s', 125, 'The check passed.'],
  ])('say whether the check of the model failed: %s', (what, measured, sentence) => {
    const check = checkTable([checkOf(what, 100, measured), checkOf('log, MiB', 100, 100)], 'A day.');
    expect(given({ check }).page('capacity check')).toContain(`${sentence}\n\n| simulated day |`);
  });
});

describe('the writer', () => {
  const docs = mkdtempSync(join(tmpdir(), 'logbook-figures-'));
  afterAll(() => rmSync(docs, { recursive: true }));

  it('replaces the figures of a run in its file and in the page, a failed check with its sentence', () => {
    cpSync('docs/figures', join(docs, 'figures'), { recursive: true });
    writeFileSync(join(docs, 'performance.md'), readFileSync('docs/performance.md'));
    const tables = capacityTables(COSTS, [checkOf('CPU s', 100, 130), checkOf('log, MiB', 100, 60)], 'A day.');

    writeFigures('capacity', { ...MEASUREMENT, tables }, docs);

    expect(readFigures('capacity', docs)).toEqual({ ...MEASUREMENT, tables });
    const page = readFileSync(join(docs, 'performance.md'), 'utf8');
    expect(page.split('\n').filter((line) => line.includes('commit abcdef012345'))).toEqual([SOURCE, SOURCE, SOURCE]);
    expect(page).toContain(
      'A day. **The check failed**: model and day are more than 25 % apart (CPU s; log, MiB), and the machines above may be as wrong.',
    );
    expect(page).toContain('| CPU s | 100 | 130 | 1.30 | **no** |');
  });
});

describe('targets', () => {
  const prepare = () => Promise.reject(new Error('is not run'));
  const read = (stores: string, name: string) => ({
    name: `${stores}: ${name}`,
    reference: 'bare route',
    target: { atLeast: 0.75 },
    prepare,
  });
  const all = [
    read('embedded', 'read one'),
    read('embedded', 'list'),
    read('redis', 'read one'),
    { name: 'shown', reference: 'x', prepare },
  ];
  const result = (name: string, median: number, met: boolean) => {
    const ratio = { median, min: median, max: median };
    return { name, reference: 'bare route', target: { atLeast: 0.75 }, ratio, met, rounds: [] };
  };
  const first = targetTable(all, [result('embedded: read one', 0.8, true), result('embedded: list', 0.7, false)], 'aaa', undefined);

  it('have a row for each scenario with a target, measured or not', () =>
    expect(first.rows).toEqual([
      ['embedded: read one', 'bare route', '≥ 0.75', '0.80', 'yes', 'aaa'],
      ['embedded: list', 'bare route', '≥ 0.75', '0.70', 'no', 'aaa'],
      ['redis: read one', 'bare route', '≥ 0.75', '', '', ''],
    ]));

  it('keep figures that a later run has not measured again', () =>
    expect(targetTable(all, [result('embedded: list', 0.9, true)], 'bbb', first).rows.map((row) => row.slice(3))).toEqual([
      ['0.80', 'yes', 'aaa'],
      ['0.90', 'yes', 'bbb'],
      ['', '', ''],
    ]));

  it('are met or missed side by side', () => {
    const byHand = {
      head: first.head,
      rows: [
        ['start', '', '≤ 3 s', '4 s', 'no', 'not recorded'],
        ['proof', '', '≤ 50 ms', '', '', ''],
      ],
    };
    expect(byTarget([first, byHand])).toEqual({
      head: first.head,
      note: '**1 of 3 targets have not been measured** ([targets.json](figures/targets.json) has all).',
      rows: [
        ['embedded, redis: read one; list', 'bare route', '≥ 0.75', '0.80; **0.70**; –', '1 of 2', 'aaa'],
        ['start', '', '≤ 3 s', '**4 s**', '**no**', 'not recorded'],
      ],
    });
  });
});

describe('docs/performance.md and docs/figures', () => {
  const page = readFileSync('docs/performance.md', 'utf8');
  const names = readdirSync('docs/figures').flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);

  it('have the same figures', () => expect(withFigures(page, readFigures)).toBe(page));

  it('are linked, each file by the page', () => {
    expect(names).toHaveLength(6);
    expect(names.filter((name) => !page.includes(`](figures/${name}.json)`))).toEqual([]);
    expect(page.match(/^From \[/gm)).toHaveLength(page.match(/^<!-- figures/gm)?.length ?? 0);
  });

  it.each(names)('name commit, date and machine of %s, a row in a line', (name) => {
    const figures = readFigures(name);
    expect(figures).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{12}$/), at: expect.stringMatching(/^20\d\d-\d\d-\d\d/) });
    expect(figures).toMatchObject({
      cpu: expect.any(String),
      cores: expect.any(Number),
      system: expect.any(String),
      load: expect.any(Number),
    });
    expect(readFileSync(`docs/figures/${name}.json`, 'utf8')).toBe(asFile(figures));
  });

  it('have the targets of all scenarios', () => {
    const { measured } = readFigures('targets').tables;
    expect(measured).toEqual(targetTable(scenarios, [], '', measured));
  });

  it('say when the check of the model has failed', () => {
    const check = readFigures('capacity').tables.check;
    const failed = check?.rows.some(([, , , , holds]) => holds !== 'yes');
    expect(check?.note).toContain(failed ? '**The check failed**' : 'The check passed.');
  });
});
