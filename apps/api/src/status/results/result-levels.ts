import type { ItemNames } from '#api/status/day-items.js';
import type { Work } from '#api/status/work.js';
import { type Measures, sumOfFigures, sumOfMeans } from '#domain/status/results/figures/periods.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import { allItems, type DayResult, type DayRow, type ItemInfo, type Level, type ResultItem } from './items.js';
import { endpointRows, flatEndpointRows, groupRows, ownGroupRows, serviceRows, supergroupRows } from './levels.js';
import type { Granularity, Period } from './period-query.js';
import type { Layout } from './results-json.js';
import type { Rule } from './series.js';

/** Parameters of a call in addition to the report. */
type LevelQuery = Readonly<{ granularity: Granularity; names: ItemNames }>;

/** The two types of groups of a report, its first and its deepest: G and L of the contract. Both are empty without a schema. */
export const typesOf = ({ types }: Pick<ReportReader, 'types'>): Readonly<{ outer: string; inner: string }> => ({
  outer: types[0] ?? '',
  inner: types.at(-1) ?? '',
});

const levelOf =
  <Result extends DayResult>(rowsOf: (day: Result, names: ItemNames) => Iterable<DayRow<Measures>>, newSum: Rule<Measures>['newSum']) =>
  ({ granularity, names }: LevelQuery): Level<Result, Measures> => ({ rowsOf: (day) => rowsOf(day, names), rule: { granularity, newSum } });

/** The levels of results contract 12.2 by letter, each with its source. */
export const levelA = levelOf(supergroupRows, sumOfMeans);
export const levelB = levelOf(groupRows, sumOfFigures);
const levelC = levelOf(serviceRows, sumOfFigures);
const levelD = levelOf(endpointRows, sumOfFigures);
export const levelF = levelOf(flatEndpointRows, sumOfFigures);

/** Reads the items of a level; none if the report computes no availability. @throws DomainError `OVER_LIMIT` */
type ReadItems = (reader: ReportReader, period: Period, names: ItemNames, work: Work) => Promise<readonly ResultItem[]>;

const ofDays =
  (level: typeof levelA): ReadItems =>
  async (reader, { span, granularity }, names, work) =>
    reader.computations.ar ? allItems(reader.days(span), level({ granularity, names }), work) : [];
const ofDetails =
  (level: typeof levelC): ReadItems =>
  async (reader, { span, granularity }, names, work) =>
    reader.computations.ar ? allItems(reader.details(span, names.group), level({ granularity, names }), work) : [];

export const ownGroupItems = ofDays(levelOf(ownGroupRows, sumOfFigures));

type Types = ReturnType<typeof typesOf>;

/** A level in the form of a version: reading and layout of its items. */
export type LevelView = Readonly<{ read: ReadItems; layoutOf: (types: Types) => Layout }>;

/** Names of the lists of endpoint groups in groups, and of services in those, in a version. `infoOf`: info of an endpoint that it shows. */
type VersionForm = Readonly<{
  groups: string;
  services: string;
  numbers?: boolean;
  infoOf: (info: ItemInfo | undefined) => ItemInfo | undefined;
}>;

/** The levels of a version: the types of listed items, and of their groups from the outermost inwards. */
export const levelViews = ({ groups, services, numbers = false, infoOf }: VersionForm) => {
  const below = { outer: groups, inner: services, service: 'endpoints' };
  const view = (read: ReadItems, own: keyof Types | 'service' | 'endpoint', ...around: readonly (keyof typeof below)[]): LevelView => ({
    read,
    layoutOf: (types) => {
      const named = { ...types, service: 'service', endpoint: 'endpoint' };
      const type = named[own];
      return {
        groups: around.map((one) => ({ type: named[one], below: below[one] })),
        head: ({ names, info }) => ({ name: names.at(-1), type, info: infoOf(info) }),
        label: 'timestamp',
        numbers,
      };
    },
  });
  return {
    supergroups: view(ofDays(levelA), 'outer'),
    groups: view(ofDays(levelB), 'inner', 'outer'),
    services: view(ofDetails(levelC), 'service', 'inner'),
    endpoints: view(ofDetails(levelD), 'endpoint', 'inner', 'service'),
  };
};

/** Endpoints without their groups. */
export const layoutF: Layout = {
  groups: [],
  head: ({ names: [name, service, supergroup], info }) => ({ name, service, supergroup, type: 'endpoint', info }),
  label: 'timestamp',
};
