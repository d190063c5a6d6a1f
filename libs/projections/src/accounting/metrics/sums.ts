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
 * Sums of metrics: a line each, in the order of their names, with the name, the number of metrics and the sum. The name is a month in which metrics ended,
 * or the first and last day within a month (two digits each). Each metric changes a line or two, so lines are quicker than JSON.
 */
type SumLines = string;

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

/** A month in keys. */
export const monthKey = (month: string): string => month.slice(0, 4) + month.slice(5);
/** The month at the end of a key. */
export const monthIn = (key: string): string => `${key.slice(-6, -2)}-${key.slice(-2)}`;

/** `of`: the {@link memberSeriesKey}, shared by the keys of months and days. */
type MonthId = Readonly<{ of: string; firstMonth: string }>;
type MeasureId = SeriesRef & Readonly<{ firstDay: Day; lastDay: Day; sortKey: string }>;

const owner = firstPart(PROJECT);

/** Sums of the metrics that began in a month, by the month in which they ended; of those that ended in the same month also by days. */
export const months = collection<SumLines, MonthId>('months', {
  key: ({ of, firstMonth }) => `${of}/${monthKey(firstMonth)}`,
  codec: textCodec,
  owner,
});

/** Sums of the metrics that began in a month and ended in a later one, by days. At most 961 lines. */
export const days = collection<SumLines, MonthId & Readonly<{ lastMonth: string }>>('days', {
  key: ({ of, firstMonth, lastMonth }) => `${of}/${monthKey(firstMonth)}${monthKey(lastMonth)}`,
  codec: textCodec,
  owner,
});

/** Name of the line of the metrics that began on one day and ended on one. */
export const daysLine = ({ firstDay, lastDay }: Units): string => `${firstDay.slice(MONTH + 1)} ${lastDay.slice(MONTH + 1)}`;
/** Digits of a day, and length of the name of such a line. */
const [DAY_DIGITS, DAYS_LINE] = [2, 5];

/** The bucket in a line, after a name of so many characters. */
const bucketIn = (line: string, name: number): Bucket => {
  const [count, sum = '0'] = line.slice(name + 1).split(' ');
  return [Number(count), sum];
};

/** The lines after a bucket has changed. `undefined` if none is left. */
export const changedLines = (
  text: SumLines | undefined,
  name: string,
  change: (before: Bucket | undefined) => Bucket | undefined,
): SumLines | undefined => {
  const lines = text === undefined ? [] : text.split('\n');
  const at = lines.findIndex((line) => line >= name);
  const place = at < 0 ? lines.length : at;
  const isThere = lines[place]?.startsWith(name) ?? false;
  const after = change(isThere ? bucketIn(lines[place] ?? '', name.length) : undefined);
  lines.splice(place, isThere ? 1 : 0, ...(after ? [`${name} ${after.join(' ')}`] : []));
  return lines.length > 0 ? lines.join('\n') : undefined;
};

const isOfDays = (line: string): boolean => line.charAt(DAY_DIGITS) === ' ';

/** The buckets by the month in which metrics ended. */
export const bucketsByMonth = (text: SumLines): Buckets =>
  Object.fromEntries(text.split('\n').flatMap((line) => (isOfDays(line) ? [] : [[line.slice(0, MONTH), bucketIn(line, MONTH)] as const])));

/** The buckets by the first day, then by the last one. */
export const bucketsByDay = (
  text: SumLines,
  { firstMonth, lastMonth }: Pick<Units, 'firstMonth' | 'lastMonth'>,
): ReadonlyMap<Day, Buckets> => {
  const byDay = new Map<Day, Record<string, Bucket>>();
  for (const line of text.split('\n')) {
    if (!isOfDays(line)) continue;
    const [first = '', last = ''] = line.split(' ');
    const buckets: Record<string, Bucket> = getOrInsert(byDay, `${firstMonth}-${first}`, () => ({}));
    buckets[`${lastMonth}-${last}`] = bucketIn(line, DAYS_LINE);
  }
  return byDay;
};

/** Length of a day in keys. */
export const DAY_KEY = 8;
/** A day, or that of an instant, in keys. Days compare as text. */
export const dayKey = (day: string): string => day.slice(0, 4) + day.slice(5, MONTH) + day.slice(MONTH + 1, DAY);

/** First and last day of metrics in keys. */
export const daysKey = (firstDay: Day, lastDay: Day): string => dayKey(firstDay) + (firstDay === lastDay ? '' : dayKey(lastDay));

/** The metrics of a series by their days. */
export const measures = list<MeasureId>('measures', {
  key: ({ projectId, series, firstDay, lastDay, sortKey }) => `${keyOf(projectId)}/${series}/${daysKey(firstDay, lastDay)}/${sortKey}`,
  owner,
});
