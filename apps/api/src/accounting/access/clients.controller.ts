import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { type LongPage, type Paging, pagingOf, sendLongPage } from '#api/accounting/paging.js';
import { administratorContent, entitledPage } from '#api/accounting/projects/own-projects.js';
import { ProjectTrees } from '#api/accounting/projects/project-trees.js';
import { sendJson, sendMessage } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AccessResource } from './access-resource.js';
import { GENERAL_PERMISSIONS } from './granted-permissions.js';

const GENERAL = JSON.stringify(GENERAL_PERMISSIONS);

/** The caller itself: registration, and what it may see and do (accounting contract 1.5, 3.9). */
@ApiTags('accounting: clients')
@ApiBearerAuth()
@Controller('accounting-system/clients')
export class ClientsController extends AccessResource {
  constructor(
    writer: AccountingWriter,
    @Inject(READ_STORE) store: ReadStore,
    private readonly catalogue: CatalogueReader,
    private readonly trees: ProjectTrees,
  ) {
    super(writer, store);
  }

  @Post()
  @HttpCode(200)
  @AccountingRoute({ body: 'none' })
  @ApiOperation({ summary: 'Registers the caller, so that entitlements can be assigned to it; once is enough' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async register(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { id: oidcId, issuer, name, email } = accountingCaller(request);
    await this.write(request, reply, { type: 'RegisterClient', actorId: actorIdOf(issuer, oidcId), oidcId, issuer, name, email });
    sendMessage(reply, 'The actor was successfully registered.');
  }

  @Get('me')
  @AccountingRoute()
  @ApiOperation({ summary: 'The projects the caller has to do with, and what it may do there' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async me(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = accountingCaller(request);
    const paging = pagingOf(request);
    const found = caller.isSystemAdministrator
      ? await this.everyProject(paging)
      : await entitledPage(this.catalogue, caller.entitlements, paging);
    await sendLongPage(request, reply, paging, found);
  }

  @Get('general-permissions')
  @AccountingRoute()
  @ApiOperation({ summary: 'What clients may do with the records of the shared collections' })
  general(@Res() reply: FastifyReply): void {
    sendJson(reply, GENERAL);
  }

  private async everyProject(paging: Paging): Promise<LongPage> {
    const { projects, total } = await this.trees.projects(paging);
    return { content: administratorContent(this.catalogue, projects), count: projects.length, total };
  }
}
