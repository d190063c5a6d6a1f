import type { Table } from '#test/bench/profile/tables.js';
import { type Result, targetText } from '#test/bench/report.js';
import type { Scenario } from '#test/bench/scenario.js';

const HEAD = ['work', 'against', 'target', 'measured', 'met', 'commit'];

/** A row for each scenario that has a target. One that was not measured keeps its row of `before`; without one it has no figure. */
export const targetTable = (
  scenarios: readonly Scenario[],
  results: readonly Result[],
  commit: string,
  before: Table | undefined,
): Table => ({
  head: HEAD,
  rows: scenarios.flatMap(({ name, reference, target }) => {
    if (!target) return [];
    const judged = [name, reference, targetText(target)];
    const result = results.find((one) => one.name === name);
    if (result) return [[...judged, result.ratio.median.toFixed(2), result.met ? 'yes' : 'no', commit]];
    const [, , , ...known] = before?.rows.find(([work]) => work === name) ?? [];
    return [[...judged, ...(known.length > 0 ? known : ['', '', ''])]];
  }),
});

const distinct = (values: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(values.filter((value): value is string => value !== undefined && value !== '')),
];

/** Names without repetition: `embedded, redis: read one; list 10`. */
const joined = (works: readonly string[]): string => {
  const parts = works.map((work) => /^(\w+): (.*)$/.exec(work) ?? ['', '', work]);
  return [distinct(parts.map(([, stores]) => stores)).join(', '), distinct(parts.map(([, , work]) => work)).join('; ')]
    .filter((part) => part !== '')
    .join(': ');
};

type Rows = readonly (readonly string[])[];

const isMeasured = (rows: Rows): boolean => rows.some(([, , , value]) => value !== '');

/**
 * One row for all work that has the same target against the same reference, with the figures in the order of the names; those that miss it are bold.
 * The note counts the targets without any figure.
 */
export const byTarget = (tables: readonly Table[]): Table => {
  const groups = new Map<string, Rows>();
  for (const row of tables.flatMap(({ rows }) => rows)) {
    const key = row.slice(1, 3).join();
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const measured = [...groups.values()].filter(isMeasured);
  return {
    head: HEAD,
    note: `**${groups.size - measured.length} of ${groups.size} targets have not been measured** ([targets.json](figures/targets.json) has all).`,
    rows: measured.map((rows) => {
      const judged = rows.filter(([, , , , met]) => met !== '');
      const met = judged.filter(([, , , , met]) => met === 'yes').length;
      return [
        joined(rows.map(([work = '']) => work)),
        ...(rows[0] ?? []).slice(1, 3),
        rows.map(([, , , value = '', met]) => (value === '' ? '–' : met === 'no' ? `**${value}**` : value)).join('; '),
        judged.length === 1 ? (met === 1 ? 'yes' : '**no**') : `${met} of ${judged.length}`,
        distinct(rows.map((row) => row[5])).join(', '),
      ];
    }),
  };
};
