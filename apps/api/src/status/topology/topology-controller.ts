import { Inject, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { limited, list, readBody, type Shape } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { BodyBytes } from '#api/shared/http/parameters.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { elementsOf } from '#api/shared/json/json-elements.js';
import { parameter } from '#api/shared/openapi/described.js';
import { json, listOfPages } from '#api/status/answers/answers.js';
import type { DayListCommands, SentItems } from '#api/status/day-lists/commands.js';
import { dayListQueriesOf } from '#api/status/day-lists/providers.js';
import { refused } from '#api/status/day-lists/refused.js';
import * as errors from '#api/status/errors.js';
import { lists, saysPlainly } from '#api/status/openapi/envelopes.js';
import { Call, Day, type StatusCall } from '#api/status/parameters.js';
import { DATE, SERVICE } from '#api/status/queries.js';
import { AnswersOptions, Delete, Get, Post, StatusController, WRITERS } from '#api/status/route.js';
import { type Component, oneOf } from '#domain/shared/shape.js';
import type { Day as DayText } from '#domain/shared/time.js';
import type { DayList } from '#domain/status/day-lists/day-lists.js';
import { NO_FILTER } from '#domain/status/topology/topology-filter.js';
import type { DayListQueries } from '#projections/status/day-lists/queries.js';
import { wireText } from '#projections/status/layout.js';
import { LIST_DAY } from './topology-bodies.js';
import { type Neighbour, type TenantShare, TopologyLists } from './topology-lists.js';
import { filterOfQuery } from './topology-query.js';

/** Differences of one kind of topology list from the calls that all kinds share (status extended contract 3.1 to 3.3). */
export type TopologyKind<Body, Item extends object> = Readonly<{
  list: DayList<Item>;
  path: string;
  /** Last part of the ids of operations. */
  noun: string;
  /** `date` and `tenant` of an item are checked for their type and otherwise ignored. */
  shape: Shape<Body>;
  /** An item in answers. */
  record: Component;
  /** An item in bodies. */
  example: object;
  item: (body: Body) => Item;
  commands: DayListCommands<Item>;
  /** Members by which a list can be filtered, in addition to the tags; if empty it cannot be filtered at all. */
  filters: readonly (keyof typeof FILTERS)[];
  /** `what`: the listed items, for example `endpoints`; `taken`: first word of the error for a day that already has a list. */
  texts: Readonly<{ what: string; taken: string }>;
  /** Set if a combined answer needs no list of the tenant itself. */
  othersSuffice: boolean;
}>;

type Filters = Readonly<Record<string, unknown>>;

/** Parameter of calls that can include the topology of other tenants. */
export const MODE = { mode: parameter(oneOf('combined'), '`combined`: with the lists of the tenants of the data feed') };

export const isCombined = (query: Filters): boolean => firstOf(query.mode) === 'combined';

const FORCE = { force: parameter(oneOf('true', '1'), '`true` or `1`: a list that the day has is replaced') };

const ANY_TEXT = '`*` stands for any text, `~` before it for any other';
const FILTERS = {
  group: parameter('text', `only items of this group; ${ANY_TEXT}`),
  type: parameter('text', 'only items of this type of group; likewise'),
  ...SERVICE,
  hostname: parameter('text', `only items of this host; ${ANY_TEXT}`),
  subgroup: parameter('text', `only items with this subgroup; ${ANY_TEXT}`),
  tags: parameter('text', 'only items with these tags: `key:value`, separated by commas'),
};

const isForced = (query: Filters): boolean => ['true', '1'].includes(firstOf(query.force) ?? '');

const messageAnswer = (status: number, text: string, readable: boolean): Answer =>
  json(wireText({ message: text, code: `${status}` }), { status, readable });
export const topologyController = <Body, Item extends object>(kind: TopologyKind<Body, Item>): Type => {
  const { noun, texts, commands, record, example } = kind;
  const done = (count: number, how: 'created' | 'deleted', day: DayText): string =>
    `Topology of ${count} ${texts.what} ${how} for date: ${day}`;
  const taken = (day: DayText): errors.StatusError =>
    errors.messageOnly(409, `${texts.taken} already exists for date: ${day}, please either update it or delete it first!`, true);
  const itemsIn = (body: Buffer): SentItems<Item> => ({
    places: () => elementsOf(body),
    read: ({ start, end }) => kind.item(readBody(kind.shape, body.subarray(start, end))),
  });
  const filterable = kind.filters.length > 0;

  const filters = Object.fromEntries((filterable ? [...kind.filters, 'tags' as const] : []).map((name) => [name, FILTERS[name]] as const));

  @AnswersOptions(`The methods of ${texts.what}`, 'GET, POST, DELETE, OPTIONS')
  @StatusController(kind.path, 'status: topology')
  class TopologyController {
    constructor(
      private readonly bus: CommandBus,
      private readonly lists: TopologyLists,
      @Inject(dayListQueriesOf(kind.list)) private readonly queries: DayListQueries,
    ) {}

    @Get('', {
      id: `list${noun}`,
      summary: `The newest list of ${texts.what} up to a day`,
      who: WRITERS,
      query: { ...filters, ...MODE, ...DATE },
      errors: [errors.queryFoundNothing()],
      answers: lists(record),
    })
    async list(@Call() { caller, tenantId, query }: StatusCall, @Day() day: DayText): Promise<Answer> {
      const filter = filterable ? filterOfQuery(query, kind.filters) : NO_FILTER;
      const share = this.lists.list(this.queries, day, filter);
      const own = await share.read(tenantId);
      const others = isCombined(query) ? await this.lists.neighbours(caller) : [];
      if (!own && !(kind.othersSuffice && (await this.anyHas(share, others)))) throw errors.queryFoundNothing();
      return json(await listOfPages(this.lists.combined(share, own, others)));
    }

    @Post('', {
      id: `create${noun}`,
      summary: `Writes the list of ${texts.what} of a day that has none, or by force in place of the one it has`,
      who: WRITERS,
      limit: 'dayList',
      query: { ...FORCE, ...DATE },
      body: limited(list(kind.shape), { maxItems: 200_000 }),
      example: [example],
      errors: [taken(LIST_DAY)],
      answers: saysPlainly(201, done(1, 'created', LIST_DAY)),
    })
    async insert(@Call() { context, tenantId, query }: StatusCall, @Day() day: DayText, @BodyBytes() body: Buffer): Promise<Answer> {
      const toWrite = { tenantId, date: day, items: () => itemsIn(body), replace: isForced(query), undated: !firstOf(query.date) };
      const { count, date, readable } = await this.bus
        .execute(new commands.write(context, toWrite))
        .catch(refused('DAY_TAKEN', (details) => taken(String(details.date))));
      return messageAnswer(201, done(count, 'created', date), readable);
    }

    @Delete('', {
      id: `delete${noun}`,
      summary: `Deletes the list of ${texts.what} of exactly that day`,
      who: WRITERS,
      query: DATE,
      errors: [errors.queryFoundNothing()],
      answers: saysPlainly(200, done(1, 'deleted', LIST_DAY)),
    })
    async delete(@Call() { context, tenantId }: StatusCall, @Day() day: DayText): Promise<Answer> {
      const { count, readable } = await this.bus
        .execute(new commands.delete(context, { tenantId, date: day }))
        .catch(refused('DAY_NOT_FOUND', errors.queryFoundNothing));
      return messageAnswer(200, done(count, 'deleted', day), readable);
    }

    private async anyHas(share: TenantShare, tenants: readonly Neighbour[]): Promise<boolean> {
      for (const { id } of tenants) if (await share.has(id)) return true;
      return false;
    }
  }
  return TopologyController;
};
