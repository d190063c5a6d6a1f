import { type Instant, lastDayBefore } from '#domain/accounting/metrics/instants.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import type { Day } from '#domain/shared/time.js';
import { dayOf } from '#domain/shared/time.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart } from '#projections/shared/partitions.js';
import type { SeriesRef } from './documents.js';

/** Lengths of the prefixes of an instant that name the month and the day. */
export const MONTH = 7;
export const DAY = 10;

/** Metrics that began in one month (or day) and ended in one: their number, and the exact sum of their values as text. */
export type Bucket = Readonly<{ count: number; sum: string }>;
/** Metrics that began in one month (or day), by the month (or day) in which they ended. */
export type Buckets = Readonly<Record<string, Bucket>>;

/** The members of a metric that decide whether it counts for a period, and its value. */
export type Measure = Readonly<{ start: Instant; end: Instant; value: string; groupId: string | null; userKey?: string }>;

/** The months and days in which a metric begins and ends. The end is exclusive: midnight ends the previous day. */
export type Units = Readonly<{ firstMonth: string; lastMonth: string; firstDay: Day; lastDay: Day }>;

export const unitsOf = ({ periodStart, periodEnd }: Pick<Metric, 'periodStart' | 'periodEnd'>): Units => {
  const [firstDay, lastDay] = [dayOf(periodStart), lastDayBefore(periodEnd)];
  return { firstMonth: firstDay.slice(0, MONTH), lastMonth: lastDay.slice(0, MONTH), firstDay, lastDay };
};

/** The metrics of a series that count for all, or for one group or user. */
export type MemberSeries = SeriesRef & Readonly<{ member: string }>;

/** Prefix of the keys of all months and days of a series. */
export const memberSeriesKey = ({ projectId, installationId, member, definitionId }: MemberSeries): string =>
  keyOf(projectId, installationId, member, definitionId);

/** Prefix of the keys of all measures of a series. */
export const seriesKey = ({ projectId, installationId, definitionId }: SeriesRef): string => keyOf(projectId, installationId, definitionId);

/** `series`: the {@link memberSeriesKey}, shared by the keys of months and days. */
type MonthId = Readonly<{ series: string; firstMonth: string }>;
type DayId = MonthId & Readonly<{ lastMonth: string; firstDay: Day }>;
type MeasureId = Readonly<{ series: SeriesRef; firstDay: Day; lastDay: Day; sortKey: string }>;

const owner = firstPart(PROJECT);

/** Sums of the metrics that began in a month, by the month in which they ended. */
export const months = collection<Buckets, MonthId>('months', {
  key: ({ series, firstMonth }) => `${series}/${firstMonth}`,
  owner,
});

/** Sums of the metrics that began on a day and ended in a month, by the day on which they ended. */
export const days = collection<Buckets, DayId>('days', {
  key: ({ series, firstMonth, lastMonth, firstDay }) => `${series}/${firstMonth}/${lastMonth}/${firstDay}`,
  owner,
});

/** Single metrics of a series by their days. */
export const measures = collection<Measure, MeasureId>('measures', {
  key: ({ series, firstDay, lastDay, sortKey }) => `${seriesKey(series)}/${firstDay}/${lastDay}/${sortKey}`,
  owner,
});
