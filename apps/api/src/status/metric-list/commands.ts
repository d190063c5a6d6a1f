import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { WriteOutcome } from '#api/status/written.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { type ListedMetric, METRIC_LIST_STREAM, metricList } from '#domain/status/metric-list/metric-list.js';

/** Replaces the metric list that all tenants share. */
export class ReplaceMetricList extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly metrics: readonly ListedMetric[],
  ) {
    super();
  }
}

@CommandHandler(ReplaceMetricList)
class ReplaceMetricListHandler implements ICommandHandler<ReplaceMetricList> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, metrics }: ReplaceMetricList): Promise<WriteOutcome> {
    const command = { type: 'ReplaceMetricList', metrics } as const;
    return this.gateway.execute({ stream: METRIC_LIST_STREAM, decider: metricList, context, command });
  }
}

export const metricListHandlers: readonly Type[] = [ReplaceMetricListHandler];
