import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { ADMIN, READERS } from '#api/accounting/access/permissions.js';
import { created, json, message, page } from '#api/accounting/answers.js';
import { present, required } from '#api/accounting/bodies.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import type { RequestedPage } from '#api/accounting/paging.js';
import {
  Caller,
  Context,
  type ContextOfCall,
  contextAfter,
  GivenBody,
  Location,
  type LocationOf,
  Page,
  type PageOfCall,
} from '#api/accounting/parameters.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { CLOCK } from '#api/shared/tokens.js';
import { newPeriod } from '#domain/accounting/metrics/metric-period.js';
import type { Clock } from '#domain/shared/clock.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { type MetricDocument, MetricQueries } from '#projections/accounting/metrics/queries.js';
import { RecordMetric, RemoveMetric, ReviseMetric } from './commands.js';
import { type MetricBody, metricBody, periodIn } from './metric-body.js';
import { MetricLists } from './metric-lists.js';
import { DEFINITION_QUERY, Filters, FROM_QUERY, type GivenFilters, type MetricListFilter, UNTIL_QUERY } from './parameters.js';
import { installationRef, PermittedScopes } from './permitted-scopes.js';
import { shortForm } from './views.js';

type InstallationPath = Readonly<{ installation_id: string }>;
type MetricPath = InstallationPath & Readonly<{ id: string }>;

/** Metrics of installations (accounting contract 3.2, 3.4). */
@ApiTags('accounting: metrics')
@ApiBearerAuth()
@Controller('accounting-system/installations')
export class MetricsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly scopes: PermittedScopes,
    private readonly metrics: MetricQueries,
    private readonly lists: MetricLists,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('external/metrics')
  @HttpCode(201)
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Records what an installation measured in a period' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: metricBody.schema })
  async recordExternal(
    @GivenBody(metricBody) body: MetricBody | undefined,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    const { id } = await this.scopes.measuredExternalInstallation(caller, required(externalId, 'externalId'));
    return this.record(id, body, caller, context, locationOf);
  }

  @Get('external/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of an installation' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  @ApiQuery(DEFINITION_QUERY)
  @ApiQuery(FROM_QUERY)
  @ApiQuery(UNTIL_QUERY)
  async listExternal(
    @QueryText('externalId') given: string | undefined,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    const externalId = required(given, 'externalId');
    const asked = pageOf();
    const filter = await this.lists.filterOf(filters);
    return this.list(await this.scopes.externalInstallation(caller, externalId, READERS), filter, asked);
  }

  @Get('external/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One metric' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async getExternal(
    @Param('id') id: string,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
  ): Promise<Answer> {
    const installation = await this.scopes.externalInstallation(caller, required(externalId, 'externalId'), ADMIN);
    return json(shortForm(await this.metric(installation, id)));
  }

  @Patch('external/metrics/:id')
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Corrects a metric' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: metricBody.schema })
  async reviseExternal(
    @Param('id') id: string,
    @GivenBody(metricBody) body: MetricBody | undefined,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    const installation = await this.scopes.measuredExternalInstallation(caller, required(externalId, 'externalId'));
    return this.revise(installation, id, body, context);
  }

  @Delete('external/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a metric' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async removeExternal(
    @Param('id') id: string,
    @QueryText('externalId') externalId: string | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    const installation = await this.scopes.measuredExternalInstallation(caller, required(externalId, 'externalId'));
    return this.remove(installation, id, context);
  }

  @Post(':installation_id/metrics')
  @HttpCode(201)
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Records what an installation measured in a period' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: metricBody.schema })
  async recordInternal(
    @Param() path: InstallationPath,
    @GivenBody(metricBody) body: MetricBody | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    const { id } = await this.scopes.measuredInstallation(caller, path.installation_id);
    return this.record(id, body, caller, context, locationOf);
  }

  @Get(':installation_id/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of an installation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  @ApiQuery(DEFINITION_QUERY)
  @ApiQuery(FROM_QUERY)
  @ApiQuery(UNTIL_QUERY)
  async listInternal(
    @Param() path: InstallationPath,
    @Caller() caller: AccountingCaller,
    @Page() pageOf: PageOfCall,
    @Filters() filters: GivenFilters,
  ): Promise<Answer> {
    const installation = await this.scopes.installation(caller, path.installation_id, READERS);
    const asked = pageOf();
    return this.list(installation, await this.lists.filterOf(filters), asked);
  }

  @Get(':installation_id/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One metric' })
  async getInternal(@Param() path: MetricPath, @Caller() caller: AccountingCaller): Promise<Answer> {
    const installation = await this.scopes.installation(caller, path.installation_id, ADMIN);
    return json(shortForm(await this.metric(installation, path.id)));
  }

  @Patch(':installation_id/metrics/:id')
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Corrects a metric' })
  @ApiBody({ schema: metricBody.schema })
  async reviseInternal(
    @Param() path: MetricPath,
    @GivenBody(metricBody) body: MetricBody | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    return this.revise(await this.scopes.measuredInstallation(caller, path.installation_id), path.id, body, context);
  }

  @Delete(':installation_id/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a metric' })
  async removeInternal(@Param() path: MetricPath, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
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
    const { record, readable } = await this.bus.execute(new RecordMetric(surrounding, caller, installationId, metric));
    return created(locationOf(record.metricId), shortForm(record), { readable });
  }

  private async revise(
    installation: InstallationDocument,
    id: string,
    given: MetricBody | undefined,
    context: ContextOfCall,
  ): Promise<Answer> {
    if (given === undefined) await this.metric(installation, id); // an unknown metric comes before an empty body
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
    const { record, readable } = await this.bus.execute(new ReviseMetric(surrounding, installationRef(installation), id, revision));
    return json(shortForm(record), { readable });
  }

  private async remove(installation: InstallationDocument, id: string, context: ContextOfCall): Promise<Answer> {
    const { readable } = await this.bus.execute(
      new RemoveMetric(await contextAfter(context, () => this.metric(installation, id)), installationRef(installation), id),
    );
    return message('Metric has been deleted successfully.', { readable });
  }

  private async list(installation: InstallationDocument, filter: MetricListFilter, asked: RequestedPage): Promise<Answer> {
    const ref = installationRef(installation);
    const [definitions = {}] = await this.metrics.definitionCounts([ref]);
    const scope = { projectId: ref.projectId, installations: [{ ...ref, definitions }], wholeProject: false };
    return page(asked, await this.lists.page(scope, filter, asked));
  }

  /** @throws AccountingError 404 unless the metric belongs to the installation */
  private async metric(installation: InstallationDocument, id: string): Promise<MetricDocument> {
    const metric = await this.metrics.find(installationRef(installation), id);
    if (!metric) throw errors.metricNotFound(id);
    return metric;
  }
}
