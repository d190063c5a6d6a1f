import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decimal, members, present, required, text } from '#api/accounting/bodies.js';
import { CatalogueMemory } from '#api/accounting/catalogue/catalogue-memory.js';
import * as errors from '#api/accounting/errors.js';
import { accountingCaller } from '#api/accounting/http-policy.js';
import { newObjectId } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import type { Infer, Shape } from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { metricCalls } from '#domain/accounting/metrics/metric-calls.js';
import { type GivenPeriod, newPeriod } from '#domain/accounting/metrics/metric-period.js';
import { type MetricCommand, metricRecord } from '#domain/accounting/metrics/metric-rules.js';
import { type Metric, type MetricEvent, metricCallStream, metricStream } from '#domain/accounting/metrics/usage-events.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { UsageReader } from './usage-reader.js';
import { usagePlace } from './usage-scopes.js';

/** A number that a 64-bit float can hold, if not all its digits. */
const double: Shape<string | null> = {
  ...decimal,
  read: (reader) => {
    const value = decimal.read(reader);
    if (!Number.isFinite(Number(value))) throw new MalformedJson('found a number out of range');
    return value;
  },
};

/** A metric as callers send it; an update may leave out everything. */
export const metricBody = members({
  metric_definition_id: text,
  time_period_start: text,
  time_period_end: text,
  value: double,
  group_id: text,
  user_id: text,
});
export type MetricBody = Infer<typeof metricBody>;

const periodIn = ({ time_period_start, time_period_end }: MetricBody): GivenPeriod => ({ start: time_period_start, end: time_period_end });

/** What changes metrics: the checks of accounting contract 3.4 that follow on those of the installation. */
@Injectable()
export class MetricWriter {
  constructor(
    private readonly writer: AccountingWriter,
    private readonly catalogue: CatalogueMemory,
    private readonly usage: UsageReader,
  ) {}

  async record(request: FastifyRequest, reply: FastifyReply, installation: InstallationDocument, given?: MetricBody): Promise<Metric> {
    const body = present(given);
    const definitionId = await this.definitionId(required(body.metric_definition_id, 'metric_definition_id'));
    const [period, now] = [periodIn(body), this.now()];
    newPeriod(period, now); // before an Idempotency-Key counts as used
    const { acronym } = await this.catalogue.project(installation.project);
    const metricId = await this.newId(request, reply);
    const { infrastructure, resource, installation: name } = installation;
    const events = await this.write(request, reply, metricId, {
      type: 'RecordMetric',
      metric: {
        metricId,
        projectId: installation.project,
        providerId: installation.organisation,
        installationId: installation.id,
        definitionId,
        value: body.value ?? '0',
        groupId: body.group_id,
        userId: body.user_id,
      },
      period,
      copies: { projectAcronym: acronym, installation: name, infrastructure, resource, creatorId: accountingCaller(request).id },
      now,
    });
    const [recorded] = events;
    if (!recorded) throw new Error('a metric was recorded without an event');
    return recorded.data;
  }

  /** What the metric is now; nothing when it is as it was. */
  async revise(
    request: FastifyRequest,
    reply: FastifyReply,
    installation: InstallationDocument,
    metricId: string,
    given?: MetricBody,
  ): Promise<Metric | undefined> {
    await this.require(installation, metricId);
    const body = present(given);
    const { metric_definition_id, value, group_id: groupId, user_id: userId } = body;
    const definitionId = metric_definition_id ? await this.definitionId(metric_definition_id) : null;
    const [event] = await this.write(request, reply, metricId, {
      type: 'ReviseMetric',
      metricId,
      installationId: installation.id,
      changes: { definitionId, value, groupId, userId },
      period: periodIn(body),
      now: this.now(),
    });
    return event?.data;
  }

  async remove(request: FastifyRequest, reply: FastifyReply, installation: InstallationDocument, metricId: string): Promise<void> {
    await this.require(installation, metricId);
    await this.write(request, reply, metricId, { type: 'RemoveMetric', metricId, installationId: installation.id });
  }

  /** @throws AccountingError 404 unless the metric is one of the installation */
  async require(installation: InstallationDocument, metricId: string): Promise<string> {
    const metric = await this.usage.findMetric(usagePlace(installation), metricId);
    if (!metric) throw errors.metricNotFound(metricId);
    return metric;
  }

  private now(): string {
    return new Date(this.writer.clock()).toISOString();
  }

  private async definitionId(id: string): Promise<string> {
    return (await this.catalogue.definition(id)).document.metric_definition_id;
  }

  /** For a repeated `Idempotency-Key` the id of the first time. */
  private async newId(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const metricId = newObjectId(this.writer.clock);
    const { idempotency } = this.writer.context(request);
    if (!idempotency) return metricId;
    const stream = metricCallStream(idempotency.key);
    const [submitted] = await this.writer.write(request, reply, {
      stream,
      decider: metricCalls,
      command: { type: 'SubmitMetric', metricId },
    });
    return submitted?.data.metricId ?? metricId;
  }

  private write(request: FastifyRequest, reply: FastifyReply, metricId: string, command: MetricCommand): Promise<readonly MetricEvent[]> {
    const stream = metricStream(storedObjectId(metricId) ?? metricId);
    return this.writer.write(request, reply, { stream, decider: metricRecord, command });
  }
}
