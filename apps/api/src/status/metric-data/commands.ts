import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import type { WriteOutcome } from '#api/status/written.js';
import {
  type MetricResult,
  metricCalls,
  metricData,
  streamOfMetricCall,
  streamOfMetricData,
} from '#domain/status/metric-data/metric-data.js';

/** Results of one host in one event. */
export type HostResults = Readonly<{ host: string; results: readonly MetricResult[] }>;

/** The valid results of one call. `groups` yields the same groups every time, each created on demand. */
export type SubmittedResults = Readonly<{ count: number; groups(): Iterable<HostResults> }>;

/** Events per write: each has up to 32 results, and the read models apply them together. */
const AT_A_TIME = 12;

/** Records metric results, each in the stream of its host. Not atomic: if the stores fail halfway, a repeat with the same key records the rest. */
export class RecordMetricResults extends CommandWith<Readonly<{ tenantId: string; submitted: SubmittedResults }>, WriteOutcome> {}

/** The commands of a call. A repeat of the call has the same ones, so each is identified by the idempotency key and its number. */
function* recordings({ context: { idempotency, ...context }, data: { tenantId, submitted } }: RecordMetricResults) {
  let number = 0;
  for (const { host, results } of submitted.groups()) {
    const known = idempotency && { idempotency: { ...idempotency, key: `${idempotency.key}.${number}` } };
    const command = { type: 'RecordMetricResults', tenantId, host, results } as const;
    yield { stream: streamOfMetricData(tenantId, host), command, context: { ...context, ...known } };
    number++;
  }
}

export const metricDataHandlers: readonly Provider[] = [
  handles(RecordMetricResults, [CommandGateway], async (call, gateway) => {
    const { context, data } = call;
    if (context.idempotency) {
      // There a reuse of the key with another body is detected before any host's stream is written.
      const stream = streamOfMetricCall(context.idempotency.key);
      const command = { type: 'SubmitMetricData', tenantId: data.tenantId, results: data.submitted.count } as const;
      await gateway.execute({ stream, decider: metricCalls, context, command });
    }
    return { readable: await gateway.executeAll(metricData, recordings(call), AT_A_TIME) };
  }),
];
