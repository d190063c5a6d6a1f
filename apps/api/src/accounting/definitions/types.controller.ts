import { Controller, Delete, Get, HttpCode, Param, Patch, Post, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { ADMIN, READERS, requireOperations } from '#api/accounting/access/permissions.js';
import { created, json, message, page } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { existing } from '#api/accounting/catalogue/existing.js';
import { changesIn } from '#api/accounting/changes.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
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
import type { TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { typeDocument } from '#projections/accounting/definitions/queries.js';
import { type KnownType, KnownTypes } from './known-types.js';
import { typeCommands } from './type-commands.js';

type TypeKindRoutes = Readonly<{
  kind: TypeKind;
  path: string;
  /** In the OpenAPI document. */
  tag: string;
  /** The name of the value in bodies. */
  value: 'unit_type' | 'metric_type';
  notFound: (id: string) => errors.AccountingError;
  deleted: string;
}>;

type TypePath = Readonly<{ id: string }>;
type TypeBody = Readonly<Record<string, string | null>> | undefined;

/** The controller of one of the two vocabularies (accounting contract 3.6). */
const typeController = ({ kind, path, tag, value, notFound, deleted }: TypeKindRoutes): Type => {
  const body = members({ [value]: text, description: text });
  const commands = typeCommands[kind];
  const textOf = (type: KnownType): string => JSON.stringify(typeDocument(kind, type));

  @ApiTags(tag)
  @ApiBearerAuth()
  @Controller(path)
  class TypesController {
    constructor(
      private readonly bus: CommandBus,
      private readonly types: KnownTypes,
    ) {}

    @Post()
    @HttpCode(201)
    @AccountingRoute()
    @ApiOperation({ summary: 'Adds a type' })
    @ApiHeader({ name: 'Idempotency-Key', required: false })
    @ApiBody({ schema: body.schema })
    async create(
      @GivenBody(body) given: TypeBody,
      @Caller() caller: AccountingCaller,
      @Context() context: ContextOfCall,
      @Location() locationOf: LocationOf,
    ): Promise<Answer> {
      requireOperations(caller, ADMIN);
      const sent = present(given);
      const values = { value: required(sent[value] ?? null, value), description: required(sent.description ?? null, 'description') };
      const { record, readable } = await this.bus.execute(new commands.add(context(), caller.id, values));
      return created(locationOf(record.typeId), textOf(record), { readable });
    }

    @Get()
    @AccountingRoute()
    @ApiOperation({ summary: 'All types: those that come with the service, then the others in the order of their creation' })
    @ApiQuery(PAGE_QUERY)
    @ApiQuery(SIZE_QUERY)
    async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
      requireOperations(caller, READERS);
      const asked = pageOf();
      return page(asked, await this.types.list(kind, asked));
    }

    @Get(':id')
    @AccountingRoute()
    @ApiOperation({ summary: 'One type' })
    async get(@Param() { id }: TypePath, @Caller() caller: AccountingCaller): Promise<Answer> {
      requireOperations(caller, READERS);
      return json(textOf(await this.type(id)));
    }

    @Patch(':id')
    @AccountingRoute()
    @ApiOperation({ summary: 'Changes a type that was added and is not in use' })
    @ApiBody({ schema: body.schema })
    async update(
      @Param() { id }: TypePath,
      @GivenBody(body) given: TypeBody,
      @Caller() caller: AccountingCaller,
      @Context() context: ContextOfCall,
    ): Promise<Answer> {
      requireOperations(caller, ADMIN);
      if (given === undefined) await this.type(id); // an unknown type comes before an empty body
      const sent = present(given);
      const changes = changesIn({ value: sent[value] ?? null, description: sent.description ?? null });
      const { record, readable } = await this.bus.execute(
        new commands.revise(await contextAfter(context, () => this.type(id)), id, changes),
      );
      return json(textOf(record), { readable });
    }

    @Delete(':id')
    @AccountingRoute()
    @ApiOperation({ summary: 'Deletes a type that was added and is not in use' })
    async delete(@Param() { id }: TypePath, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
      requireOperations(caller, ADMIN);
      const { readable } = await this.bus.execute(new commands.delete(await contextAfter(context, () => this.type(id)), id));
      return message(deleted, { readable });
    }

    /** @throws AccountingError 404 */
    private type(id: string): Promise<KnownType> {
      return existing(this.types.find(kind, id), notFound, id);
    }
  }
  return TypesController;
};

export const UnitTypesController = typeController({
  kind: 'unit',
  path: 'accounting-system/unit-types',
  tag: 'accounting: unit-types',
  value: 'unit_type',
  notFound: errors.unitTypeNotFound,
  deleted: 'Unit Type has been deleted successfully.',
});

export const MetricTypesController = typeController({
  kind: 'metric',
  path: 'accounting-system/metric-types',
  tag: 'accounting: metric-types',
  value: 'metric_type',
  notFound: errors.metricTypeNotFound,
  deleted: 'Metric Type has been deleted successfully.',
});
