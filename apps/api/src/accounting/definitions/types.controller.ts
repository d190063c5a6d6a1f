import { Param, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, page } from '#api/accounting/answers.js';
import { changesOf, filled, present, recordOf, required } from '#api/accounting/bodies.js';
import { changesIn } from '#api/accounting/changes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call, contextAfter } from '#api/accounting/parameters.js';
import { ADMIN, READERS, requireOperations } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import type { TypeKind } from '#domain/accounting/definitions/type-vocabulary.js';
import type { Component } from '#domain/shared/shape.js';
import { METRIC_TYPE, UNIT_TYPE } from '#projections/accounting/components.js';
import { typeDocument } from '#projections/accounting/definitions/queries.js';
import * as examples from '#projections/accounting/examples.js';
import { type KnownType, KnownTypes } from './known-types.js';
import { typeCommands } from './type-commands.js';

type TypeKindRoutes = Readonly<{
  kind: TypeKind;
  path: string;
  /** For OpenAPI: the group of its operations, the noun in their ids, and the name of a type. */
  tag: Tag;
  noun: 'UnitType' | 'MetricType';
  called: string;
  /** Name of the member with the value in bodies. */
  value: 'unit_type' | 'metric_type';
  notFound: (id: string) => errors.AccountingError;
  deleted: string;
  /** Answers for a shipped and an added type, and the bodies of requests. */
  examples: Readonly<{ record: Component; shipped: object; added: object; body: object; change: object }>;
}>;

type TypePath = Readonly<{ id: string }>;

/** Creates the controller of one of the two vocabularies (accounting contract 3.6). */
const typeController = ({ kind, path, tag, noun, called, value, notFound, deleted, examples: shown }: TypeKindRoutes): Type => {
  const MEMBERS = { [value]: filled('unique in any letter case'), description: filled('what it means') };
  const newBody = recordOf(`AccountingNew${noun}`, MEMBERS);
  const changesBody = changesOf(`Accounting${noun}Change`, MEMBERS);
  const commands = typeCommands[kind];
  const ofKind = noun === 'UnitType' ? 'Unit Type' : 'Metric Type';
  const taken = errors.typeTaken(ofKind, '507f1f77bcf86cd799439011');
  const textOf = (type: KnownType): string => JSON.stringify(typeDocument(kind, type));

  @AccountingController(path, tag)
  class TypesController {
    constructor(
      private readonly bus: CommandBus,
      private readonly types: KnownTypes,
    ) {}

    @Post('', {
      id: `create${noun}`,
      summary: `Adds a ${called}`,
      body: newBody,
      example: shown.body,
      errors: [errors.missing(value), taken],
      answers: creates(shown.record, shown.added),
    })
    async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof newBody>): Promise<Answer> {
      requireOperations(caller, ADMIN);
      const sent = present(given);
      const values = {
        creatorId: caller.id,
        value: required(sent[value] ?? null, value),
        description: required(sent.description ?? null, 'description'),
      };
      const { record, readable } = await this.bus.execute(new commands.add(context(), values));
      return created(locationOf(record.typeId), textOf(record), { readable });
    }

    @Get('', {
      id: `list${noun}s`,
      summary: `${called.charAt(0).toUpperCase()}${called.slice(1)}s: those that come with the service first`,
      query: PAGES,
      answers: lists(shown.record, shown.shipped),
    })
    async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
      requireOperations(caller, READERS);
      const asked = pageOf();
      return page(asked, await this.types.list(kind, asked));
    }

    @Get(':id', { id: `get${noun}`, summary: `One ${called}`, answers: shows(shown.record, shown.shipped) })
    async get(@Call() { caller }: AccountingCall, @Param() { id }: TypePath): Promise<Answer> {
      requireOperations(caller, READERS);
      return json(textOf(await this.type(id)));
    }

    @Patch(':id', {
      id: `update${noun}`,
      summary: `Changes a ${called} that was added and is not in use`,
      body: changesBody,
      example: shown.change,
      errors: [errors.shippedType('update', ofKind), errors.typeInUse('update', ofKind), taken],
      answers: shows(shown.record, shown.shipped),
    })
    async update(@Call() { caller, context, given }: AccountingCall<typeof changesBody>, @Param() { id }: TypePath): Promise<Answer> {
      requireOperations(caller, ADMIN);
      if (given === undefined) await this.type(id); // an unknown type takes precedence over an empty body
      const sent = present(given);
      const changes = changesIn({ value: sent[value] ?? null, description: sent.description ?? null });
      const { record, readable } = await this.bus.execute(
        new commands.revise(await contextAfter(context, () => this.type(id)), { typeId: id, changes }),
      );
      return json(textOf(record), { readable });
    }

    @Delete(':id', {
      id: `delete${noun}`,
      summary: `Deletes a ${called} that was added and is not in use`,
      errors: [errors.shippedType('delete', ofKind), errors.typeInUse('delete', ofKind)],
      answers: says(deleted),
    })
    async delete(@Call() { caller, context }: AccountingCall, @Param() { id }: TypePath): Promise<Answer> {
      requireOperations(caller, ADMIN);
      return done(deleted, this.bus.execute(new commands.delete(await contextAfter(context, () => this.type(id)), { typeId: id })));
    }

    /** @throws AccountingError 404 */
    private type(id: string): Promise<KnownType> {
      return existing(this.types.find(kind, id), notFound, id);
    }
  }
  return TypesController;
};

const PB = { unit_type: 'PB', description: 'petabyte' };
const PEAK = { metric_type: 'peak', description: 'The highest value' };

export const UnitTypesController = typeController({
  kind: 'unit',
  path: 'accounting-system/unit-types',
  tag: 'accounting: unit types',
  noun: 'UnitType',
  called: 'unit type',
  value: 'unit_type',
  notFound: errors.unitTypeNotFound,
  deleted: 'Unit Type has been deleted successfully.',
  examples: {
    record: UNIT_TYPE,
    shipped: examples.UNIT_TYPE,
    added: { ...examples.UNIT_TYPE, ...PB, creator_id: 'ada' },
    body: PB,
    change: { description: 'a million gigabytes' },
  },
});

export const MetricTypesController = typeController({
  kind: 'metric',
  path: 'accounting-system/metric-types',
  tag: 'accounting: metric types',
  noun: 'MetricType',
  called: 'metric type',
  value: 'metric_type',
  notFound: errors.metricTypeNotFound,
  deleted: 'Metric Type has been deleted successfully.',
  examples: {
    record: METRIC_TYPE,
    shipped: examples.METRIC_TYPE,
    added: { ...examples.METRIC_TYPE, ...PEAK, creator_id: 'ada' },
    body: PEAK,
    change: { description: 'The highest value captured' },
  },
});
