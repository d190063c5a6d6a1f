import { type Cause, newestCause } from '#domain/shared/causation.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { type MetricResultsRecorded, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import type { ChangeCause } from '#domain/status/notifications/announced-statuses.js';
import type { FoundChange, RecordStatusChanges } from '#domain/status/notifications/status-changes.js';
import { streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';

type Log = Pick<EventStore, 'readStream'>;

const recomputationIn = (cause: ChangeCause): string | undefined => {
  if (cause.type === 'endpoint') return recomputationIn(cause.cause);
  return cause.type === 'recomputation' ? cause.id : undefined;
};

/** The event with the metric result, or the newest one of the recomputation; `null` if the change has another cause. */
const causeOfChange = async (log: Log, tenantId: string, { source, since, cause }: FoundChange): Promise<Cause | null> => {
  const recomputation = recomputationIn(cause);
  if (recomputation !== undefined) return newestCause(log, streamOfRecomputation(recomputation));
  if (!source) return null;
  const { service, hostname, metric } = source;
  return newestCause(log, streamOfMetricData(tenantId, hostname), ({ type, data }) => {
    if (type !== 'MetricResultsRecorded') return false;
    const { results } = data as MetricResultsRecorded['data'];
    return results.some((one) => one.timestamp === since && one.service === service && one.metric === metric);
  });
};

/** The event that led to the first change with such an event. @throws the errors of the log */
export const causeOfChanges = async (
  log: Log,
  { tenantId, changes }: Pick<RecordStatusChanges, 'tenantId' | 'changes'>,
): Promise<Cause | null> => {
  const first = changes.find(({ source, cause }) => source !== undefined || recomputationIn(cause) !== undefined);
  return first ? causeOfChange(log, tenantId, first) : null;
};
