import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import type { DayConfiguration } from '#projections/status/results/configuration.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';
import type { ReportSettings } from '#projections/status/results/report-settings.js';
import { monthsOf } from '#projections/status/results/span.js';
import type { DayComputerParts } from './day-computer.js';
import type { Proof, ReportDay, ResultsStore } from './results-store.js';
import { stampOfPoints } from './stamps.js';

type WrongDaysParts = Pick<DayComputerParts, 'reader' | 'now'> & Readonly<{ store: Pick<ResultsStore, 'days' | 'remove'> }>;

/** Number of days before today that are computed without a request. */
const HORIZON_DAYS = 62;
const DAY_MS = 86_400_000;

type Stored = ReadonlyMap<Day, ReportDay & Proof>;
type PointStamps = ReadonlyMap<Day, string>;

const holds = (known: Proof | undefined, { day, stamp }: DayConfiguration, points: PointStamps): boolean =>
  known?.plan === stamp && known.points === stampOfPoints(points, day) && known.seconds === DAY_SECONDS;

/**
 * The past days of a report whose stored results are outdated, or that are within the last two months and not stored; newest first. Removes
 * days that can no longer be computed. Costs a few range reads per month.
 */
export const wrongDays = async (parts: WrongDaysParts, settings: ReportSettings): Promise<readonly Day[]> => {
  const { tenantId, id: report } = settings;
  const stored: Stored = new Map(Array.from(parts.store.days({ tenantId, report }), (day) => [day.day, day]));
  const yesterday = dayBefore(dayAt(parts.now()));
  const horizon = dayAt(Date.parse(yesterday) - HORIZON_DAYS * DAY_MS);
  const [from = horizon] = [horizon, ...stored.keys()].sort();
  const wrong: Day[] = [];
  for (const month of monthsOf({ from, to: yesterday })) wrong.push(...(await wrongIn(month, horizon, stored, parts, settings)));
  return wrong.sort().reverse();
};

const wrongIn = async (
  month: DaySpan,
  horizon: Day,
  stored: Stored,
  { reader, store }: WrongDaysParts,
  settings: ReportSettings,
): Promise<readonly Day[]> => {
  const { tenantId, id: report } = settings;
  const configurations = await reader.configurations.during(settings, month);
  const points = await reader.points.stamps(tenantId, dayBefore(month.from), month.to, new TimeSlice());
  const gone = [...stored.keys()].filter((day) => day >= month.from && day <= month.to && !configurations.has(day));
  store.remove(gone.map((day) => ({ tenantId, report, day })));
  return [...configurations.values()].flatMap((configuration) => {
    const { day } = configuration;
    const isBlank = !points.has(day) && !points.has(dayBefore(day));
    const isWanted = stored.has(day) || day >= horizon;
    return isBlank || !isWanted || holds(stored.get(day), configuration, points) ? [] : [day];
  });
};
