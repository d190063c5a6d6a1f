import { CommandBus } from '@nestjs/cqrs';
import { type Infer, list, named, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { Body } from '#api/shared/http/parameters.js';
import { json, listOf, listOfStored, withData } from '#api/status/answers/answers.js';
import type { WriteOutcome } from '#api/status/answers/written.js';
import { recordMembers, textOf, worded } from '#api/status/bodies.js';
import * as errors from '#api/status/errors.js';
import { lists } from '#api/status/openapi/envelopes.js';
import { Call, type StatusCall } from '#api/status/parameters.js';
import { AnswersOptions, inTenant, routesWith, StatusController, WRITERS } from '#api/status/route.js';
import { component } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Feed } from '#domain/status/feeds/feeds.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { AgreeWithReaders, ReplaceFeed, SetDataFeed } from './commands.js';

/** A feed in bodies and in answers. */
const feedOf = <T>(name: string, shape: Shape<T>, example: Readonly<Record<string, unknown>>) => ({
  sent: named(`${name}Request`, shape),
  shown: component(name, recordMembers(shape)).shownAs(example),
});
/** Tenants by name; they are stored by id. */
const tenantNames = (description: string) => struct({ tenants: worded(list(text), description, { maxItems: 100 }) });

const TOPOLOGY = feedOf(
  'StatusTopologyFeed',
  struct({ type: text, feed_url: text, paginated: textOf('a flag as text'), fetch_type: list(text), uid_endpoints: text }),
  {
    type: 'gocdb',
    feed_url: 'https://topology.example.org',
    paginated: 'true',
    fetch_type: ['Sites'],
    uid_endpoints: 'endpoint',
  },
);
const WEIGHTS = feedOf('StatusWeightsFeed', struct({ type: text, feed_url: text, weight_type: text, group_type: text }), {
  type: 'vapor',
  feed_url: 'https://weights.example.org',
  weight_type: 'hepspec',
  group_type: 'SITES',
});
const DATA = feedOf('StatusDataFeed', tenantNames('names of tenants whose topology is shown in combined lists'), { tenants: ['EGI'] });
const READERS_OF_DATA = feedOf(
  'StatusDataFeedReaders',
  tenantNames('names of tenants that may show the topology of the tenant in combined lists'),
  { tenants: ['EOSC'] },
);

const UPDATED = 'Feeds resource succesfully updated'; // sic

/** Declarations of routes that replace a feed. */
const replaces = ({ sent, shown }: ReturnType<typeof feedOf>) => ({
  body: sent,
  example: shown.example,
  answers: lists(shown, shown.example, UPDATED),
});

const replaced = ({ readable }: WriteOutcome, feed: object): Answer => json(withData(UPDATED, [feed]), { readable });

const { Get, Put } = routesWith({ who: WRITERS });

/** Data sources of a tenant (status extended contract 5): one object of each kind, replaced as a whole. */
@AnswersOptions('The methods of feeds', 'GET, PUT, OPTIONS')
@StatusController('api/v2/feeds', 'status: feeds')
export class FeedsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly feeds: FeedQueries,
    private readonly tenants: TenantQueries,
  ) {}

  @Get('topology', {
    id: 'getTopologyFeed',
    summary: 'The topology feed',
    errors: [errors.notFound()],
    answers: lists(TOPOLOGY.shown),
  })
  topology(@Call() { tenantId }: StatusCall): Promise<Answer> {
    return this.show(tenantId, 'topology');
  }

  @Put('topology', {
    id: 'setTopologyFeed',
    summary: 'Replaces the topology feed',
    ...replaces(TOPOLOGY),
  })
  async setTopology(@Call() { context, tenantId }: StatusCall, @Body(TOPOLOGY.sent) feed: Infer<typeof TOPOLOGY.sent>): Promise<Answer> {
    return replaced(await this.bus.execute(new ReplaceFeed(context, { tenantId, by: { kind: 'topology', feed } })), feed);
  }

  @Get('weights', {
    id: 'getWeightsFeed',
    summary: 'The weights feed',
    errors: [errors.notFound()],
    answers: lists(WEIGHTS.shown),
  })
  weights(@Call() { tenantId }: StatusCall): Promise<Answer> {
    return this.show(tenantId, 'weights');
  }

  @Put('weights', {
    id: 'setWeightsFeed',
    summary: 'Replaces the weights feed',
    ...replaces(WEIGHTS),
  })
  async setWeights(@Call() { context, tenantId }: StatusCall, @Body(WEIGHTS.sent) feed: Infer<typeof WEIGHTS.sent>): Promise<Answer> {
    return replaced(await this.bus.execute(new ReplaceFeed(context, { tenantId, by: { kind: 'weights', feed } })), feed);
  }

  @Get('data', {
    id: 'getDataFeed',
    summary: 'The tenants, by name, whose topology is shown in combined lists',
    errors: [
      errors.statusOnly(404, 'No tenant data feeds were defined. Please specify new ones!'),
      errors.statusOnly(404, 'Tenant with ID: EGI not found. Please update the feed correctly!'),
    ],
    answers: lists(DATA.shown),
  })
  async data(@Call() { tenantId }: StatusCall): Promise<Answer> {
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
    errors: [errors.statusOnly(404, 'Tenant EGI not found')],
    ...replaces(DATA),
  })
  async setData(@Call() { context, tenantId }: StatusCall, @Body(DATA.sent) feed: Infer<typeof DATA.sent>): Promise<Answer> {
    return replaced(await this.bus.execute(new SetDataFeed(context, { tenantId, tenantNames: feed.tenants })), feed);
  }

  @Get('data/readers', {
    id: 'getDataFeedReaders',
    summary: 'The tenants, by name, that may show the topology of the tenant in their combined lists',
    answers: lists(READERS_OF_DATA.shown),
  })
  async readers(@Call() { tenantId }: StatusCall): Promise<Answer> {
    const slice = new TimeSlice();
    const names = await this.tenants.names(await this.feeds.readers(tenantId, slice), slice);
    return json(listOf([{ tenants: names.filter((name) => name !== undefined) }]));
  }

  @Put('data/readers', {
    id: 'setDataFeedReaders',
    summary: 'Agrees that these tenants, and no others, show the topology of the tenant in their combined lists',
    who: inTenant('admin'),
    errors: [errors.statusOnly(404, 'Tenant EGI not found')],
    ...replaces(READERS_OF_DATA),
  })
  async setReaders(
    @Call() { context, tenantId }: StatusCall,
    @Body(READERS_OF_DATA.sent) feed: Infer<typeof READERS_OF_DATA.sent>,
  ): Promise<Answer> {
    return replaced(await this.bus.execute(new AgreeWithReaders(context, { tenantId, tenantNames: feed.tenants })), feed);
  }

  private async show(tenantId: string, kind: Feed['kind']): Promise<Answer> {
    const feed = await this.feeds.feed({ tenantId, kind });
    if (!feed) throw errors.notFound();
    return json(listOfStored([feed]));
  }
}
