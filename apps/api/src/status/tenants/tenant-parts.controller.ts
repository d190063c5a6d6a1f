import { Controller, Get, HttpCode, Options, Param, Post, Put } from '@nestjs/common';
import { type Command, CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import { message, one } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { AdminRoute } from '#api/status/http-policy.js';
import { AdminContext } from '#api/status/parameters.js';
import type { WriteOutcome } from '#api/status/written.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { isReady, type Readiness, type Ready } from '#domain/status/tenants/readiness.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import {
  ReplaceTenantDatabases,
  ReplaceTenantTopology,
  ReportTenantReadiness,
  ReviseTenantInfo,
  SetTenantAsNode,
  UnsetTenantAsNode,
} from './commands.js';
import { databasesBody, infoBody, readinessBody, topologyBody } from './tenant-bodies.js';
import { TenantReadiness } from './tenant-readiness.js';

type TenantPath = Readonly<{ id: string }>;

const shown = ({ ready, message: text }: Ready): object => ({ ready, ...(text && { message: text }) });

/** Members in the order of the wire. */
const readyView = (id: string, name: string, readiness: Readiness): object => ({
  id,
  name,
  ready: isReady(readiness),
  data: shown(readiness.data),
  topology: shown(readiness.topology),
  reports: shown(readiness.reports),
  last_check: readiness.last_check,
});

/** Parts of a tenant that are replaced by themselves (status contract of 2026, 3). */
@ApiTags('status: tenants')
@ApiSecurity('x-api-key')
@Controller('api/v2/admin/tenants/:id')
export class TenantPartsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
    private readonly readiness: TenantReadiness,
  ) {}

  @Put('info')
  @AdminRoute('tenants.update_info')
  @ApiOperation({ summary: 'Replaces the info of a tenant: what is left out is empty' })
  @ApiBody({ schema: schemaOf(infoBody) })
  info(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(infoBody) { info }: Infer<typeof infoBody>,
  ): Promise<Answer> {
    return this.revise(new ReviseTenantInfo(context, { tenantId: id, info }), 'Tenant info successfully updated');
  }

  @Put('db-conf')
  @AdminRoute('tenants.update_db_conf')
  @ApiOperation({ summary: 'Replaces the databases of a tenant' })
  @ApiBody({ schema: schemaOf(databasesBody) })
  databases(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(databasesBody) { db_conf: databases }: Infer<typeof databasesBody>,
  ): Promise<Answer> {
    return this.revise(
      new ReplaceTenantDatabases(context, { tenantId: id, databases }),
      'Tenant database configuration successfully updated',
    );
  }

  @Put('topology')
  @AdminRoute('tenants.update_topology')
  @ApiOperation({ summary: 'Replaces where the topology of a tenant comes from' })
  @ApiBody({ schema: schemaOf(topologyBody) })
  topology(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(topologyBody) { topology }: Infer<typeof topologyBody>,
  ): Promise<Answer> {
    return this.revise(
      new ReplaceTenantTopology(context, { tenantId: id, topology }),
      'Tenant topology configuration successfully updated',
    );
  }

  @Get('ready')
  @AdminRoute('tenants.get_ready')
  @ApiOperation({ summary: 'Whether data, topology and reports of a tenant are in place: as it was said, else as there are some' })
  async ready(@Param() { id }: TenantPath): Promise<Answer> {
    const tenant = await this.tenants.tenant(id);
    if (!tenant) throw errors.notFound();
    return json(one(readyView(id, tenant.info.name, await this.readiness.of(id))));
  }

  @Put('ready')
  @AdminRoute('tenants.update_ready')
  @ApiOperation({ summary: 'Says whether data, topology and reports of a tenant are in place' })
  @ApiBody({ schema: schemaOf(readinessBody) })
  report(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(readinessBody) { data, topology, reports, last_check }: Readiness,
  ): Promise<Answer> {
    const readiness = { data, topology, reports, last_check };
    return this.revise(new ReportTenantReadiness(context, { tenantId: id, readiness }), 'Tenant successfully updated');
  }

  @Post('node-set')
  @HttpCode(200)
  @AdminRoute('tenants.node_set', 'none')
  @ApiOperation({ summary: 'Makes a tenant a node' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  setAsNode(@AdminContext() context: CommandContext, @Param() { id }: TenantPath): Promise<Answer> {
    return this.revise(new SetTenantAsNode(context, { tenantId: id }), 'Tenant has been set as node');
  }

  @Post('node-unset')
  @HttpCode(200)
  @AdminRoute('tenants.node_unset', 'none')
  @ApiOperation({ summary: 'Makes a tenant no node any more' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  unsetAsNode(@AdminContext() context: CommandContext, @Param() { id }: TenantPath): Promise<Answer> {
    return this.revise(new UnsetTenantAsNode(context, { tenantId: id }), 'Tenant has been unset from being a node');
  }

  @Options(['info', 'db-conf', 'topology'])
  @ApiOperation({ summary: 'The methods of the parts of a tenant' })
  options(): Answer {
    return methods('PUT, OPTIONS');
  }

  @Options('ready')
  @ApiOperation({ summary: 'The methods of the readiness of a tenant' })
  optionsOfReady(): Answer {
    return methods('GET, PUT, OPTIONS');
  }

  @Options(['node-set', 'node-unset'])
  @ApiOperation({ summary: 'The methods of a tenant as a node' })
  optionsOfNode(): Answer {
    return methods('POST, OPTIONS');
  }

  private async revise(revision: Command<WriteOutcome>, text: string): Promise<Answer> {
    const { readable } = await this.bus.execute(revision);
    return json(message(text), { readable });
  }
}
