import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, page } from '#api/accounting/answers.js';
import { filled, present, recordOf, required } from '#api/accounting/bodies.js';
import * as errors from '#api/accounting/errors.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call } from '#api/accounting/parameters.js';
import { requireSystem } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Post } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/openapi/described.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { RESOURCE } from '#projections/accounting/components.js';
import * as examples from '#projections/accounting/examples.js';
import { DeleteResource, RegisterResource } from './resource-commands.js';

const RESOURCE_ID = { id: parameter('text', 'id of the resource', 'disk-pool') };

const DELETED = 'Resource deleted successfully.';

const newBody = recordOf('AccountingNewResource', { id: filled('unique'), name: filled('full name') });

/** Resources, to which installations may belong (accounting contract 3.8). */
@AccountingController('accounting-system', 'accounting: resources')
export class ResourcesController {
  constructor(
    private readonly bus: CommandBus,
    private readonly lists: CatalogueLists,
  ) {}

  @Get('resources', {
    id: 'listResources',
    summary: 'All resources, in the order of their registration',
    query: PAGES,
    answers: lists(RESOURCE),
  })
  async list(@Call() { pageOf }: AccountingCall): Promise<Answer> {
    const asked = pageOf();
    return page(asked, await this.lists.resources(asked));
  }

  @Post('admin/resources', {
    id: 'createResource',
    summary: 'Registers a resource',
    body: newBody,
    example: examples.RESOURCE,
    errors: [errors.missing('id'), errors.resourceRegistered('507f1f77bcf86cd799439011')],
    answers: creates(RESOURCE),
  })
  async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof newBody>): Promise<Answer> {
    requireSystem(caller);
    const body = present(given);
    const resource = { id: required(body.id, 'id'), name: required(body.name, 'name') };
    const { record, readable } = await this.bus.execute(new RegisterResource(context(), resource));
    return created(locationOf(record.id), JSON.stringify(record), { readable });
  }

  @Delete('admin/resources/:id', {
    id: 'deleteResource',
    summary: 'Deletes a resource that no installation refers to',
    path: RESOURCE_ID,
    errors: [errors.resourceInUse()],
    answers: says(DELETED),
  })
  async delete(@Call() { caller, context }: AccountingCall, @Param('id') id: string): Promise<Answer> {
    requireSystem(caller);
    return done(DELETED, this.bus.execute(new DeleteResource(context(), { resourceId: id })));
  }
}
