import { lastDayBefore } from '#domain/accounting/metrics/instants.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Day } from '#domain/shared/time.js';
import { dayOf } from '#domain/shared/time.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { shortId } from '#projections/accounting/short-id.js';
import { collection, list } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart } from '#projections/shared/partitions.js';
import { textCodec } from '#projections/shared/projection.js';
import { type InstallationRef, installationKey, type SeriesRef } from './documents.js';

/** Lengths of the prefixes of an instant that name the month and the day. */
export const MONTH = 7;
export const DAY = 10;

/** Metrics that began in one month (or day) and ended in one: their number, and the exact sum of their values as text. */
export type Bucket = readonly [count: number, sum: string];
/** Metrics that began in one month (or day), by the month (or day) in which they ended. */
export type Buckets = Readonly<Record<string, Bucket>>;
/**
 * Metrics that began in one month and ended in one, by the days in it: a line for each pair of days, in their order, with the first and last day (two
 * digits each), the number of metrics and the sum. Each metric changes one line of it, so lines are quicker than JSON.
 */
type DayLines = string;

/** The months and days in which a metric begins and ends. The end is exclusive: midnight ends the previous day. */
export type Units = Readonly<{ firstMonth: string; lastMonth: string; firstDay: Day; lastDay: Day }>;

export const unitsOf = ({ periodStart, periodEnd }: Pick<Metric, 'periodStart' | 'periodEnd'>): Units => {
  const [firstDay, lastDay] = [dayOf(periodStart), lastDayBefore(periodEnd)];
  return { firstMonth: firstDay.slice(0, MONTH), lastMonth: lastDay.slice(0, MONTH), firstDay, lastDay };
};

/** The metrics of a definition of an installation that count for all, or for one group or user. */
export type MemberSeries = InstallationRef & Readonly<{ definitionId: string; member: string }>;

/** Prefix of the keys of all months and days of a series. */
export const memberSeriesKey = ({ member, definitionId, ...installation }: MemberSeries): string =>
  `${installationKey(installation)}/${keyOf(member, shortId(definitionId))}`;

/** `of`: the {@link memberSeriesKey}, shared by the keys of months and days. */
type MonthId = Readonly<{ of: string; firstMonth: string }>;
type MeasureId = SeriesRef & Readonly<{ firstDay: Day; lastDay: Day; sortKey: string }>;

const owner = firstPart(PROJECT);

/** Sums of the metrics that began in a month, by the month in which they ended. */
export const months = collection<Buckets, MonthId>('months', {
  key: ({ of, firstMonth }) => `${of}/${firstMonth}`,
  owner,
});

/** Sums of the metrics that began in a month and ended in one, by days. At most 961 buckets. */
export const days = collection<DayLines, MonthId & Readonly<{ lastMonth: string }>>('days', {
  key: ({ of, firstMonth, lastMonth }) => `${of}/${firstMonth}/${lastMonth}`,
  codec: textCodec,
  owner,
});

const bucketIn = (line: string): Bucket => {
  const [, , count, sum = '0'] = line.split(' ');
  return [Number(count), sum];
};

/** The lines after the bucket of two days has changed. `undefined` if none is left. */
export const changedLines = (
  text: DayLines,
  { firstDay, lastDay }: Units,
  change: (before: Bucket | undefined) => Bucket | undefined,
): DayLines | undefined => {
  const pair = `${firstDay.slice(MONTH + 1)} ${lastDay.slice(MONTH + 1)}`;
  const lines = text === '' ? [] : text.split('\n');
  const at = lines.findIndex((line) => line >= pair);
  const place = at < 0 ? lines.length : at;
  const isThere = lines[place]?.startsWith(pair) ?? false;
  const after = change(isThere ? bucketIn(lines[place] ?? '') : undefined);
  lines.splice(place, isThere ? 1 : 0, ...(after ? [`${pair} ${after.join(' ')}`] : []));
  return lines.length > 0 ? lines.join('\n') : undefined;
};

/** The buckets by the first day, then by the last one. */
export const bucketsByDay = (
  text: DayLines,
  { firstMonth, lastMonth }: Pick<Units, 'firstMonth' | 'lastMonth'>,
): ReadonlyMap<Day, Buckets> => {
  const byDay = new Map<Day, Record<string, Bucket>>();
  for (const line of text.split('\n')) {
    const [first = '', last = ''] = line.split(' ');
    const buckets: Record<string, Bucket> = getOrInsert(byDay, `${firstMonth}-${first}`, () => ({}));
    buckets[`${lastMonth}-${last}`] = bucketIn(line);
  }
  return byDay;
};

/** A day, or that of an instant, in keys. Days compare as text. */
export const dayKey = (day: string): string => day.slice(0, 4) + day.slice(5, MONTH) + day.slice(MONTH + 1, DAY);

/** The metrics of a series by their days. */
export const measures = list<MeasureId>('measures', {
  key: ({ projectId, series, firstDay, lastDay, sortKey }) =>
    `${keyOf(projectId)}/${series}/${dayKey(firstDay)}/${dayKey(lastDay)}/${sortKey}`,
  owner,
});
