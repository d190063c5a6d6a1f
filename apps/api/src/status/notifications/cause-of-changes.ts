import { type Cause, causeOf, newestCause } from '#domain/shared/causation.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { type Day, dayOf, secondOfDay } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { METRIC_DATA_CATEGORY } from '#domain/status/metric-data/metric-data.js';
import type { ChangeCause } from '#domain/status/notifications/announced-statuses.js';
import type { ChangeSource, FoundChange, GroupOfReport, RecordStatusChanges } from '#domain/status/notifications/status-changes.js';
import { streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';
import type { Plan } from '#domain/status/results/plan.js';
import { countsIn } from '#domain/status/results/point-uses.js';
import type { PointQueries } from '#projections/status/metric-results/point-queries.js';

/** `points`: known results with their positions. `plan`: finds the plan of the report for a day; `undefined` if it cannot be computed. */
type Sources = Readonly<{
  log: Pick<EventStore, 'readStream' | 'readAll'>;
  points: Pick<PointQueries, 'ofEndpoint'>;
  plan: (day: Day) => Promise<Plan | undefined>;
}>;

const recomputationIn = (cause: ChangeCause): string | undefined => {
  if (cause.type === 'endpoint') return recomputationIn(cause.cause);
  return cause.type === 'recomputation' ? cause.id : undefined;
};

/** The event with the result of a metric that counts in the group at an instant; `null` if there is none. */
const causeOfResult = async (
  { log, points, plan: planOf }: Sources,
  { tenantId, group }: GroupOfReport,
  { service, hostname, metric }: ChangeSource,
  instant: string,
): Promise<Cause | null> => {
  const results = (await points.ofEndpoint(tenantId, dayOf(instant), hostname, service, new TimeSlice())).get(metric);
  const plan = await planOf(dayOf(instant));
  const result = plan && results?.filter(({ at }) => at === secondOfDay(instant)).findLast(countsIn(plan, group));
  if (!result) return null;
  const position = BigInt(result.position);
  const { events } = await log.readAll({ after: position - 1n, categories: [METRIC_DATA_CATEGORY], limit: 1 });
  return events[0]?.position === position ? causeOf(events[0]) : null;
};

/** The event with the metric result, or the newest one of the recomputation; `null` if the change has another cause. */
const causeOfChange = async (sources: Sources, group: GroupOfReport, { source, since, cause }: FoundChange): Promise<Cause | null> => {
  const recomputation = recomputationIn(cause);
  if (recomputation !== undefined) return newestCause(sources.log, streamOfRecomputation(recomputation));
  return source ? causeOfResult(sources, group, source, since) : null;
};

/** The event that led to the first change with such an event. @throws the errors of the stores */
export const causeOfChanges = async (
  sources: Sources,
  { changes, ...group }: GroupOfReport & Pick<RecordStatusChanges, 'changes'>,
): Promise<Cause | null> => {
  const first = changes.find(({ source, cause }) => source !== undefined || recomputationIn(cause) !== undefined);
  return first ? causeOfChange(sources, group, first) : null;
};
