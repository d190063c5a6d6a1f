import { Controller, Delete, Get, HttpCode, Inject, Options, Post, Query, Req, Res, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { list, readBody, type Shape } from '#api/shared/bodies/body-shape.js';
import { bodyOf, firstOf } from '#api/shared/http/request-context.js';
import { elementsOf } from '#api/shared/json/json-elements.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { DayListReader } from '#api/status/day-lists/day-list-reader.js';
import { type BodyItems, DayListWriter } from '#api/status/day-lists/day-list-writer.js';
import { DATE_QUERY, dayIn } from '#api/status/day-query.js';
import { listOfPages } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import type { Clock } from '#domain/shared/clock.js';
import type { DayList } from '#domain/status/day-lists/day-lists.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DAY_LISTS_PROJECTION } from '#projections/status/day-lists/day-lists.js';
import { wireText } from '#projections/status/layout.js';
import { filterOfQuery, NO_FILTER } from './topology-filter.js';
import { type Neighbour, type TenantShare, TopologyReader } from './topology-reader.js';

/** What one kind of topology list adds to the calls that all kinds share (status extended contract 3.1 to 3.3). */
export type TopologyRoutes<Body, Item extends object> = Readonly<{
  list: DayList<Item>;
  /** Last segment of the path. */
  path: string;
  /** Prefix of the route names in the role table. */
  routes: 'topology_endpoints' | 'topology_groups' | 'topology_service_types';
  /** `date` and `tenant` of an item are checked for their type and otherwise ignored. */
  shape: Shape<Body>;
  item: (body: Body) => Item;
  /** Members by which a list can be filtered, beside the tags; none: it cannot be filtered at all. */
  filters: readonly string[];
  /** `what` is listed, for example `endpoints`; `taken` begins the text for a day that has a list already. */
  texts: Readonly<{ what: string; taken: string }>;
  /** Whether lists of other tenants make up for the lack of an own one in a combined answer. */
  othersSuffice: boolean;
}>;

type Filters = Readonly<Record<string, unknown>>;

/** The parameter of calls that can show the topology of other tenants too. */
export const MODE_QUERY = { name: 'mode', required: false, description: '`combined`: with the lists of the tenants of the data feed' };

export const isCombined = (query: Filters): boolean => firstOf(query.mode) === 'combined';

/** The controller of one kind of topology list. */
export const topologyController = <Body, Item extends object>(kind: TopologyRoutes<Body, Item>): Type => {
  const { routes, texts } = kind;
  const itemsIn = (body: Buffer): BodyItems<Item> => ({
    places: () => elementsOf(body),
    read: ({ start, end }) => kind.item(readBody(kind.shape, body.subarray(start, end))),
  });
  const filterable = kind.filters.length > 0;

  const FilterQueries = (): MethodDecorator => (target, key, descriptor) => {
    for (const name of filterable ? [...kind.filters, 'tags'] : []) ApiQuery({ name, required: false })(target, key, descriptor);
  };

  @ApiTags('status: topology')
  @ApiSecurity('x-api-key')
  @Controller(`api/v2/topology/${kind.path}`)
  class TopologyController {
    private readonly reader: TopologyReader;
    private readonly writer: DayListWriter<Item>;

    constructor(
      commands: CommandBus,
      @Inject(READ_STORE) store: ReadStore,
      @Inject(CLOCK) private readonly clock: Clock,
    ) {
      this.reader = new TopologyReader(store);
      this.writer = new DayListWriter(kind.list, commands, new DayListReader(store.view(DAY_LISTS_PROJECTION), kind.list), clock);
    }

    @Get()
    @TenantRoute(`${routes}.list`)
    @ApiOperation({ summary: `The newest list of ${texts.what} up to a day` })
    @ApiQuery(DATE_QUERY)
    @ApiQuery(MODE_QUERY)
    @FilterQueries()
    async list(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const day = dayIn(query, this.clock);
      const filter = filterable ? filterOfQuery(query, kind.filters) : NO_FILTER;
      const { tenantId } = tenantAdmission(request).caller;
      const share = this.reader.list(kind.list, day, filter);
      const own = await share.read(tenantId);
      const others = isCombined(query) ? await this.reader.neighbours(tenantId) : [];
      if (!own && !(kind.othersSuffice && (await this.anyHas(share, others)))) throw errors.queryFoundNothing();
      reply.type(JSON_TYPE).send(await listOfPages(this.reader.combined(share, own, others)));
    }

    @Post()
    @HttpCode(201)
    @TenantRoute(`${routes}.insert`, 'dayList')
    @ApiOperation({ summary: `Writes the list of ${texts.what} of a day that has none` })
    @ApiQuery(DATE_QUERY)
    @ApiHeader({ name: 'Idempotency-Key', required: false })
    @ApiBody({ schema: list(kind.shape).schema })
    async insert(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const day = dayIn(query, this.clock);
      const count = await this.writer.create(request, reply, day, {
        items: () => itemsIn(bodyOf(request) ?? Buffer.alloc(0)),
        taken: () =>
          errors.messageOnly(409, `${texts.taken} already exists for date: ${day}, please either update it or delete it first!`, true),
      });
      this.send(reply, 201, `Topology of ${count} ${texts.what} created for date: ${day}`);
    }

    @Delete()
    @TenantRoute(`${routes}.delete`)
    @ApiOperation({ summary: `Deletes the list of ${texts.what} of exactly that day` })
    @ApiQuery(DATE_QUERY)
    async delete(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const day = dayIn(query, this.clock);
      const count = await this.writer.delete(request, reply, day, errors.queryFoundNothing);
      this.send(reply, 200, `Topology of ${count} ${texts.what} deleted for date: ${day}`);
    }

    @Options()
    @ApiOperation({ summary: `The methods of ${texts.what}` })
    options(@Res() reply: FastifyReply): void {
      answerOptions(reply, 'GET, POST, DELETE, OPTIONS');
    }

    private async anyHas(share: TenantShare, tenants: readonly Neighbour[]): Promise<boolean> {
      for (const { id } of tenants) if (await share.has(id)) return true;
      return false;
    }

    private send(reply: FastifyReply, code: number, text: string): void {
      reply
        .code(code)
        .type(JSON_TYPE)
        .send(wireText({ message: text, code: `${code}` }));
    }
  }
  return TopologyController;
};
