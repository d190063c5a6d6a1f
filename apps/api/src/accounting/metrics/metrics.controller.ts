import { Inject, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, page } from '#api/accounting/answers.js';
import { present, required } from '#api/accounting/bodies.js';
import type { AccountingCaller } from '#api/accounting/caller.js';
import { installationRef, PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import * as errors from '#api/accounting/errors.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import { type AccountingCall, Call, type ContextOfCall, contextAfter, type LocationOf } from '#api/accounting/parameters.js';
import { ADMIN, READERS } from '#api/accounting/permissions.js';
import { EXTERNAL_ID, PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import { newPeriod } from '#domain/accounting/metrics/metric-period.js';
import type { Clock } from '#domain/shared/clock.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { LISTED_METRIC, METRIC } from '#projections/accounting/components.js';
import * as examples from '#projections/accounting/examples.js';
import { type MetricDocument, MetricQueries } from '#projections/accounting/metrics/queries.js';
import type { Work } from '#projections/shared/pages.js';
import { RecordMetric, RemoveMetric, ReviseMetric } from './commands.js';
import { type MetricBody, metricChangesBody, newMetricBody, periodIn } from './metric-body.js';
import { MetricLists } from './metric-lists.js';
import { DEFINITION, Filters, type GivenFilters, type MetricListFilter, PERIOD } from './parameters.js';
import { shortForm } from './views.js';

const METRIC_ID = { id: parameter('text', 'id of the metric', '6b014fba40ed97dc26000006') };

const DELETED = 'Metric has been deleted successfully.';

type InstallationPath = Readonly<{ installation_id: string }>;
type MetricPath = InstallationPath & Readonly<{ id: string }>;

const OF_METRIC = [
  errors.badTimestamp('time_period_start', 'yesterday'),
  errors.futureTimestamp(),
  errors.equalTimestamps(),
  errors.startAfterEnd(),
  errors.definitionNotFound('507f1f77bcf86cd799439011'),
] as const;
const RECORD = {
  summary: 'Records what an installation measured in a period',
  limit: 'form',
  body: newMetricBody,
  example: examples.NEW_METRIC,
  errors: [errors.missing('metric_definition_id'), ...OF_METRIC],
  answers: creates(METRIC),
} as const;
const LIST = { summary: 'The metrics of an installation', answers: lists(LISTED_METRIC) } as const;
const REVISE = {
  summary: 'Corrects a metric',
  limit: 'form',
  body: metricChangesBody,
  example: { value: 12.5 },
  errors: [errors.endBeforeStart(), ...OF_METRIC],
  answers: shows(METRIC),
} as const;

/** Metrics of installations (accounting contract 3.2, 3.4). */
@AccountingController('accounting-system/installations', 'accounting: metrics')
export class MetricsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly scopes: PermittedScopes,
    private readonly metrics: MetricQueries,
    private readonly lists: MetricLists,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('external/metrics', { id: 'createMetricByExternalId', ...RECORD, query: EXTERNAL_ID })
  async recordExternal(
    @Call() { caller, context, locationOf, queryText, given: body }: AccountingCall<typeof newMetricBody>,
  ): Promise<Answer> {
    const { id } = await this.scopes.measuredExternalInstallation(caller, required(queryText('externalId'), 'externalId'));
    return this.record(id, body, caller, context, locationOf);
  }

  @Get('external/metrics', {
    id: 'listInstallationMetricsByExternalId',
    ...LIST,
    query: { ...PERIOD, ...DEFINITION, ...PAGES, ...EXTERNAL_ID },
  })
  async listExternal(@Call() { caller, pageOf, queryText, pace }: AccountingCall, @Filters() filters: GivenFilters): Promise<Answer> {
    const externalId = required(queryText('externalId'), 'externalId');
    const asked = pageOf();
    const filter = await this.lists.filterOf(filters);
    return this.list(await this.scopes.externalInstallation(caller, externalId, READERS), filter, asked, pace);
  }

  @Get('external/metrics/:id', {
    id: 'getMetricByExternalId',
    summary: 'One metric',
    path: METRIC_ID,
    query: EXTERNAL_ID,
    answers: shows(METRIC),
  })
  async getExternal(@Call() { caller, queryText }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    const installation = await this.scopes.externalInstallation(caller, required(queryText('externalId'), 'externalId'), ADMIN);
    return json(shortForm(await this.metric(installation, id)));
  }

  @Patch('external/metrics/:id', { id: 'updateMetricByExternalId', ...REVISE, path: METRIC_ID, query: EXTERNAL_ID })
  async reviseExternal(
    @Call() { caller, context, queryText, given: body }: AccountingCall<typeof metricChangesBody>,
    @Param('id') id: string,
  ): Promise<Answer> {
    const installation = await this.scopes.measuredExternalInstallation(caller, required(queryText('externalId'), 'externalId'));
    return this.revise(installation, id, body, context);
  }

  @Delete('external/metrics/:id', {
    id: 'deleteMetricByExternalId',
    summary: 'Deletes a metric',
    path: METRIC_ID,
    query: EXTERNAL_ID,
    answers: says(DELETED),
  })
  async removeExternal(@Call() { caller, context, queryText }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    const installation = await this.scopes.measuredExternalInstallation(caller, required(queryText('externalId'), 'externalId'));
    return this.remove(installation, id, context);
  }

  @Post(':installation_id/metrics', { id: 'createMetric', ...RECORD })
  async recordInternal(
    @Call() { caller, context, locationOf, given: body }: AccountingCall<typeof newMetricBody>,
    @Param() path: InstallationPath,
  ): Promise<Answer> {
    const { id } = await this.scopes.measuredInstallation(caller, path.installation_id);
    return this.record(id, body, caller, context, locationOf);
  }

  @Get(':installation_id/metrics', { id: 'listInstallationMetrics', ...LIST, query: { ...PERIOD, ...DEFINITION, ...PAGES } })
  async listInternal(
    @Call() { caller, pageOf, pace }: AccountingCall,
    @Param() path: InstallationPath,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    const installation = await this.scopes.installation(caller, path.installation_id, READERS);
    const asked = pageOf();
    return this.list(installation, await this.lists.filterOf(filters), asked, pace);
  }

  @Get(':installation_id/metrics/:id', { id: 'getMetric', summary: 'One metric', path: METRIC_ID, answers: shows(METRIC) })
  async getInternal(@Call() { caller }: AccountingCall, @Param() path: MetricPath): Promise<Answer> {
    const installation = await this.scopes.installation(caller, path.installation_id, ADMIN);
    return json(shortForm(await this.metric(installation, path.id)));
  }

  @Patch(':installation_id/metrics/:id', { id: 'updateMetric', ...REVISE, path: METRIC_ID })
  async reviseInternal(
    @Call() { caller, context, given: body }: AccountingCall<typeof metricChangesBody>,
    @Param() path: MetricPath,
  ): Promise<Answer> {
    return this.revise(await this.scopes.measuredInstallation(caller, path.installation_id), path.id, body, context);
  }

  @Delete(':installation_id/metrics/:id', { id: 'deleteMetric', summary: 'Deletes a metric', path: METRIC_ID, answers: says(DELETED) })
  async removeInternal(@Call() { caller, context }: AccountingCall, @Param() path: MetricPath): Promise<Answer> {
    return this.remove(await this.scopes.measuredInstallation(caller, path.installation_id), path.id, context);
  }

  private async record(
    installationId: string,
    given: MetricBody | undefined,
    caller: AccountingCaller,
    context: ContextOfCall,
    locationOf: LocationOf,
  ): Promise<Answer> {
    const body = present(given);
    const metric = {
      definitionId: required(body.metric_definition_id, 'metric_definition_id'),
      period: periodIn(body),
      value: body.value,
      groupId: body.group_id,
      userId: body.user_id,
    };
    const surrounding = await contextAfter(context, async () => {
      await this.lists.filterOf({ definition: metric.definitionId });
      newPeriod(metric.period, new Date(this.clock()).toISOString());
    });
    const { record, readable } = await this.bus.execute(new RecordMetric(surrounding, { caller, installationId, metric }));
    return created(locationOf(record.metricId), shortForm(record), { readable });
  }

  private async revise(
    installation: InstallationDocument,
    id: string,
    given: MetricBody | undefined,
    context: ContextOfCall,
  ): Promise<Answer> {
    if (given === undefined) await this.metric(installation, id); // an unknown metric takes precedence over an empty body
    const body = present(given);
    const revision = {
      definitionId: body.metric_definition_id,
      period: periodIn(body),
      value: body.value,
      groupId: body.group_id,
      userId: body.user_id,
    };
    const surrounding = await contextAfter(context, async () => {
      await this.metric(installation, id);
      await this.lists.filterOf({ definition: revision.definitionId ?? undefined });
    });
    const { record, readable } = await this.bus.execute(
      new ReviseMetric(surrounding, { installation: installationRef(installation), metricId: id, revision }),
    );
    return json(shortForm(record), { readable });
  }

  private async remove(installation: InstallationDocument, id: string, context: ContextOfCall): Promise<Answer> {
    return done(
      DELETED,
      this.bus.execute(
        new RemoveMetric(await contextAfter(context, () => this.metric(installation, id)), {
          installation: installationRef(installation),
          metricId: id,
        }),
      ),
    );
  }

  private async list(installation: InstallationDocument, filter: MetricListFilter, asked: RequestedPage, work: Work): Promise<Answer> {
    const ref = installationRef(installation);
    const [definitions = {}] = await this.metrics.seriesOfEach([ref]);
    const scope = { projectId: ref.projectId, installations: [{ ...ref, definitions }], wholeProject: false };
    return page(asked, await this.lists.page(scope, filter, asked, work));
  }

  /** @throws AccountingError 404 unless the metric belongs to the installation */
  private async metric(installation: InstallationDocument, id: string): Promise<MetricDocument> {
    const metric = await this.metrics.find(installationRef(installation), id);
    if (!metric) throw errors.metricNotFound(id);
    return metric;
  }
}
