import type { Day } from '#domain/shared/time.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import { unlessIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PointQueries } from '#projections/status/metric-results/point-queries.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';
import { placeIn } from '#projections/status/sequence.js';

/** `at`: log time at which the last point of the day arrived, `YYYY-MM-DDTHH:MM:SSZ`. */
export type LateDay = Readonly<{ day: Day; at: string }>;

type Sources = Readonly<{ points: Pick<PointQueries, 'stamps' | 'lastOf'>; index: Pick<AuditIndex, 'indexAt' | 'event'> }>;

const DAY_MS = 86_400_000;
/** Engines send results in batches: those of the last minutes of a day arrive on the next one, which is no news. */
const USUAL_MS = 3_600_000;

/** Days of a tenant whose last point arrived more than an hour after they had ended. Without an index of the log, or before it is built, none are known. */
export const lateDays = async ({ points, index }: Sources, tenantId: string, span: DaySpan, slice: Slice): Promise<readonly LateDay[]> => {
  const stamps = await points.stamps(tenantId, span.from, span.to, slice);
  /** `null` if it is not late. */
  const lateArrival = (day: Day, position: number): number | null => {
    const found = index.indexAt(BigInt(position));
    const arrival = found === null ? 0 : index.event(found).logTime;
    return arrival > Date.parse(day) + DAY_MS + USUAL_MS ? arrival : null;
  };
  return unlessIncomplete(async () => {
    const late: LateDay[] = [];
    for (const [day, stamp] of stamps) {
      if (lateArrival(day, placeIn(stamp).position) === null) continue;
      const arrival = lateArrival(day, await points.lastOf(tenantId, day, stamp, slice));
      if (arrival !== null) late.push({ day, at: `${new Date(arrival).toISOString().slice(0, 19)}Z` });
    }
    return late;
  }, []);
};
