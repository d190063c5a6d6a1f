import type { Decider } from '#domain/shared/decider.js';
import type { MetricCallEvent } from './metric-events.js';

type MetricCallCommand = Readonly<{ type: 'SubmitMetric'; metricId: string }>;

/** Each call with an `Idempotency-Key` has its own stream, from which a repeat reads the metric id of the first call. */
export const metricCalls: Decider<null, MetricCallCommand, MetricCallEvent> = {
  window: 0,
  initialState: () => null,
  decide: ({ metricId }) => [{ type: 'MetricSubmitted', data: { metricId } }],
  evolve: (state) => state,
};
