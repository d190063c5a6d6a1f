import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN, READERS, requireInstallation } from '#api/accounting/access/permissions.js';
import { bodyFrom } from '#api/accounting/bodies.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { offsetOf, pagingOf, sendPage } from '#api/accounting/paging.js';
import { requiredQuery } from '#api/accounting/queries.js';
import { sendCreated, sendJson, sendMessage } from '#api/accounting/responses.js';
import type { InstallationContent, InstallationDocument } from '#projections/accounting/catalogue/catalogue-documents.js';
import { CatalogueReader } from './catalogue-reader.js';
import { installationSources, installationsIn } from './installation-scopes.js';
import { InstallationWriter, installationChangesBody, newInstallationBody } from './installation-writer.js';

type InstallationPath = Readonly<{ installation_id: string }>;

/** Installations by id and by external id (accounting contract 3.1, 3.2). */
@ApiTags('accounting: installations')
@ApiBearerAuth()
@Controller('accounting-system/installations')
export class InstallationsController {
  constructor(
    private readonly reader: CatalogueReader,
    private readonly writer: InstallationWriter,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Creates an installation of an associated provider in a project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newInstallationBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const created = await this.writer.create(request, reply, bodyFrom(request, newInstallationBody));
    sendCreated(request, reply, created.id, await this.reader.createdInstallationText(created));
  }

  @Get('all')
  @AccountingRoute({ consumes: 'json' })
  @ApiOperation({ summary: 'Every installation that the caller may read' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async all(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const paging = pagingOf(request);
    const sources = await installationSources(this.reader, accountingCaller(request));
    const { documents, total } = await installationsIn(this.reader, sources, { offset: offsetOf(paging), limit: paging.size });
    sendPage(request, reply, paging, { content: await this.reader.installationTexts(documents), total });
  }

  @Get('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'One installation' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async getExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.show(request, reply, await this.external(request));
  }

  @Patch('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes an installation without metrics' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: installationChangesBody.schema })
  async updateExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.change(request, reply, (): Promise<InstallationDocument> => this.external(request));
  }

  @Delete('external')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes an installation without metrics' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  async deleteExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.remove(request, reply, await this.external(request));
  }

  @Get(':installation_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One installation' })
  async get(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.show(request, reply, await this.reader.installation(path.installation_id));
  }

  @Patch(':installation_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes an installation without metrics' })
  @ApiBody({ schema: installationChangesBody.schema })
  async update(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.change(request, reply, () => this.reader.installation(path.installation_id));
  }

  @Delete(':installation_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes an installation without metrics, with its capacities' })
  async delete(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.remove(request, reply, await this.reader.installation(path.installation_id));
  }

  private external(request: FastifyRequest): Promise<InstallationDocument> {
    return this.reader.installationByExternalId(requiredQuery(request, 'externalId'));
  }

  private async show(request: FastifyRequest, reply: FastifyReply, installation: InstallationDocument): Promise<void> {
    requireInstallation(accountingCaller(request), READERS, placeOf(installation));
    sendJson(reply, await this.text(installation));
  }

  private async change(request: FastifyRequest, reply: FastifyReply, find: () => Promise<InstallationDocument>): Promise<void> {
    const body = bodyFrom(request, installationChangesBody);
    const installation = await find();
    requireInstallation(accountingCaller(request), ADMIN, placeOf(installation));
    sendJson(reply, await this.text(await this.writer.revise(request, reply, installation, body)));
  }

  private async remove(request: FastifyRequest, reply: FastifyReply, installation: InstallationDocument): Promise<void> {
    requireInstallation(accountingCaller(request), ADMIN, placeOf(installation));
    await this.writer.delete(request, reply, installation);
    sendMessage(reply, 'Installation has been deleted successfully.');
  }

  private async text(installation: InstallationContent): Promise<string> {
    const [text = ''] = await this.reader.installationTexts([installation]);
    return text;
  }
}

const placeOf = ({ project, organisation, id }: InstallationDocument) => ({
  projectId: project,
  providerId: organisation,
  installationId: id,
});
