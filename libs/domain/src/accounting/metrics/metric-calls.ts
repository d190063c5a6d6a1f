import type { Decider } from '#domain/shared/decider.js';
import type { MetricCallEvent } from './metric-events.js';

type MetricCallCommand = Readonly<{ type: 'SubmitMetric'; metricId: string }>;

/** Each call with an `Idempotency-Key` has a stream of its own, where a repeat finds the id that the metric got the first time. */
export const metricCalls: Decider<null, MetricCallCommand, MetricCallEvent> = {
  window: 0,
  initialState: () => null,
  decide: ({ metricId }) => [{ type: 'MetricSubmitted', data: { metricId } }],
  evolve: (state) => state,
};
