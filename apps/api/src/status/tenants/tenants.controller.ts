import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Options, Param, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { bodyOf } from '#api/shared/http/request-context.js';
import { listOf, listOfPages, message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { answerOptions, JSON_TYPE, linkTo } from '#api/status/responses.js';
import { inOrder } from '#api/status/stored-documents.js';
import type { StoredDocument } from '#projections/shared/read-store.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { type TenantDocument, tenantCollections } from '#projections/status/tenants/tenants.js';
import { newUser, tenantBody } from './tenant-bodies.js';
import { EVERY_TENANT } from './tenant-names.js';
import { parse, roleOf, type TenantPath, TenantResource } from './tenant-resource.js';
import { tenantView } from './tenant-views.js';

const ALLOW = 'GET,POST,PUT,DELETE,OPTIONS'; // without blanks, unlike the other resources (status contract 1.10)

/** Tenants as a whole (status contract 8). */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/tenants')
export class TenantsController extends TenantResource {
  @Get()
  @AdminRoute('tenants.list')
  @ApiOperation({ summary: 'The tenants, as far as the caller may see them, in the order of their creation' })
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.type(JSON_TYPE).send(await listOfPages(this.shown(roleOf(request))));
  }

  /** The tenants that the role sees, in the order of their creation, as they stand in the list. */
  private async *shown(role: string | undefined): AsyncGenerator<readonly Buffer[]> {
    const ordering = {
      orderOf: ({ value }: StoredDocument) => parse<TenantDocument>(value).order,
      compare: (one: string, other: string) => (one < other ? -1 : 1),
    };
    for await (const page of inOrder(this.view, tenantCollections.tenants, EVERY_TENANT, ordering)) {
      const seen = page.flatMap(({ value }) => tenantView(role, parse<TenantDocument>(value)) ?? []);
      yield seen.map((tenant) => Buffer.from(wireText(tenant, RECORD_DEPTH)));
    }
  }

  @Get(':id')
  @AdminRoute('tenants.get')
  @ApiOperation({ summary: 'One tenant, as far as the caller may see it' })
  async get(@Param() { id }: TenantPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const tenant = tenantView(roleOf(request), await this.tenant(id));
    if (!tenant) throw errors.notFound();
    reply.type(JSON_TYPE).send(listOf([tenant]));
  }

  @Post()
  @HttpCode(201)
  @AdminRoute('tenants.create')
  @ApiOperation({ summary: 'Registers a tenant with its users; users without an api key get a generated one' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: tenantBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [registered] = await this.write(request, reply, { type: 'RegisterTenant', tenantId: randomUUID(), ...contentOf(request) });
    if (!registered) throw new Error('a registration made no event');
    const { tenantId } = registered.data;
    reply
      .code(201)
      .type(JSON_TYPE)
      .send(reference('Tenant was successfully created', tenantId, linkTo(request, tenantId)));
  }

  @Put(':id')
  @AdminRoute('tenants.update')
  @ApiOperation({ summary: 'Replaces a tenant and its users; a user is kept who has the api key of a user of the list' })
  @ApiBody({ schema: tenantBody.schema })
  async update(@Param() { id }: TenantPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'ReviseTenant', tenantId: id, ...contentOf(request) });
    reply.type(JSON_TYPE).send(message('Tenant successfully updated'));
  }

  @Delete(':id')
  @AdminRoute('tenants.delete')
  @ApiOperation({ summary: 'Deletes a tenant with its users and all its data' })
  async delete(@Param() { id }: TenantPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'DeleteTenant', tenantId: id });
    reply.type(JSON_TYPE).send(message('Tenant Successfully Deleted'));
  }

  @Options(['', ':id', ':id/users', ':id/users/:userId', ':id/users/:userId/renew_api_key'])
  @ApiOperation({ summary: 'The methods of tenants and their users' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, ALLOW);
  }
}

const contentOf = (request: FastifyRequest) => {
  const { info, db_conf, topology, users } = readBody(tenantBody, bodyOf(request));
  return { info, databases: db_conf, topology, users: users.map(newUser) };
};
