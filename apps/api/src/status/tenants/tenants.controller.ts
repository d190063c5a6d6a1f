import { Controller, Delete, Get, HttpCode, Options, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import { listOf, listOfPages, message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { AdminContext, AdminRole, type Link, Self } from '#api/status/parameters.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { DeleteTenant, RegisterTenant, ReviseTenant } from './commands.js';
import { tenantBody, tenantIn } from './tenant-bodies.js';
import { tenantView } from './tenant-views.js';

type TenantPath = Readonly<{ id: string }>;
type SentTenant = Infer<typeof tenantBody>;

const ALLOW = 'GET,POST,PUT,DELETE,OPTIONS'; // without blanks, unlike the other resources (status contract 1.10)

/** Tenants as a whole (status contract 8). */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/tenants')
export class TenantsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
  ) {}

  @Get()
  @AdminRoute('tenants.list')
  @ApiOperation({ summary: 'The tenants, as far as the caller may see them, in the order of their creation' })
  async list(@AdminRole() role: string | undefined): Promise<Answer> {
    return json(await listOfPages(this.visibleTo(role)));
  }

  @Get(':id')
  @AdminRoute('tenants.get')
  @ApiOperation({ summary: 'One tenant, as far as the caller may see it' })
  async get(@Param() { id }: TenantPath, @AdminRole() role: string | undefined): Promise<Answer> {
    const known = await this.tenants.tenant(id);
    const tenant = known && tenantView(role, known);
    if (!tenant) throw errors.notFound();
    return json(listOf([tenant]));
  }

  @Post()
  @HttpCode(201)
  @AdminRoute('tenants.create')
  @ApiOperation({ summary: 'Registers a tenant with its users; users without an api key get a generated one' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(tenantBody) })
  async create(@AdminContext() context: CommandContext, @Body(tenantBody) body: SentTenant, @Self() self: Link): Promise<Answer> {
    const { id, readable } = await this.bus.execute(new RegisterTenant(context, tenantIn(body)));
    return json(reference('Tenant was successfully created', id, self(id)), { status: 201, readable });
  }

  @Put(':id')
  @AdminRoute('tenants.update')
  @ApiOperation({ summary: 'Replaces a tenant and its users; a user is kept who has the api key of a user of the list' })
  @ApiBody({ schema: schemaOf(tenantBody) })
  async update(@AdminContext() context: CommandContext, @Param() { id }: TenantPath, @Body(tenantBody) body: SentTenant): Promise<Answer> {
    const { readable } = await this.bus.execute(new ReviseTenant(context, { tenantId: id, ...tenantIn(body) }));
    return json(message('Tenant successfully updated'), { readable });
  }

  @Delete(':id')
  @AdminRoute('tenants.delete')
  @ApiOperation({ summary: 'Deletes a tenant with its users and all its data' })
  async delete(@AdminContext() context: CommandContext, @Param() { id }: TenantPath): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteTenant(context, { tenantId: id }));
    return json(message('Tenant Successfully Deleted'), { readable });
  }

  @Options(['', ':id', ':id/users', ':id/users/:userId', ':id/users/:userId/renew_api_key'])
  @ApiOperation({ summary: 'The methods of tenants and their users' })
  options(): Answer {
    return methods(ALLOW);
  }

  /** The tenants that the role sees, in the order of their creation, as they stand in the list. */
  private async *visibleTo(role: string | undefined): AsyncGenerator<readonly Buffer[]> {
    for await (const page of this.tenants.byCreation(new TimeSlice())) {
      const seen = page.flatMap((tenant) => tenantView(role, tenant) ?? []);
      yield seen.map((tenant) => Buffer.from(wireText(tenant, RECORD_DEPTH)));
    }
  }
}
