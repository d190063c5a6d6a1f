import { CommandBus } from '@nestjs/cqrs';
import { type Infer, named, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { done, json, listOf } from '#api/status/answers/answers.js';
import { WorkProblems } from '#api/status/background-work.js';
import { dueText, textOf } from '#api/status/bodies.js';
import * as errors from '#api/status/errors.js';
import { lists, says } from '#api/status/openapi/envelopes.js';
import { Admin, type AdminCall } from '#api/status/parameters.js';
import { TENANT_ID } from '#api/status/queries.js';
import { routesWith, StatusController, SUPER } from '#api/status/route.js';
import type { Static } from '#domain/shared/shape.js';
import { zuluSecond } from '#domain/shared/time.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { MetricSourceQueries } from '#projections/status/metric-source/queries.js';
import { ConnectMetricSource, DisconnectMetricSource, RetryMetricMessages } from './commands.js';
import { METRIC_SOURCE_LEASE } from './metric-source-service.js';
import { METRIC_SOURCE } from './openapi.js';

const metricSourceBody = named(
  'StatusMetricSourceRequest',
  struct({
    project: dueText('name of a project of the messaging service'),
    subscription: dueText('name of a subscription that is pulled'),
    dead_letter_topic: text,
  }),
);
const retryBody = named(
  'StatusMetricSourceRetryRequest',
  struct({ since: textOf('when they were set aside at the earliest: an instant; default ever') }),
);

const DONE = {
  put: 'Metric source successfully updated',
  delete: 'Metric source successfully deleted',
  retry: 'Messages set aside are taken up again',
} as const;

const { Delete, Get, Post, Put } = routesWith({ who: SUPER, path: TENANT_ID });

/** The subscription with a tenant's metric data (docs/running/services.md). */
@StatusController('api/v2/admin/tenants/:id/metric-source', 'status: tenants')
export class MetricSourceController {
  constructor(
    private readonly bus: CommandBus,
    private readonly sources: MetricSourceQueries,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly offsets: OffsetQueries,
    private readonly problems: WorkProblems,
  ) {}

  @Get('', {
    id: 'getMetricSource',
    summary: 'The metric source of a tenant, and how far its messages were taken up',
    description:
      'Counts of messages and points are totals over all sources of the tenant: each message counts as what became of it last; `lag` is what the subscription has not acknowledged.',
    answers: lists(METRIC_SOURCE),
  })
  async get(@Admin() call: AdminCall): Promise<Answer> {
    const { tenantId } = call;
    const [source, progress] = await Promise.all([this.sources.source(tenantId), this.sources.progress(tenantId)]);
    if (!source) throw errors.notFound();
    const [project, lag, problem] = await Promise.all([
      this.accounts.project(source.projectId),
      this.lagOf(source),
      this.problems.of(METRIC_SOURCE_LEASE, tenantId),
    ]);
    const { flaw } = progress;
    return json(
      listOf([
        {
          project: project?.name ?? '',
          subscription: source.subscription,
          dead_letter_topic: source.deadLetterTopic ?? '',
          received: progress.received,
          ingested: progress.ingested,
          points: progress.points,
          dead_lettered: progress.deadLettered,
          discarded: progress.discarded,
          dropped: progress.dropped,
          lag,
          last_ingested: progress.lastAt ?? '',
          last_error: flaw ? { message_id: flaw.messageId, reason: flaw.reason, timestamp: flaw.at } : null,
          retry: progress.retry ? { since: progress.retry.since } : null,
          problem,
        } satisfies Static<typeof METRIC_SOURCE>,
      ]),
      { readable: call.shows('messaging') },
    );
  }

  @Put('', {
    id: 'setMetricSource',
    summary: 'Takes metric data of a tenant from a subscription of the messaging service from now on',
    body: metricSourceBody,
    example: { project: 'monitoring', subscription: 'logbook', dead_letter_topic: 'dead' },
    errors: [errors.conflict('Subscription results is the metric source of another tenant')],
    answers: says(DONE.put),
  })
  put(
    @Admin() { context, tenantId }: AdminCall,
    @Body(metricSourceBody) { project, subscription, dead_letter_topic: deadLetterTopic }: Infer<typeof metricSourceBody>,
  ): Promise<Answer> {
    const named = { project, subscription, deadLetterTopic };
    return done(this.bus.execute(new ConnectMetricSource(context, { tenantId, named })), DONE.put);
  }

  @Delete('', {
    id: 'deleteMetricSource',
    summary: 'Takes no more metric data from that subscription; what it has not acknowledged stays there',
    answers: says(DONE.delete),
  })
  delete(@Admin() { context, tenantId }: AdminCall): Promise<Answer> {
    return done(this.bus.execute(new DisconnectMetricSource(context, { tenantId })), DONE.delete);
  }

  @Post('retry', {
    id: 'retryMetricSource',
    summary: 'Takes up again messages that were set aside since an instant, or ever, because they were no metric data',
    body: retryBody,
    example: { since: '2026-03-01T00:00:00Z' },
    answers: says(DONE.retry),
  })
  async retry(@Admin() { context, tenantId }: AdminCall, @Body(retryBody) { since }: Infer<typeof retryBody>): Promise<Answer> {
    const instant = since === '' ? '' : zuluSecond(since);
    if (instant === undefined) throw errors.unprocessable('since is not in the form YYYY-MM-DDTHH:MM:SSZ');
    return done(this.bus.execute(new RetryMetricMessages(context, { tenantId, since: instant })), DONE.retry);
  }

  private async lagOf({ projectId, subscription: name }: MetricSource): Promise<number> {
    const subscription = await this.resources.subscription(projectId, name);
    const topic = subscription && (await this.resources.topic(projectId, subscription.topic));
    if (!subscription || !topic) return 0;
    const { subscriptionId, topicId, startOffset } = subscription;
    const [next, { offset }] = await Promise.all([
      this.offsets.nextOffset(topic.topicId),
      this.offsets.cursor({ projectId, subscriptionId, start: { topicId, startOffset }, topicId: topic.topicId }),
    ]);
    return Math.max(0, next - offset);
  }
}
