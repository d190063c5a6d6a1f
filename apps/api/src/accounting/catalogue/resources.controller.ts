import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { requireSystem } from '#api/accounting/access/permissions.js';
import { created, message, page } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import {
  Caller,
  Context,
  type ContextOfCall,
  GivenBody,
  Location,
  type LocationOf,
  Page,
  type PageOfCall,
} from '#api/accounting/parameters.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { DeleteResource, RegisterResource } from './resource-commands.js';

const newBody = members({ id: text, name: text });

/** What installations are parts of (accounting contract 3.8). */
@ApiTags('accounting: resources')
@ApiBearerAuth()
@Controller()
export class ResourcesController {
  constructor(
    private readonly bus: CommandBus,
    private readonly lists: CatalogueLists,
  ) {}

  @Get('accounting-system/resources')
  @AccountingRoute()
  @ApiOperation({ summary: 'All resources, in the order of their registration' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Page() pageOf: PageOfCall): Promise<Answer> {
    const asked = pageOf();
    return page(asked, await this.lists.resources(asked));
  }

  @Post('accounting-system/admin/resources')
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a resource' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newBody.schema })
  async create(
    @GivenBody(newBody) given: Infer<typeof newBody> | undefined,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    requireSystem(caller);
    const body = present(given);
    const resource = { id: required(body.id, 'id'), name: required(body.name, 'name') };
    const { record, readable } = await this.bus.execute(new RegisterResource(context(), resource));
    return created(locationOf(record.id), JSON.stringify(record), { readable });
  }

  @Delete('accounting-system/admin/resources/:id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a resource that no installation refers to' })
  async delete(@Param('id') id: string, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
    requireSystem(caller);
    const { readable } = await this.bus.execute(new DeleteResource(context(), id));
    return message('Resource deleted successfully.', { readable });
  }
}
