import { CommandBus } from '@nestjs/cqrs';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { created, done, json, listOf, listOfPages } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { lists, refers, says } from '#api/status/openapi/envelopes.js';
import { Admin, type AdminCall } from '#api/status/parameters.js';
import { TENANT_ID } from '#api/status/queries.js';
import { ADMINISTRATORS, AnswersOptions, routesWith, StatusController, SUPER, TENANT_LISTERS } from '#api/status/route.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { DeleteTenant, RegisterTenant, ReviseTenant } from './commands.js';
import { SENT_TENANT, TENANT } from './openapi.js';
import { SeenTenants } from './seen-tenants.js';
import { tenantBody, tenantIn } from './tenant-bodies.js';

type SentTenant = Infer<typeof tenantBody>;

const ALLOW = 'GET,POST,PUT,DELETE,OPTIONS'; // without blanks, unlike the other resources (status contract 1.10)

const PATH = 'api/v2/admin/tenants';

const DONE = {
  create: 'Tenant was successfully created',
  update: 'Tenant successfully updated',
  delete: 'Tenant Successfully Deleted',
} as const;

const { Delete, Get, Post, Put } = routesWith({ who: SUPER });

/** Whole tenants (status contract 8). */
@AnswersOptions('The methods of tenants and their users', ALLOW, [
  '',
  ':id',
  ':id/users',
  ':id/users/:userId',
  ':id/users/:userId/renew_api_key',
])
@StatusController(PATH, 'status: tenants')
export class TenantsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
    private readonly seen: SeenTenants,
  ) {}

  @Get('', {
    id: 'listTenants',
    summary: 'The tenants, as far as the caller may see them, in the order of their creation',
    who: TENANT_LISTERS,
    answers: lists(TENANT),
  })
  async list(@Admin() { roles: [role] }: AdminCall): Promise<Answer> {
    return json(await listOfPages(this.visibleTo(role)));
  }

  @Get(':id', {
    id: 'getTenant',
    summary: 'One tenant, as far as the caller may see it',
    who: ADMINISTRATORS,
    path: TENANT_ID,
    answers: lists(TENANT),
  })
  async get(@Admin() { tenantId, roles: [role] }: AdminCall): Promise<Answer> {
    const known = await this.tenants.tenant(tenantId);
    const tenant = known && (await this.seen.tenant(role, known));
    if (!tenant) throw errors.notFound();
    return json(listOf([tenant]));
  }

  @Post('', {
    id: 'createTenant',
    summary: 'Registers a tenant with its users; users without an api key get a generated one',
    body: tenantBody,
    example: SENT_TENANT,
    errors: [errors.conflict('Tenant with same name already exists'), errors.conflict('More than one users found using the key: S3CR3T')],
    answers: refers(201, DONE.create, PATH),
  })
  create(@Admin() { context, self }: AdminCall, @Body(tenantBody) body: SentTenant): Promise<Answer> {
    return created(this.bus.execute(new RegisterTenant(context, tenantIn(body))), DONE.create, self);
  }

  @Put(':id', {
    id: 'updateTenant',
    summary: 'Replaces a tenant and its users; a user is kept who has the api key of a user of the list',
    path: TENANT_ID,
    body: tenantBody,
    example: SENT_TENANT,
    errors: [errors.conflict('More than one users found using the key: S3CR3T'), errors.conflict('Tenant with same name already exists')],
    answers: says(DONE.update),
  })
  update(@Admin() { context, tenantId }: AdminCall, @Body(tenantBody) body: SentTenant): Promise<Answer> {
    return done(this.bus.execute(new ReviseTenant(context, { tenantId, ...tenantIn(body) })), DONE.update);
  }

  @Delete(':id', {
    id: 'deleteTenant',
    summary: 'Deletes a tenant with its users and all its data',
    path: TENANT_ID,
    answers: says(DONE.delete),
  })
  delete(@Admin() { context, tenantId }: AdminCall): Promise<Answer> {
    return done(this.bus.execute(new DeleteTenant(context, { tenantId })), DONE.delete);
  }

  /** Tenants that the role may see, in the order of their creation, as records of the list. */
  private async *visibleTo(role: string | undefined): AsyncGenerator<readonly Buffer[]> {
    for await (const page of this.tenants.byCreation(new TimeSlice())) {
      const seen = await Promise.all(page.map((tenant) => this.seen.tenant(role, tenant)));
      yield seen.flatMap((tenant) => (tenant ? Buffer.from(wireText(tenant, RECORD_DEPTH)) : []));
    }
  }
}
