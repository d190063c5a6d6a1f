import type { ItemNames } from '#api/status/day-items.js';
import type { Work } from '#api/status/work.js';
import { type Measures, sumOfFigures, sumOfMeans } from '#domain/status/results/figures/periods.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import { allItems, type Dated, type DayRow, type Level, type ResultItem } from './items.js';
import { endpointRows, flatEndpointRows, groupRows, ownGroupRows, serviceRows, supergroupRows } from './levels.js';
import type { Granularity, Period } from './period-query.js';
import type { Layout } from './results-json.js';
import type { Rule } from './series.js';

/** What a call asks for beside the report. */
type LevelQuery = Readonly<{ granularity: Granularity; names: ItemNames }>;

/** The two types of groups of a report, its first and its deepest: G and L of the contract. Without a schema they are empty. */
export const typesOf = ({ types }: Pick<ReportReader, 'types'>): Readonly<{ outer: string; inner: string }> => ({
  outer: types[0] ?? '',
  inner: types.at(-1) ?? '',
});

const levelOf =
  <Result extends Dated>(rowsOf: (day: Result, names: ItemNames) => Iterable<DayRow<Measures>>, newSum: Rule<Measures>['newSum']) =>
  ({ granularity, names }: LevelQuery): Level<Result, Measures> => ({ rowsOf: (day) => rowsOf(day, names), rule: { granularity, newSum } });

/** The levels of results contract 12.2 by their letters, each with what it is read from. */
export const levelA = levelOf(supergroupRows, sumOfMeans);
export const levelB = levelOf(groupRows, sumOfFigures);
const levelC = levelOf(serviceRows, sumOfFigures);
const levelD = levelOf(endpointRows, sumOfFigures);
export const levelF = levelOf(flatEndpointRows, sumOfFigures);

/** Reads the items of a level. @throws DomainError `OVER_LIMIT` */
export type ReadItems = (reader: ReportReader, period: Period, names: ItemNames, work: Work) => Promise<readonly ResultItem[]>;

const ofDays =
  (level: typeof levelA): ReadItems =>
  (reader, { span, granularity }, names, work) =>
    allItems(reader.days(span), level({ granularity, names }), work);
const ofDetails =
  (level: typeof levelC): ReadItems =>
  (reader, { span, granularity }, names, work) =>
    allItems(reader.details(span, names.group), level({ granularity, names }), work);

export const supergroupItems = ofDays(levelA);
export const groupItems = ofDays(levelB);
export const ownGroupItems = ofDays(levelOf(ownGroupRows, sumOfFigures));
export const serviceItems = ofDetails(levelC);
export const endpointItems = ofDetails(levelD);

export type Types = ReturnType<typeof typesOf>;
/** Members of an item: its own name, and its type. */
export const named = (type: string) => (item: ResultItem) => ({ name: item.names.at(-1), type });
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
