import { CommandBus } from '@nestjs/cqrs';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { done, json, listOfStored } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { lists, says } from '#api/status/openapi/envelopes.js';
import { Admin, type AdminCall } from '#api/status/parameters.js';
import { TENANT_ID } from '#api/status/queries.js';
import { ADMINISTRATORS, routesWith, StatusController, SUPER } from '#api/status/route.js';
import { unknownEngineStatus } from '#domain/status/tenants/engine-status.js';
import { objectText, RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { engineStatusText } from '#projections/status/tenants/engine-status.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { ReportTenantEngineStatus } from './commands.js';
import { ENGINE_STATUS_OF_TENANT, SENT_STATUS } from './openapi.js';
import { engineStatusBody } from './tenant-bodies.js';

const UPDATED = 'Tenant successfully updated';

const NEVER_REPORTED = engineStatusText(unknownEngineStatus);

const { Get, Put } = routesWith({ who: SUPER, path: TENANT_ID });

/** The status of a tenant that the compute engine reports (status contract 10). */
@StatusController('api/v2/admin/tenants/:id/status', 'status: tenants')
export class TenantStatusController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
  ) {}

  @Get('', {
    id: 'getTenantStatus',
    summary: 'The engine status of a tenant, with whether everything is in place',
    who: ADMINISTRATORS,
    answers: lists(ENGINE_STATUS_OF_TENANT),
  })
  async get(@Admin() { tenantId }: AdminCall): Promise<Answer> {
    const [tenant, status] = await Promise.all([this.tenants.tenant(tenantId), this.tenants.engineStatus(tenantId)]);
    if (!tenant) throw errors.notFound();
    const members = {
      id: wireText(tenantId),
      info: wireText(tenant.info, RECORD_DEPTH + 1),
      status: status?.toString('utf8') ?? NEVER_REPORTED,
    };
    return json(listOfStored([Buffer.from(objectText(members, RECORD_DEPTH))]));
  }

  @Put('', {
    id: 'updateTenantStatus',
    summary: 'Replaces the engine status of a tenant',
    body: engineStatusBody,
    example: SENT_STATUS,
    answers: says(UPDATED),
  })
  update(
    @Admin() { context, tenantId }: AdminCall,
    @Body(engineStatusBody) { ams, hdfs, engine_config, last_check }: Infer<typeof engineStatusBody>,
  ): Promise<Answer> {
    const status = { ams, hdfs, engine_config, last_check };
    return done(this.bus.execute(new ReportTenantEngineStatus(context, { tenantId, status })), UPDATED);
  }
}
