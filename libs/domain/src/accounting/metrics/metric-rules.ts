import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { Metric, MetricCopies, MetricEvent } from './metric-events.js';
import { type GivenPeriod, newPeriod, revisedPeriod } from './metric-period.js';

/** `null` leaves a member unchanged. An empty group or user replaces the old one. */
export type MetricChanges = Readonly<{
  definitionId: string | null;
  value: string | null;
  groupId: string | null;
  userId: string | null;
}>;

type OfMetric = Readonly<{ metricId: string; installationId: string }>;

/** `now`: instant of the command. The period must not end after it. */
export type MetricCommand =
  | Readonly<{
      type: 'RecordMetric';
      metric: Omit<Metric, 'periodStart' | 'periodEnd'>;
      period: GivenPeriod;
      copies: MetricCopies;
      now: string;
    }>
  /** `fence`: the metric's fence before its new definition was held. Absent: no definition is held, so the definition cannot change. */
  | (Readonly<{ type: 'ReviseMetric'; changes: MetricChanges; period: GivenPeriod; now: string; fence?: number }> & OfMetric)
  /** Rejects a pending change of the definition from now on. Ignored if the metric is removed. */
  | Readonly<{ type: 'ForestallRevision'; metricId: string }>
  | (Readonly<{ type: 'RemoveMetric' }> & OfMetric)
  /** Records nothing. Rejects unless the metric exists, even if the read models do not show it yet. */
  | (Readonly<{ type: 'RequireMetric' }> & OfMetric);

/** `metric`: `undefined` before it is recorded and after it is removed. `used`: whether the stream ever had a metric. `fence`: absent for 0. */
type MetricState = Readonly<{ metric?: Metric; used: boolean; fence?: number }>;

/** Copies only the members of a metric. */
const metricOf = (metric: Metric): Metric => {
  const { metricId, projectId, providerId, installationId, definitionId, periodStart, periodEnd, value, groupId, userId } = metric;
  return { metricId, projectId, providerId, installationId, definitionId, periodStart, periodEnd, value, groupId, userId };
};

const known = ({ metric }: MetricState, { metricId, installationId }: OfMetric): Metric => {
  if (metric?.installationId !== installationId) throw new DomainError('METRIC_NOT_FOUND', { metricId });
  return metric;
};

const record = (
  { metric, period, copies, now }: Extract<MetricCommand, { type: 'RecordMetric' }>,
  { used }: MetricState,
): readonly MetricEvent[] => {
  if (used) throw new DomainError('METRIC_ID_USED');
  const { metricId, projectId, providerId, installationId, definitionId, value, groupId, userId } = metric;
  const { start: periodStart, end: periodEnd } = newPeriod(period, now);
  const { projectAcronym, installation, infrastructure, resource, creatorId } = copies;
  return [
    {
      type: 'MetricRecorded',
      // Listed one by one, because a spread with additional members costs microseconds in V8.
      data: {
        metricId,
        projectId,
        providerId,
        installationId,
        definitionId,
        periodStart,
        periodEnd,
        value,
        groupId,
        userId,
        projectAcronym,
        installation,
        infrastructure,
        resource,
        creatorId,
      },
    },
  ];
};

const revisedTo = (after: Metric, before: Metric, fence: number): MetricEvent => ({
  type: 'MetricRevised',
  data: { ...metricOf(after), before, ...(fence > 0 && { fence }) },
});

const revise = (command: Extract<MetricCommand, { type: 'ReviseMetric' }>, state: MetricState): readonly MetricEvent[] => {
  const { changes, period, now } = command;
  const before = known(state, command);
  const { start, end } = revisedPeriod({ start: before.periodStart, end: before.periodEnd }, period, now);
  const after: Metric = {
    ...before,
    definitionId: changes.definitionId ?? before.definitionId,
    periodStart: start,
    periodEnd: end,
    value: changes.value ?? before.value,
    groupId: changes.groupId ?? before.groupId,
    userId: changes.userId ?? before.userId,
  };
  const { fence = 0 } = state;
  if (after.definitionId !== before.definitionId && fence !== command.fence) throw new DomainError('REFERENCE_FENCED');
  const same = JSON.stringify(metricOf(after)) === JSON.stringify(before);
  return same ? [] : [revisedTo(after, before, fence)];
};

/**
 * The rules of one metric (accounting contract 3.4). Rejects with `METRIC_ID_USED` for a new metric; `METRIC_NOT_FOUND` for an old one, also if it
 * belongs to another installation; the errors of its period; and `REFERENCE_FENCED` for a change of the definition that was forestalled or is not
 * held.
 */
export const metricRecord: Decider<MetricState, MetricCommand, MetricEvent> = {
  window: 1,
  initialState: () => ({ used: false }),
  decide: (command, state) => {
    switch (command.type) {
      case 'RecordMetric':
        return record(command, state);
      case 'ReviseMetric':
        return revise(command, state);
      case 'ForestallRevision':
        return state.metric ? [revisedTo(state.metric, state.metric, (state.fence ?? 0) + 1)] : [];
      case 'RemoveMetric':
        return [{ type: 'MetricRemoved', data: known(state, command) }];
      case 'RequireMetric':
        known(state, command);
        return [];
    }
  },
  evolve: (_state, { type, data }) => {
    if (type === 'MetricRemoved') return { used: true };
    const fence = 'fence' in data ? data.fence : undefined;
    return { used: true, metric: metricOf(data), ...(fence !== undefined && { fence }) };
  },
};
