import { randomUUID } from 'node:crypto';
import { Controller, Get, HttpCode, Inject, Options, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#domain/shared/clock.js';
import { TENANTS_STREAM, type TenantCommand, tenants } from '#domain/status/tenants.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { TENANTS_PROJECTION, type TenantDocument, tenantCollections } from '#projections/status/tenants.js';
import { integer, list, readBody, struct, text } from '../shared/body-shape.js';
import { newKey } from '../shared/new-key.js';
import { noteReadability } from '../shared/read-model-header.js';
import { bodyOf, contextOf } from '../shared/request-context.js';
import { StreamWrite } from '../shared/stream-write.js';
import { CLOCK, READ_STORE } from '../shared/tokens.js';
import { listOf, reference } from './envelopes.js';
import * as errors from './errors.js';
import { JSON_TYPE, linkTo } from './responses.js';
import { AdminRoute, adminAdmission } from './status-edge.js';
import { tenantView } from './tenant-views.js';

const ALLOW = 'GET,POST,PUT,DELETE,OPTIONS'; // without blanks, unlike the other resources (status contract 1.10)

/** Ids and times in a body are checked for their type and otherwise ignored. */
const tenantBody = struct({
  id: text,
  info: struct({ name: text, email: text, description: text, image: text, website: text, created: text, updated: text }),
  db_conf: list(struct({ store: text, server: text, port: integer, database: text, username: text, password: text })),
  topology: struct({ type: text, feed: text }),
  users: list(struct({ id: text, name: text, email: text, api_key: text, roles: list(text) })),
});

@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/tenants')
export class TenantsController {
  private readonly view: ReadView;

  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.view = store.view(TENANTS_PROJECTION);
  }

  @Get()
  @AdminRoute('tenants.list')
  @ApiOperation({ summary: 'The tenants, as far as the caller may see them, in the order of their creation' })
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const order = await this.view.range(tenantCollections.order, {});
    const ids = order.map(({ value }) => JSON.parse(value.toString('utf8')) as string);
    const documents = await this.view.getMany(tenantCollections.tenants, ids);
    const [role] = adminAdmission(request).caller.roles;
    reply.type(JSON_TYPE).send(listOf(documents.flatMap((bytes) => (bytes && tenantView(role, parse(bytes))) ?? [])));
  }

  @Get(':id')
  @AdminRoute('tenants.get')
  @ApiOperation({ summary: 'One tenant, as far as the caller may see it' })
  async get(@Param() { id }: Readonly<{ id: string }>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const bytes = await this.view.get(tenantCollections.tenants, id);
    const [role] = adminAdmission(request).caller.roles;
    const tenant = bytes && tenantView(role, parse(bytes));
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
    const actor = { kind: 'key', id: adminAdmission(request).caller.actorId } as const;
    const { events, readable } = await this.commands.execute(
      new StreamWrite(TENANTS_STREAM, tenants, registration(request), contextOf(request, 'status', actor, this.clock)),
    );
    noteReadability(reply, readable);
    const [registered] = events;
    if (!registered) throw new Error('a registration made no event');
    const { tenantId } = registered.data;
    reply
      .code(201)
      .type(JSON_TYPE)
      .send(reference('Tenant was successfully created', tenantId, linkTo(request, tenantId)));
  }

  @Options()
  @ApiOperation({ summary: 'The methods of the collection' })
  collectionOptions(@Res() reply: FastifyReply): void {
    reply.header('allow', ALLOW).type('text/plain; charset=utf-8').send('');
  }

  @Options(':id')
  @ApiOperation({ summary: 'The methods of a tenant' })
  tenantOptions(@Res() reply: FastifyReply): void {
    reply.header('allow', ALLOW).type('text/plain; charset=utf-8').send('');
  }
}

const parse = (bytes: Buffer): TenantDocument => JSON.parse(bytes.toString('utf8')) as TenantDocument;

const registration = (request: FastifyRequest): TenantCommand => {
  const { info, db_conf, topology, users } = readBody(tenantBody, bodyOf(request));
  const { name, email, description, image, website } = info;
  return {
    type: 'RegisterTenant',
    tenantId: randomUUID(),
    info: { name, email, description, image, website },
    databases: db_conf,
    topology,
    users: users.map((user) => {
      const apiKey = user.api_key || newKey();
      return { userId: randomUUID(), name: user.name, email: user.email, apiKey, apiKeyHash: hashCredential(apiKey), roles: user.roles };
    }),
  };
};
