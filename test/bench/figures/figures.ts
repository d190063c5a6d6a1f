import { readFileSync, writeFileSync } from 'node:fs';
import type { Measurement } from '#test/bench/profile/circumstances.js';
import { asMarkdown, type Table } from '#test/bench/profile/tables.js';
import type { Result } from '#test/bench/report.js';
import type { Scenario } from '#test/bench/scenario.js';
import { byTarget, targetTable } from './targets.js';

/** Figures of one kind of run: a file of `docs/figures`. Cells of tables are as readers see them. */
export type Figures = Measurement & Readonly<{ tables: Readonly<Record<string, Table>> }>;

/** Files of `docs/figures`. */
export type FiguresName = 'targets' | 'profile' | 'peers' | 'capacity' | 'growth' | 'breadth';

const DOCS = 'docs';
/** The first line of a place in the page: a file, a table of it and, unless all are shown, the number of its rows. */
const BLOCK = /^(<!-- figures: (\S+) ([a-z ]+?)(?: (\d+) rows)? -->)\n.*?^(<!-- end -->)$/gms;

export const readFigures = (name: string, docs = DOCS): Figures =>
  JSON.parse(readFileSync(`${docs}/figures/${name}.json`, 'utf8')) as Figures;

const sourceOf = (name: string, { at, commit, cpu, cores, load }: Figures): string =>
  `From [${name}.json](figures/${name}.json): ${at.slice(0, 10)}, commit ${commit}, ${cores} cores of ${cpu}, load ${load.toFixed(1)} before.`;

const placed = (name: string, table: string, figures: Figures, rows?: number): string => {
  const found = name === 'targets' ? byTarget(Object.values(figures.tables)) : figures.tables[table];
  if (!found) throw new Error(`${name}.json has no table ${table}`);
  const note = found.note === undefined ? [] : [found.note];
  return [...note, asMarkdown({ ...found, rows: found.rows.slice(0, rows) }), sourceOf(name, figures)].join('\n\n');
};

/** The page with the tables that its places name. @throws when a file does not have the table */
export const withFigures = (page: string, read: (name: string) => Figures): string =>
  page.replace(BLOCK, (_block, begin: string, name: string, table: string, rows: string | undefined, end: string) => {
    const shown = placed(name, table, read(name), rows === undefined ? undefined : Number(rows));
    return `${begin}\n\n${shown}\n\n${end}`;
  });

/** A line for each row of a table. */
export const asFile = (figures: Figures): string =>
  `${JSON.stringify(figures, undefined, 1).replace(/\[\s+"[^[\]{}]*?"\s+\]/g, (row) => row.replace(/\n\s*/g, ' '))}\n`;

/** Writes a file of figures, then the page from all files. `docs`: the folder of the page. Returns the path of the page. */
export const writeFigures = (name: FiguresName, figures: Figures, docs = DOCS): string => {
  writeFileSync(`${docs}/figures/${name}.json`, asFile(figures));
  const page = `${docs}/performance.md`;
  const shown = withFigures(readFileSync(page, 'utf8'), (file) => readFigures(file, docs));
  writeFileSync(page, shown);
  return page;
};

/** Writes an SVG beside the files of figures. */
export const writeChart = (name: FiguresName, svg: string): void => writeFileSync(`${DOCS}/figures/${name}.svg`, svg);

/** The same of targets: those of all scenarios, and those that are measured by hand. */
export const writeTargets = (scenarios: readonly Scenario[], results: readonly Result[], measurement: Measurement): string => {
  const { tables } = readFigures('targets');
  const measured = targetTable(scenarios, results, measurement.commit, tables.measured);
  return writeFigures('targets', { ...measurement, tables: { ...tables, measured } });
};
