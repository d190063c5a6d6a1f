import { Controller, Get, Options, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type Infer, list, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json, methods } from '#api/status/answers.js';
import { listOf, listOfStored, withData } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { Caller, type TenantCaller, TenantContext } from '#api/status/parameters.js';
import type { WriteOutcome } from '#api/status/written.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Feed } from '#domain/status/feeds/feeds.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { AgreeWithReaders, SetDataFeed, SetTopologyFeed, SetWeightsFeed } from './commands.js';

const topologyFeed = struct({ type: text, feed_url: text, paginated: text, fetch_type: list(text), uid_endpoints: text });
const weightsFeed = struct({ type: text, feed_url: text, weight_type: text, group_type: text });
/** Tenants by name; they are kept by id. */
const dataFeed = struct({ tenants: list(text) });

const replaced = ({ readable }: WriteOutcome, feed: object): Answer =>
  json(withData('Feeds resource succesfully updated', [feed]), { readable }); // sic

/** Where a tenant's data come from (status extended contract 5): one object of each kind, replaced as a whole. */
@ApiTags('status: feeds')
@ApiSecurity('x-api-key')
@Controller('api/v2/feeds')
export class FeedsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly feeds: FeedQueries,
    private readonly tenants: TenantQueries,
  ) {}

  @Get('topology')
  @TenantRoute('feeds.topo.get')
  @ApiOperation({ summary: 'The topology feed' })
  topology(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    return this.show(tenantId, 'topology');
  }

  @Put('topology')
  @TenantRoute('feeds.topo.update')
  @ApiOperation({ summary: 'Replaces the topology feed' })
  @ApiBody({ schema: schemaOf(topologyFeed) })
  async setTopology(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(topologyFeed) feed: Infer<typeof topologyFeed>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new SetTopologyFeed(context, { tenantId, feed })), feed);
  }

  @Get('weights')
  @TenantRoute('feeds.weights.get')
  @ApiOperation({ summary: 'The weights feed' })
  weights(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    return this.show(tenantId, 'weights');
  }

  @Put('weights')
  @TenantRoute('feeds.weights.update')
  @ApiOperation({ summary: 'Replaces the weights feed' })
  @ApiBody({ schema: schemaOf(weightsFeed) })
  async setWeights(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(weightsFeed) feed: Infer<typeof weightsFeed>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new SetWeightsFeed(context, { tenantId, feed })), feed);
  }

  @Get('data')
  @TenantRoute('feeds.data.get')
  @ApiOperation({ summary: 'The tenants, by name, whose topology is shown in combined lists' })
  async data(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    const ids = await this.feeds.tenantsOfDataFeed(tenantId);
    if (!ids) throw errors.statusOnly(404, 'No tenant data feeds were defined. Please specify new ones!');
    const names = await this.tenants.names(ids, new TimeSlice());
    const tenants = ids.map((id, index) => {
      const name = names[index];
      if (name === undefined) throw errors.statusOnly(404, `Tenant with ID: ${id} not found. Please update the feed correctly!`);
      return name;
    });
    return json(listOf([{ tenants }]));
  }

  @Put('data')
  @TenantRoute('feeds.data.update')
  @ApiOperation({ summary: 'Names the tenants whose topology is shown in combined lists' })
  @ApiBody({ schema: schemaOf(dataFeed) })
  async setData(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(dataFeed) feed: Infer<typeof dataFeed>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new SetDataFeed(context, { tenantId, tenantNames: feed.tenants })), feed);
  }

  @Get('data/readers')
  @TenantRoute('feeds.data_readers.get')
  @ApiOperation({ summary: 'The tenants, by name, that may show the topology of the tenant in their combined lists' })
  async readers(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    const slice = new TimeSlice();
    const names = await this.tenants.names(await this.feeds.readers(tenantId, slice), slice);
    return json(listOf([{ tenants: names.filter((name) => name !== undefined) }]));
  }

  @Put('data/readers')
  @TenantRoute('feeds.data_readers.update')
  @ApiOperation({ summary: 'Agrees that these tenants, and no others, show the topology of the tenant in their combined lists' })
  @ApiBody({ schema: schemaOf(dataFeed) })
  async setReaders(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(dataFeed) feed: Infer<typeof dataFeed>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new AgreeWithReaders(context, { tenantId, tenantNames: feed.tenants })), feed);
  }

  @Options(['topology', 'weights', 'data', 'data/readers'])
  @ApiOperation({ summary: 'The methods of feeds' })
  options(): Answer {
    return methods('GET, PUT, OPTIONS');
  }

  private async show(tenantId: string, kind: Feed['kind']): Promise<Answer> {
    const feed = await this.feeds.feed({ tenantId, kind });
    if (!feed) throw errors.notFound();
    return json(listOfStored([feed]));
  }
}
