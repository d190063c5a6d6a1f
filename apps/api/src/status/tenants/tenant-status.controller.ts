import { Controller, Get, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json } from '#api/status/answers.js';
import { listOfStored, message } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { AdminContext } from '#api/status/parameters.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { unknownEngineStatus } from '#domain/status/tenants/engine-status.js';
import { objectText, RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { engineStatusText } from '#projections/status/tenants/engine-status.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { ReportTenantEngineStatus } from './commands.js';
import { engineStatusBody } from './tenant-bodies.js';

type TenantPath = Readonly<{ id: string }>;

const NEVER_REPORTED = engineStatusText(unknownEngineStatus);

/** What the compute engine reports of a tenant (status contract 10). */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/tenants/:id/status')
export class TenantStatusController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
  ) {}

  @Get()
  @AdminRoute('tenants.get_status')
  @ApiOperation({ summary: 'The engine status of a tenant, with whether everything is in place' })
  async get(@Param() { id }: TenantPath): Promise<Answer> {
    const [tenant, status] = await Promise.all([this.tenants.tenant(id), this.tenants.engineStatus(id)]);
    if (!tenant) throw errors.notFound();
    const members = {
      id: wireText(id),
      info: wireText(tenant.info, RECORD_DEPTH + 1),
      status: status?.toString('utf8') ?? NEVER_REPORTED,
    };
    return json(listOfStored([Buffer.from(objectText(members, RECORD_DEPTH))]));
  }

  @Put()
  @AdminRoute('tenants.update_status')
  @ApiOperation({ summary: 'Replaces the engine status of a tenant' })
  @ApiBody({ schema: schemaOf(engineStatusBody) })
  async update(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(engineStatusBody) { ams, hdfs, engine_config, last_check }: Infer<typeof engineStatusBody>,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(
      new ReportTenantEngineStatus(context, { tenantId: id, status: { ams, hdfs, engine_config, last_check } }),
    );
    return json(message('Tenant successfully updated'), { readable });
  }
}
