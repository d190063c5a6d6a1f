import { commandWith } from '#api/shared/commands/command-of.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { WriteOutcome } from '#api/status/answers/written.js';
import {
  keyedMetricData,
  METRIC_DATA_CATEGORY,
  metricData,
  type ResultsOfEvent,
  streamOfKeyedCall,
  streamOfMetricData,
} from '#domain/status/metric-data/metric-data.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { leftByEarlierRelease } from './recorded-results.js';

/** The valid results of one call, divided into events. */
export type SubmittedResults = Readonly<{ count: number; events: readonly ResultsOfEvent[] }>;

/** Records metric results in one append: all of them or, if the stores fail, none. */
export class RecordMetricResults extends commandWith(
  [ReadModels, EVENT_STORE],
  async (
    { tenantId, submitted }: Readonly<{ tenantId: string; submitted: SubmittedResults }>,
    { context, gateway },
    readModels,
    log,
  ): Promise<WriteOutcome> => {
    const record = { type: 'RecordMetricResults', tenantId, events: submitted.events } as const;
    const { idempotency, time } = context;
    if (submitted.count === 0) return { readable: true };
    if (!idempotency) {
      const { readable } = await gateway.execute({ stream: streamOfMetricData(tenantId), decider: metricData, context, command: record });
      return { readable };
    }
    const events = await leftByEarlierRelease(log, { tenantId, idempotency, time }, submitted.events);
    if (events.length === 0) return { readable: await readModels.current(METRIC_DATA_CATEGORY) };
    const stream = streamOfKeyedCall(tenantId, idempotency.key);
    const { readable } = await gateway.execute({ stream, decider: keyedMetricData, context, command: { ...record, events } });
    return { readable };
  },
) {}
