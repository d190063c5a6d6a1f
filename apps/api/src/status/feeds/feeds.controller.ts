import { Controller, Get, Inject, Options, Put, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { list, readBody, struct, text } from '#api/shared/bodies/body-shape.js';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { bodyOf, contextOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { listOf, listOfStored, withData } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import { idsByTenantName, namesOfTenants } from '#api/status/tenants/tenant-names.js';
import type { Clock } from '#domain/shared/clock.js';
import { type DataFeed, type Feed, feeds, streamOfFeed } from '#domain/status/feeds/feeds.js';
import { overLimit, STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { FEEDS, FEEDS_PROJECTION, feedKey } from '#projections/status/feeds/feeds.js';
import { TENANTS_PROJECTION } from '#projections/status/tenants/tenants.js';

const topologyFeed = struct({ type: text, feed_url: text, paginated: text, fetch_type: list(text), uid_endpoints: text });
const weightsFeed = struct({ type: text, feed_url: text, weight_type: text, group_type: text });
/** Tenants by name; they are kept by id. */
const dataFeed = struct({ tenants: list(text) });

/** Where a tenant's data come from (status extended contract 5): one object of each kind, replaced as a whole. */
@ApiTags('status: feeds')
@ApiSecurity('x-api-key')
@Controller('api/v2/feeds')
export class FeedsController {
  private readonly view: ReadView;
  private readonly tenants: ReadView;

  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.view = store.view(FEEDS_PROJECTION);
    this.tenants = store.view(TENANTS_PROJECTION);
  }

  @Get('topology')
  @TenantRoute('feeds.topo.get')
  @ApiOperation({ summary: 'The topology feed' })
  topology(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.show(request, reply, 'topology');
  }

  @Put('topology')
  @TenantRoute('feeds.topo.update')
  @ApiOperation({ summary: 'Replaces the topology feed' })
  @ApiBody({ schema: topologyFeed.schema })
  async setTopology(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const feed = readBody(topologyFeed, bodyOf(request));
    await this.replace(request, reply, { kind: 'topology', feed }, feed);
  }

  @Get('weights')
  @TenantRoute('feeds.weights.get')
  @ApiOperation({ summary: 'The weights feed' })
  weights(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.show(request, reply, 'weights');
  }

  @Put('weights')
  @TenantRoute('feeds.weights.update')
  @ApiOperation({ summary: 'Replaces the weights feed' })
  @ApiBody({ schema: weightsFeed.schema })
  async setWeights(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const feed = readBody(weightsFeed, bodyOf(request));
    await this.replace(request, reply, { kind: 'weights', feed }, feed);
  }

  @Get('data')
  @TenantRoute('feeds.data.get')
  @ApiOperation({ summary: 'The tenants, by name, whose topology is shown in combined lists' })
  async data(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const bytes = await this.stored(request, 'data');
    if (!bytes) throw errors.statusOnly(404, 'No tenant data feeds were defined. Please specify new ones!');
    const { tenants: ids } = JSON.parse(bytes.toString('utf8')) as DataFeed;
    const names = await namesOfTenants(this.tenants, ids);
    const tenants = ids.map((id, index) => {
      const name = names[index];
      if (name === undefined) throw errors.statusOnly(404, `Tenant with ID: ${id} not found. Please update the feed correctly!`);
      return name;
    });
    reply.type(JSON_TYPE).send(listOf([{ tenants }]));
  }

  @Put('data')
  @TenantRoute('feeds.data.update')
  @ApiOperation({ summary: 'Names the tenants whose topology is shown in combined lists' })
  @ApiBody({ schema: dataFeed.schema })
  async setData(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const feed = readBody(dataFeed, bodyOf(request));
    sizeWithin('feedSize', feed);
    if (feed.tenants.length > STATUS_LIMITS.feedTenants.value) throw overLimit('feedTenants');
    const ids = await idsByTenantName(this.tenants, new Set(feed.tenants));
    const tenants = feed.tenants.map((name) => {
      const id = ids.get(name);
      if (id === undefined) throw errors.statusOnly(404, `Tenant ${name} not found`);
      return id;
    });
    await this.replace(request, reply, { kind: 'data', feed: { tenants } }, feed);
  }

  @Options(['topology', 'weights', 'data'])
  @ApiOperation({ summary: 'The methods of feeds' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, PUT, OPTIONS');
  }

  private stored(request: FastifyRequest, kind: Feed['kind']): Promise<Buffer | null> {
    return this.view.get(FEEDS, feedKey(tenantAdmission(request).caller.tenantId, kind));
  }

  private async show(request: FastifyRequest, reply: FastifyReply, kind: Feed['kind']): Promise<void> {
    const bytes = await this.stored(request, kind);
    if (!bytes) throw errors.notFound();
    reply.type(JSON_TYPE).send(listOfStored([bytes]));
  }

  private async replace(request: FastifyRequest, reply: FastifyReply, by: Feed, submitted: object): Promise<void> {
    const { tenantId, actorId } = tenantAdmission(request).caller;
    const context = contextOf(request, 'status', { kind: 'user', id: actorId }, this.clock);
    const command = { type: 'ReplaceFeed', tenantId, by } as const;
    const { readable } = await this.commands.execute(new StreamWrite(streamOfFeed(tenantId, by.kind), feeds, command, context));
    noteReadability(reply, readable);
    reply.type(JSON_TYPE).send(withData('Feeds resource succesfully updated', [submitted])); // sic
  }
}
