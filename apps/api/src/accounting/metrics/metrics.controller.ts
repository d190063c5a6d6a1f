import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN, READERS } from '#api/accounting/access/permissions.js';
import { bodyFrom } from '#api/accounting/bodies.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { type Paging, pagingOf, sendPage } from '#api/accounting/paging.js';
import { requiredQuery } from '#api/accounting/queries.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import { sendCreated, sendJson, sendMessage } from '#api/accounting/responses.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { shortForm } from '#projections/accounting/metrics/usage-documents.js';
import { type MetricListFilter, MetricLists } from './metric-lists.js';
import { type MetricBody, MetricWriter, metricBody } from './metric-writer.js';
import { DEFINITION_QUERY, FROM_QUERY, metricListFilter, UNTIL_QUERY } from './usage-queries.js';
import { UsageReader } from './usage-reader.js';
import { UsageScopes, usagePlace } from './usage-scopes.js';

type InstallationPath = Readonly<{ installation_id: string }>;
type MetricPath = InstallationPath & Readonly<{ id: string }>;

/** Metrics of installations (accounting contract 3.2, 3.4). */
@ApiTags('accounting: metrics')
@ApiBearerAuth()
@Controller('accounting-system/installations')
export class MetricsController {
  constructor(
    private readonly scopes: UsageScopes,
    private readonly catalogue: CatalogueReader,
    private readonly usage: UsageReader,
    private readonly lists: MetricLists,
    private readonly writer: MetricWriter,
    private readonly gate: ReferenceGate,
  ) {}

  @Post('external/metrics')
  @HttpCode(201)
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Records what an installation measured in a period' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: metricBody.schema })
  async recordExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, metricBody);
    const externalId = requiredQuery(request, 'externalId');
    const { id } = await this.scopes.measuredExternalInstallation(request, externalId);
    await this.record(request, reply, id, body);
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
  async listExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const externalId = requiredQuery(request, 'externalId');
    const [paging, filter] = [pagingOf(request), await metricListFilter(request, this.catalogue)];
    const installation = await this.scopes.externalInstallation(request, externalId, READERS);
    await this.list(request, reply, installation, filter, paging);
  }

  @Get('external/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One metric' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async getExternal(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.externalInstallation(request, requiredQuery(request, 'externalId'), ADMIN);
    sendJson(reply, await this.writer.require(installation, id));
  }

  @Patch('external/metrics/:id')
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Corrects a metric' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: metricBody.schema })
  async reviseExternal(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, metricBody);
    const installation = await this.scopes.measuredExternalInstallation(request, requiredQuery(request, 'externalId'));
    await this.revise(request, reply, installation, id, body);
  }

  @Delete('external/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a metric' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async removeExternal(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.measuredExternalInstallation(request, requiredQuery(request, 'externalId'));
    await this.remove(request, reply, installation, id);
  }

  @Post(':installation_id/metrics')
  @HttpCode(201)
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Records what an installation measured in a period' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: metricBody.schema })
  async recordInternal(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, metricBody);
    const { id } = await this.scopes.measuredInstallation(request, path.installation_id);
    await this.record(request, reply, id, body);
  }

  @Get(':installation_id/metrics')
  @AccountingRoute()
  @ApiOperation({ summary: 'The metrics of an installation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  @ApiQuery(DEFINITION_QUERY)
  @ApiQuery(FROM_QUERY)
  @ApiQuery(UNTIL_QUERY)
  async listInternal(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.installation(request, path.installation_id, READERS);
    const [paging, filter] = [pagingOf(request), await metricListFilter(request, this.catalogue)];
    await this.list(request, reply, installation, filter, paging);
  }

  @Get(':installation_id/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One metric' })
  async getInternal(@Param() path: MetricPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.installation(request, path.installation_id, ADMIN);
    sendJson(reply, await this.writer.require(installation, path.id));
  }

  @Patch(':installation_id/metrics/:id')
  @AccountingRoute({ body: 'form' })
  @ApiOperation({ summary: 'Corrects a metric' })
  @ApiBody({ schema: metricBody.schema })
  async reviseInternal(@Param() path: MetricPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, metricBody);
    const installation = await this.scopes.measuredInstallation(request, path.installation_id);
    await this.revise(request, reply, installation, path.id, body);
  }

  @Delete(':installation_id/metrics/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a metric' })
  async removeInternal(@Param() path: MetricPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.remove(request, reply, await this.scopes.measuredInstallation(request, path.installation_id), path.id);
  }

  private async record(request: FastifyRequest, reply: FastifyReply, installationId: string, body: MetricBody | undefined): Promise<void> {
    const targets = [target('installation', installationId), target('definition', body?.metric_definition_id ?? '')];
    const metric = await this.gate.referring(targets, async () => {
      const installation = await this.scopes.measuredInstallation(request, installationId);
      if (installation.id !== installationId) throw errors.installationNotFound(installationId); // deleted since, and another has it for its external id
      return this.writer.record(request, reply, installation, body);
    });
    sendCreated(request, reply, metric.metricId, shortForm(metric));
  }

  private async revise(
    request: FastifyRequest,
    reply: FastifyReply,
    installation: InstallationDocument,
    id: string,
    body: MetricBody | undefined,
  ): Promise<void> {
    const targets = [target('definition', body?.metric_definition_id ?? '')];
    const revised = await this.gate.referring(targets, () => this.writer.revise(request, reply, installation, id, body));
    sendJson(reply, revised ? shortForm(revised) : await this.writer.require(installation, id));
  }

  private async remove(request: FastifyRequest, reply: FastifyReply, installation: InstallationDocument, id: string): Promise<void> {
    await this.writer.remove(request, reply, installation, id);
    sendMessage(reply, 'Metric has been deleted successfully.');
  }

  private async list(
    request: FastifyRequest,
    reply: FastifyReply,
    installation: InstallationDocument,
    filter: MetricListFilter,
    paging: Paging,
  ): Promise<void> {
    const place = usagePlace(installation);
    const [definitions = {}] = await this.usage.definitionCounts([place]);
    const scope = { projectId: place.projectId, installations: [{ ...place, definitions }], wholeProject: false };
    sendPage(request, reply, paging, await this.lists.page(scope, filter, paging));
  }
}
