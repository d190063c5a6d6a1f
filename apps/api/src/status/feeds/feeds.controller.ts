import { Options } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation } from '@nestjs/swagger';
import { type Infer, list, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { json, methods } from '#api/status/answers.js';
import { listOf, listOfStored, withData } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import * as docs from '#api/status/openapi/topology.js';
import { Caller, type TenantCaller, TenantContext } from '#api/status/parameters.js';
import { SUPER, WRITERS } from '#api/status/roles.js';
import { Get, Put, StatusController } from '#api/status/route.js';
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
@StatusController('api/v2/feeds', 'status: feeds')
export class FeedsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly feeds: FeedQueries,
    private readonly tenants: TenantQueries,
  ) {}

  @Get('topology', { id: 'getTopologyFeed', summary: 'The topology feed', who: WRITERS, answers: docs.TOPOLOGY_FEED.shown })
  topology(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    return this.show(tenantId, 'topology');
  }

  @Put('topology', {
    id: 'setTopologyFeed',
    summary: 'Replaces the topology feed',
    who: WRITERS,
    body: topologyFeed,
    ...docs.TOPOLOGY_FEED.set,
  })
  async setTopology(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(topologyFeed) feed: Infer<typeof topologyFeed>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new SetTopologyFeed(context, { tenantId, feed })), feed);
  }

  @Get('weights', { id: 'getWeightsFeed', summary: 'The weights feed', who: WRITERS, answers: docs.WEIGHTS_FEED.shown })
  weights(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    return this.show(tenantId, 'weights');
  }

  @Put('weights', { id: 'setWeightsFeed', summary: 'Replaces the weights feed', who: WRITERS, body: weightsFeed, ...docs.WEIGHTS_FEED.set })
  async setWeights(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(weightsFeed) feed: Infer<typeof weightsFeed>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new SetWeightsFeed(context, { tenantId, feed })), feed);
  }

  @Get('data', {
    id: 'getDataFeed',
    summary: 'The tenants, by name, whose topology is shown in combined lists',
    who: WRITERS,
    answers: docs.DATA_FEED.shown,
  })
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

  @Put('data', {
    id: 'setDataFeed',
    summary: 'Names the tenants whose topology is shown in combined lists',
    who: WRITERS,
    body: dataFeed,
    ...docs.DATA_FEED.set,
  })
  async setData(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Body(dataFeed) feed: Infer<typeof dataFeed>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new SetDataFeed(context, { tenantId, tenantNames: feed.tenants })), feed);
  }

  @Get('data/readers', {
    id: 'getDataFeedReaders',
    summary: 'The tenants, by name, that may show the topology of the tenant in their combined lists',
    who: WRITERS,
    answers: docs.DATA_FEED_READERS.shown,
  })
  async readers(@Caller() { tenantId }: TenantCaller): Promise<Answer> {
    const slice = new TimeSlice();
    const names = await this.tenants.names(await this.feeds.readers(tenantId, slice), slice);
    return json(listOf([{ tenants: names.filter((name) => name !== undefined) }]));
  }

  @Put('data/readers', {
    id: 'setDataFeedReaders',
    summary: 'Agrees that these tenants, and no others, show the topology of the tenant in their combined lists',
    who: ['admin', ...SUPER],
    body: dataFeed,
    ...docs.DATA_FEED_READERS.set,
  })
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
