import { type Instant, lastDayBefore } from '#domain/accounting/metrics/instants.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import type { Day } from '#domain/shared/time.js';
import { dayOf } from '#domain/shared/time.js';
import { PROJECT } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart } from '#projections/shared/partitions.js';
import type { SeriesRef } from './documents.js';

/** How many characters of an instant name the month, and the day. */
export const MONTH = 7;
export const DAY = 10;

/** Metrics that began in one month (or day) and ended in one: how many, and the exact sum of their values as text. */
export type Bucket = Readonly<{ count: number; sum: string }>;
/** The metrics that began in one month (or day), by the month (or day) in which they ended. */
export type Buckets = Readonly<Record<string, Bucket>>;

/** What decides whether a metric counts for a period, and its value. */
export type Measure = Readonly<{ start: Instant; end: Instant; value: string; groupId: string | null; userKey?: string }>;

/** The months and days in which a metric begins and ends. An end counts for the moment before it: midnight ends a day. */
export type Units = Readonly<{ firstMonth: string; lastMonth: string; firstDay: Day; lastDay: Day }>;

export const unitsOf = ({ periodStart, periodEnd }: Pick<Metric, 'periodStart' | 'periodEnd'>): Units => {
  const [firstDay, lastDay] = [dayOf(periodStart), lastDayBefore(periodEnd)];
  return { firstMonth: firstDay.slice(0, MONTH), lastMonth: lastDay.slice(0, MONTH), firstDay, lastDay };
};

/** The metrics of a series that count for everybody, or for one group or user. */
export type MemberSeries = SeriesRef & Readonly<{ member: string }>;

/** Start of the keys of all months, and days, of a series. */
export const memberSeriesKey = ({ projectId, installationId, member, definitionId }: MemberSeries): string =>
  keyOf(projectId, installationId, member, definitionId);

/** Start of the keys of all measures of a series. */
export const seriesKey = ({ projectId, installationId, definitionId }: SeriesRef): string => keyOf(projectId, installationId, definitionId);

/** `series`: the {@link memberSeriesKey}, which the keys of months and days share. */
type MonthId = Readonly<{ series: string; firstMonth: string }>;
type DayId = MonthId & Readonly<{ lastMonth: string; firstDay: Day }>;
type MeasureId = Readonly<{ series: SeriesRef; firstDay: Day; lastDay: Day; sortKey: string }>;

const owner = firstPart(PROJECT);

/** Sums of the metrics that began in a month, by the last month. */
export const months = collection<Buckets, MonthId>('months', {
  key: ({ series, firstMonth }) => `${series}/${firstMonth}`,
  owner,
});

/** Sums of the metrics that began on a day and ended in a month, by the last day. */
export const days = collection<Buckets, DayId>('days', {
  key: ({ series, firstMonth, lastMonth, firstDay }) => `${series}/${firstMonth}/${lastMonth}/${firstDay}`,
  owner,
});

/** Every single metric of a series by its days. */
export const measures = collection<Measure, MeasureId>('measures', {
  key: ({ series, firstDay, lastDay, sortKey }) => `${seriesKey(series)}/${firstDay}/${lastDay}/${sortKey}`,
  owner,
});
