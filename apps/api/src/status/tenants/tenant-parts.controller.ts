import { CommandBus } from '@nestjs/cqrs';
import { type Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { done, json, one } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { says } from '#api/status/openapi/envelopes.js';
import { Admin, type AdminCall } from '#api/status/parameters.js';
import { TENANT_ID } from '#api/status/queries.js';
import { AnswersOptions, routesWith, StatusController, SUPER } from '#api/status/route.js';
import type { Static } from '#domain/shared/shape.js';
import { type InputReadiness, isReady, type Readiness } from '#domain/status/tenants/readiness.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import {
  ReplaceTenantDatabases,
  ReplaceTenantTopology,
  ReportTenantReadiness,
  ReviseTenantInfo,
  SetTenantAsNode,
  UnsetTenantAsNode,
} from './commands.js';
import { type READINESS, type READY, SENT_DATABASES, SENT_INFO, SENT_TOPOLOGY, SHOWS_READINESS } from './openapi.js';
import { databasesBody, infoBody, readinessBody, topologyBody } from './tenant-bodies.js';
import { TenantReadiness } from './tenant-readiness.js';

const shown = ({ ready, message: text }: InputReadiness): Static<typeof READY> => ({ ready, message: text || undefined });

/** Members in the order of the wire. */
const readyView = (id: string, name: string, readiness: Readiness): Static<typeof READINESS> => ({
  id,
  name,
  ready: isReady(readiness),
  data: shown(readiness.data),
  topology: shown(readiness.topology),
  reports: shown(readiness.reports),
  last_check: readiness.last_check,
});

const SET_UP = { ready: true, message: '' };

const DONE = {
  info: 'Tenant info successfully updated',
  databases: 'Tenant database configuration successfully updated',
  topology: 'Tenant topology configuration successfully updated',
  report: 'Tenant successfully updated',
  setAsNode: 'Tenant has been set as node',
  unsetAsNode: 'Tenant has been unset from being a node',
} as const;

const { Get, Post, Put } = routesWith({ who: SUPER, path: TENANT_ID });

/** Parts of a tenant that are replaced separately (status contract of 2026, 3). */
@AnswersOptions('The methods of a tenant as a node', 'POST, OPTIONS', ['node-set', 'node-unset'])
@AnswersOptions('The methods of the readiness of a tenant', 'GET, PUT, OPTIONS', ['ready'])
@AnswersOptions('The methods of the parts of a tenant', 'PUT, OPTIONS', ['info', 'db-conf', 'topology'])
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
    body: infoBody,
    example: { info: SENT_INFO },
    errors: [errors.conflict('Tenant with same name already exists')],
    answers: says(DONE.info),
  })
  info(@Admin() { context, tenantId }: AdminCall, @Body(infoBody) { info }: Infer<typeof infoBody>): Promise<Answer> {
    return done(this.bus.execute(new ReviseTenantInfo(context, { tenantId, info })), DONE.info);
  }

  @Put('db-conf', {
    id: 'updateTenantDatabases',
    summary: 'Replaces the databases of a tenant',
    body: databasesBody,
    example: { db_conf: SENT_DATABASES },
    answers: says(DONE.databases),
  })
  databases(
    @Admin() { context, tenantId }: AdminCall,
    @Body(databasesBody) { db_conf: databases }: Infer<typeof databasesBody>,
  ): Promise<Answer> {
    return done(this.bus.execute(new ReplaceTenantDatabases(context, { tenantId, databases })), DONE.databases);
  }

  @Put('topology', {
    id: 'updateTenantTopology',
    summary: 'Replaces where the topology of a tenant comes from',
    body: topologyBody,
    example: { topology: SENT_TOPOLOGY },
    answers: says(DONE.topology),
  })
  topology(@Admin() { context, tenantId }: AdminCall, @Body(topologyBody) { topology }: Infer<typeof topologyBody>): Promise<Answer> {
    return done(this.bus.execute(new ReplaceTenantTopology(context, { tenantId, topology })), DONE.topology);
  }

  @Get('ready', {
    id: 'getTenantReadiness',
    summary: 'Whether data, topology and reports of a tenant are in place: as it was said, else as there are some',
    answers: SHOWS_READINESS,
  })
  async ready(@Admin() { tenantId }: AdminCall): Promise<Answer> {
    const tenant = await this.tenants.tenant(tenantId);
    if (!tenant) throw errors.notFound();
    return json(one(readyView(tenantId, tenant.info.name, await this.readiness.of(tenantId))));
  }

  @Put('ready', {
    id: 'updateTenantReadiness',
    summary: 'Says whether data, topology and reports of a tenant are in place',
    body: readinessBody,
    example: { data: SET_UP, topology: SET_UP, reports: SET_UP, last_check: '2026-03-01T12:00:00Z' },
    answers: says(DONE.report),
  })
  report(
    @Admin() { context, tenantId }: AdminCall,
    @Body(readinessBody) { data, topology, reports, last_check }: Readiness,
  ): Promise<Answer> {
    const readiness = { data, topology, reports, last_check };
    return done(this.bus.execute(new ReportTenantReadiness(context, { tenantId, readiness })), DONE.report);
  }

  @Post('node-set', {
    id: 'setTenantAsNode',
    summary: 'Makes a tenant a node',
    limit: 'none',
    answers: says(DONE.setAsNode),
  })
  setAsNode(@Admin() { context, tenantId }: AdminCall): Promise<Answer> {
    return done(this.bus.execute(new SetTenantAsNode(context, { tenantId })), DONE.setAsNode);
  }

  @Post('node-unset', {
    id: 'unsetTenantAsNode',
    summary: 'Makes a tenant no node any more',
    limit: 'none',
    answers: says(DONE.unsetAsNode),
  })
  unsetAsNode(@Admin() { context, tenantId }: AdminCall): Promise<Answer> {
    return done(this.bus.execute(new UnsetTenantAsNode(context, { tenantId })), DONE.unsetAsNode);
  }
}
