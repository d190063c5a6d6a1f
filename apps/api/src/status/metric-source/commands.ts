import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import * as errors from '#api/status/errors.js';
import type { WriteOutcome } from '#api/status/written.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { metricBatches, streamOfMetricBatches } from '#domain/status/metric-source/metric-batches.js';
import { type MetricSource, metricSources, streamOfMetricSource } from '#domain/status/metric-source/metric-source.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { MetricSourceQueries } from '#projections/status/metric-source/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

/** A source as callers name it; `deadLetterTopic` empty: none. */
export type NamedSource = Readonly<{ project: string; subscription: string; deadLetterTopic: string }>;

/**
 * Connects a tenant with the subscription from which its metric data come.
 * @throws StatusError `E404` without the tenant, `E422` for a source that does not exist or cannot be pulled, `E409` if another tenant has it
 */
export class ConnectMetricSource extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly named: NamedSource,
  ) {
    super();
  }
}

@CommandHandler(ConnectMetricSource)
class ConnectMetricSourceHandler implements ICommandHandler<ConnectMetricSource> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly tenants: TenantQueries,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly sources: MetricSourceQueries,
  ) {}

  async execute({ context, tenantId, named }: ConnectMetricSource): Promise<WriteOutcome> {
    if (!(await this.tenants.tenant(tenantId))) throw errors.notFound();
    const source = await this.sourceOf(named);
    const all = await this.sources.all(new TimeSlice());
    const isTaken = all.some(
      (other) =>
        other.tenantId !== tenantId && other.source.projectId === source.projectId && other.source.subscription === source.subscription,
    );
    if (isTaken) throw errors.conflict(`Subscription ${named.subscription} is the metric source of another tenant`);
    const stream = streamOfMetricSource(tenantId);
    return this.gateway.execute({ stream, decider: metricSources, context, command: { type: 'ConnectMetricSource', tenantId, source } });
  }

  private async sourceOf({ project: projectName, subscription: name, deadLetterTopic }: NamedSource): Promise<MetricSource> {
    const project = await this.accounts.projectNamed(projectName);
    if (!project) throw errors.unprocessable(`Project ${projectName} does not exist`);
    const { projectId } = project;
    const subscription = await this.resources.subscription(projectId, name);
    if (!subscription) throw errors.unprocessable(`Subscription ${name} does not exist in project ${projectName}`);
    if (subscription.push) throw errors.unprocessable(`Subscription ${name} is in push mode`);
    if (deadLetterTopic === '') return { projectId, subscription: name };
    if (!(await this.resources.topic(projectId, deadLetterTopic)))
      throw errors.unprocessable(`Topic ${deadLetterTopic} does not exist in project ${projectName}`);
    if (deadLetterTopic === subscription.topic)
      throw errors.unprocessable(`Topic ${deadLetterTopic} is the one that the subscription reads`);
    return { projectId, subscription: name, deadLetterTopic };
  }
}

/** Ends the connection of a tenant with its subscription, which keeps what was not pulled. @throws StatusError `E404` if there is none */
export class DisconnectMetricSource extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
  ) {
    super();
  }
}

@CommandHandler(DisconnectMetricSource)
class DisconnectMetricSourceHandler implements ICommandHandler<DisconnectMetricSource> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly sources: MetricSourceQueries,
  ) {}

  async execute({ context, tenantId }: DisconnectMetricSource): Promise<WriteOutcome> {
    if (!(await this.sources.source(tenantId))) throw errors.notFound();
    const stream = streamOfMetricSource(tenantId);
    return this.gateway.execute({ stream, decider: metricSources, context, command: { type: 'DisconnectMetricSource', tenantId } });
  }
}

/**
 * Has messages taken up again that were set aside since an instant (`YYYY-MM-DDTHH:MM:SSZ`; empty: ever), in batches, by whoever works on the source. One
 * wish at a time: it takes the place of one that is under way. @throws StatusError `E404` without a source
 */
export class RetryMetricMessages extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly since: string,
  ) {
    super();
  }
}

@CommandHandler(RetryMetricMessages)
class RetryMetricMessagesHandler implements ICommandHandler<RetryMetricMessages> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly sources: MetricSourceQueries,
  ) {}

  async execute({ context, tenantId, since }: RetryMetricMessages): Promise<WriteOutcome> {
    if (!(await this.sources.source(tenantId))) throw errors.notFound();
    const stream = streamOfMetricBatches(tenantId);
    return this.gateway.execute({ stream, decider: metricBatches, context, command: { type: 'RequestRetry', tenantId, since } });
  }
}

export const metricSourceHandlers: readonly Type[] = [
  ConnectMetricSourceHandler,
  DisconnectMetricSourceHandler,
  RetryMetricMessagesHandler,
];
