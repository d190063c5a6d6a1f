import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { WriteOutcome } from '#api/status/answers/written.js';
import type { EventStore } from '#domain/shared/event-store.js';
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
export class RecordMetricResults extends CommandWith<Readonly<{ tenantId: string; submitted: SubmittedResults }>, WriteOutcome> {}

type Parts = Readonly<{
  gateway: CommandGateway;
  readModels: Pick<ReadModels, 'current'>;
  log: Pick<EventStore, 'readStream'>;
}>;

const recordCall = async (
  { context, data: { tenantId, submitted } }: RecordMetricResults,
  { gateway, readModels, log }: Parts,
): Promise<WriteOutcome> => {
  const record = { type: 'RecordMetricResults', tenantId, events: submitted.events } as const;
  const { idempotency, time } = context;
  if (submitted.count === 0) return { readable: true };
  if (!idempotency) return gateway.execute({ stream: streamOfMetricData(tenantId), decider: metricData, context, command: record });
  const events = await leftByEarlierRelease(log, { tenantId, idempotency, time }, submitted.events);
  if (events.length === 0) return { readable: await readModels.current(METRIC_DATA_CATEGORY) };
  const stream = streamOfKeyedCall(tenantId, idempotency.key);
  return gateway.execute({ stream, decider: keyedMetricData, context, command: { ...record, events } });
};

export const metricDataHandlers: readonly Provider[] = [
  handles(RecordMetricResults, [CommandGateway, ReadModels, EVENT_STORE], async (call, gateway, readModels, log) => {
    const { readable } = await recordCall(call, { gateway, readModels, log });
    return { readable };
  }),
];
