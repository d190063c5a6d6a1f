import { type Measures, sumOfFigures, sumOfMeans } from '#domain/status/results/figures/periods.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import type { Level, ResultItem } from './items.js';
import { endpointRows, flatEndpointRows, groupRows, type Names, serviceRows, supergroupRows } from './levels.js';
import type { Granularity } from './period-query.js';
import type { Layout } from './results-json.js';

/** What a call asks for beside the report. */
export type LevelQuery = Readonly<{ granularity: Granularity; names: Names }>;

/** The two types of groups of a report, its first and its deepest: G and L of the contract. Without a schema they are empty. */
export const typesOf = ({ types }: Pick<ReportReader, 'types'>): Readonly<{ outer: string; inner: string }> => ({
  outer: types[0] ?? '',
  inner: types.at(-1) ?? '',
});

/** The levels of results contract 12.2 by their letters, each with what it is read from. */
export const levelA = ({ granularity, names }: LevelQuery): Level<ResultsDay, Measures> => ({
  rowsOf: (day) => supergroupRows(day, names),
  rule: { granularity, newSum: sumOfMeans },
});
export const levelB = ({ granularity, names }: LevelQuery): Level<ResultsDay, Measures> => ({
  rowsOf: (day) => groupRows(day, names),
  rule: { granularity, newSum: sumOfFigures },
});
export const levelC = ({ granularity, names }: LevelQuery): Level<ResultsDay<GroupDay>, Measures> => ({
  rowsOf: (day) => serviceRows(day, names),
  rule: { granularity, newSum: sumOfFigures },
});
export const levelD = ({ granularity, names }: LevelQuery): Level<ResultsDay<GroupDay>, Measures> => ({
  rowsOf: (day) => endpointRows(day, names),
  rule: { granularity, newSum: sumOfFigures },
});
export const levelF = ({ granularity, names }: LevelQuery): Level<ResultsDay<GroupDay>, Measures> => ({
  rowsOf: (day) => flatEndpointRows(day, names),
  rule: { granularity, newSum: sumOfFigures },
});

type Types = ReturnType<typeof typesOf>;
const named = (type: string) => (item: ResultItem) => ({ name: item.names.at(-1), type });
const SERVICE = { type: 'service', below: 'endpoints' };

export const layoutA = ({ outer }: Types): Layout => ({ groups: [], head: named(outer), label: 'timestamp' });
export const layoutB = ({ outer, inner }: Types): Layout => ({
  groups: [{ type: outer, below: 'endpoints' }],
  head: named(inner),
  label: 'timestamp',
});
export const layoutC = ({ inner }: Types): Layout => ({
  groups: [{ type: inner, below: 'serviceflavors' }],
  head: named('service'),
  label: 'timestamp',
});
export const layoutD = ({ inner }: Types): Layout => ({
  groups: [{ type: inner, below: 'serviceflavors' }, SERVICE],
  head: (item) => ({ ...named('endpoint')(item), info: item.info }),
  label: 'timestamp',
});
export const layoutF: Layout = {
  groups: [],
  head: ({ names: [name, service, supergroup], info }) => ({ name, service, supergroup, type: 'endpoint', info }),
  label: 'timestamp',
};
