import { Options, Param } from '@nestjs/common';
import { type Command, CommandBus } from '@nestjs/cqrs';
import { ApiOperation } from '@nestjs/swagger';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { component } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import { message, one } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { envelopeOf, says, shows } from '#api/status/openapi/envelopes.js';
import { TENANT_ID } from '#api/status/openapi/parameters.js';
import * as states from '#api/status/openapi/tenant-states.js';
import * as docs from '#api/status/openapi/tenants.js';
import { AdminContext } from '#api/status/parameters.js';
import { SUPER } from '#api/status/roles.js';
import { Get, Post, Put, StatusController } from '#api/status/route.js';
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

/** What is answered when it is done. */
const DONE = {
  info: 'Tenant info successfully updated',
  databases: 'Tenant database configuration successfully updated',
  topology: 'Tenant topology configuration successfully updated',
  report: 'Tenant successfully updated',
  setAsNode: 'Tenant has been set as node',
  unsetAsNode: 'Tenant has been unset from being a node',
} as const;

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
@StatusController('api/v2/admin/tenants/:id', 'status: tenants')
export class TenantPartsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly tenants: TenantQueries,
    private readonly readiness: TenantReadiness,
  ) {}

  @Put('info', {
    id: 'updateTenantInfo',
    summary: 'Replaces the info of a tenant: what is left out is empty',
    who: SUPER,
    keys: 'admin',
    path: TENANT_ID,
    body: infoBody,
    request: component('StatusTenantInfoChange', { info: docs.INFO_REQUEST }),
    ignores: docs.IGNORED,
    example: { info: docs.SENT_INFO },
    answers: says(DONE.info),
  })
  info(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(infoBody) { info }: Infer<typeof infoBody>,
  ): Promise<Answer> {
    return this.revise(new ReviseTenantInfo(context, { tenantId: id, info }), DONE.info);
  }

  @Put('db-conf', {
    id: 'updateTenantDatabases',
    summary: 'Replaces the databases of a tenant',
    who: SUPER,
    keys: 'admin',
    path: TENANT_ID,
    body: databasesBody,
    request: component('StatusTenantDatabasesChange', { db_conf: [docs.DATABASE_REQUEST] }),
    example: { db_conf: docs.SENT_DATABASES },
    answers: says(DONE.databases),
  })
  databases(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(databasesBody) { db_conf: databases }: Infer<typeof databasesBody>,
  ): Promise<Answer> {
    return this.revise(new ReplaceTenantDatabases(context, { tenantId: id, databases }), DONE.databases);
  }

  @Put('topology', {
    id: 'updateTenantTopology',
    summary: 'Replaces where the topology of a tenant comes from',
    who: SUPER,
    keys: 'admin',
    path: TENANT_ID,
    body: topologyBody,
    request: component('StatusTenantTopologyChange', { topology: docs.TOPOLOGY_REQUEST }),
    example: { topology: docs.SENT_TOPOLOGY },
    answers: says(DONE.topology),
  })
  topology(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(topologyBody) { topology }: Infer<typeof topologyBody>,
  ): Promise<Answer> {
    return this.revise(new ReplaceTenantTopology(context, { tenantId: id, topology }), DONE.topology);
  }

  @Get('ready', {
    id: 'getTenantReadiness',
    summary: 'Whether data, topology and reports of a tenant are in place: as it was said, else as there are some',
    who: SUPER,
    keys: 'admin',
    path: TENANT_ID,
    answers: shows(envelopeOf('StatusReadinessOfTenant', states.READINESS), {
      id: docs.ID,
      name: 'EGI',
      ready: true,
      data: { ready: true },
      topology: { ready: true },
      reports: { ready: true },
      last_check: '2026-03-01T12:00:00Z',
    }),
  })
  async ready(@Param() { id }: TenantPath): Promise<Answer> {
    const tenant = await this.tenants.tenant(id);
    if (!tenant) throw errors.notFound();
    return json(one(readyView(id, tenant.info.name, await this.readiness.of(id))));
  }

  @Put('ready', {
    id: 'updateTenantReadiness',
    summary: 'Says whether data, topology and reports of a tenant are in place',
    who: SUPER,
    keys: 'admin',
    path: TENANT_ID,
    body: readinessBody,
    request: states.READINESS_REQUEST,
    example: { data: states.SET_UP, topology: states.SET_UP, reports: states.SET_UP, last_check: '2026-03-01T12:00:00Z' },
    answers: says(DONE.report),
  })
  report(
    @AdminContext() context: CommandContext,
    @Param() { id }: TenantPath,
    @Body(readinessBody) { data, topology, reports, last_check }: Readiness,
  ): Promise<Answer> {
    const readiness = { data, topology, reports, last_check };
    return this.revise(new ReportTenantReadiness(context, { tenantId: id, readiness }), DONE.report);
  }

  @Post('node-set', {
    id: 'setTenantAsNode',
    summary: 'Makes a tenant a node',
    who: SUPER,
    keys: 'admin',
    limit: 'none',
    path: TENANT_ID,
    answers: says(DONE.setAsNode),
  })
  setAsNode(@AdminContext() context: CommandContext, @Param() { id }: TenantPath): Promise<Answer> {
    return this.revise(new SetTenantAsNode(context, { tenantId: id }), DONE.setAsNode);
  }

  @Post('node-unset', {
    id: 'unsetTenantAsNode',
    summary: 'Makes a tenant no node any more',
    who: SUPER,
    keys: 'admin',
    limit: 'none',
    path: TENANT_ID,
    answers: says(DONE.unsetAsNode),
  })
  unsetAsNode(@AdminContext() context: CommandContext, @Param() { id }: TenantPath): Promise<Answer> {
    return this.revise(new UnsetTenantAsNode(context, { tenantId: id }), DONE.unsetAsNode);
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
