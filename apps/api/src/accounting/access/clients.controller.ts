import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { json, longPage, message } from '#api/accounting/answers.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { Caller, Context, type ContextOfCall, Page, type PageOfCall } from '#api/accounting/parameters.js';
import { OwnProjects } from '#api/accounting/projects/own-projects.js';
import type { Answer } from '#api/shared/http/answer.js';
import type { AccountingCaller } from './caller.js';
import { RegisterClient } from './client-commands.js';
import { GENERAL_PERMISSIONS } from './granted-permissions.js';

const GENERAL = JSON.stringify(GENERAL_PERMISSIONS);

/** The caller itself: registration, and what it may see and do (accounting contract 1.5, 3.9). */
@ApiTags('accounting: clients')
@ApiBearerAuth()
@Controller('accounting-system/clients')
export class ClientsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly projects: OwnProjects,
  ) {}

  @Post()
  @HttpCode(200)
  @AccountingRoute({ body: 'none' })
  @ApiOperation({ summary: 'Registers the caller, so that entitlements can be assigned to it; once is enough' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async register(@Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
    const { id: oidcId, issuer, name, email } = caller;
    const { readable } = await this.bus.execute(new RegisterClient(context(), { oidcId, issuer, name, email }));
    return message('The actor was successfully registered.', { readable });
  }

  @Get('me')
  @AccountingRoute()
  @ApiOperation({ summary: 'The projects the caller has to do with, and what it may do there' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async me(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    const asked = pageOf();
    const found = caller.isSystemAdministrator
      ? await this.projects.ofAdministrator(asked)
      : await this.projects.entitled(caller.entitlements, asked);
    return longPage(asked, found);
  }

  @Get('general-permissions')
  @AccountingRoute()
  @ApiOperation({ summary: 'What clients may do with the records of the shared collections' })
  general(): Answer {
    return json(GENERAL);
  }
}
