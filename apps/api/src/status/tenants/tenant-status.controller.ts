import { Controller, Get, Param, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { bodyOf } from '#api/shared/http/request-context.js';
import { listOfStored, message } from '#api/status/envelopes.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { JSON_TYPE } from '#api/status/responses.js';
import { unknownEngineStatus } from '#domain/status/tenants/engine-status.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { engineStatusText } from '#projections/status/tenants/engine-status.js';
import { tenantCollections } from '#projections/status/tenants/tenants.js';
import { engineStatusBody } from './tenant-bodies.js';
import { type TenantPath, TenantResource } from './tenant-resource.js';

const NEVER_REPORTED = engineStatusText(unknownEngineStatus);
/** What closes a record in a list. */
const RECORD_END = '\n  }';

/** What the compute engine reports of a tenant (status contract 10). */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/tenants/:id/status')
export class TenantStatusController extends TenantResource {
  @Get()
  @AdminRoute('tenants.get_status')
  @ApiOperation({ summary: 'The engine status of a tenant, with whether everything is in place' })
  async get(@Param() { id }: TenantPath, @Res() reply: FastifyReply): Promise<void> {
    const [{ info }, stored] = await Promise.all([this.tenant(id), this.view.get(tenantCollections.engineStatus, id)]);
    const open = wireText({ id, info }, RECORD_DEPTH).slice(0, -RECORD_END.length);
    const record = `${open},\n   "status": ${stored?.toString('utf8') ?? NEVER_REPORTED}${RECORD_END}`;
    reply.type(JSON_TYPE).send(listOfStored([Buffer.from(record)]));
  }

  @Put()
  @AdminRoute('tenants.update_status')
  @ApiOperation({ summary: 'Replaces the engine status of a tenant' })
  @ApiBody({ schema: engineStatusBody.schema })
  async update(@Param() { id }: TenantPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { ams, hdfs, engine_config, last_check } = readBody(engineStatusBody, bodyOf(request));
    const status = { ams, hdfs, engine_config, last_check };
    await this.write(request, reply, { type: 'ReportTenantEngineStatus', tenantId: id, status });
    reply.type(JSON_TYPE).send(message('Tenant successfully updated'));
  }
}
