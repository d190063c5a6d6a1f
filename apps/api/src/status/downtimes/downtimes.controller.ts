import { Controller, Delete, Get, HttpCode, Inject, Options, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { list, readBody, struct, text, withoutEmpty } from '#api/shared/bodies/body-shape.js';
import { bodyOf, firstOf } from '#api/shared/http/request-context.js';
import { elementsOf, membersOf } from '#api/shared/json/json-elements.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { DayListReader, type StoredDayList } from '#api/status/day-lists/day-list-reader.js';
import { type BodyItems, DayListWriter } from '#api/status/day-lists/day-list-writer.js';
import { DATE_QUERY, dayIn } from '#api/status/day-query.js';
import { arrayPieces, LIST_START, message } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Day } from '#domain/shared/time.js';
import { type Downtime, downtimes } from '#domain/status/downtimes/downtimes.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DAY_LISTS_PROJECTION } from '#projections/status/day-lists/day-lists.js';

const FILTERS = ['severity', 'classification'] as const;

const downtime = struct({
  hostname: text,
  service: text,
  start_time: text,
  end_time: text,
  description: text,
  classification: text,
  severity: text,
});
const item = withoutEmpty(downtime, 'description', 'classification', 'severity');
/** `date` is checked for its type and otherwise ignored. */
const endpointList = list(item);
const body = struct({ date: text, endpoints: endpointList });
const others = struct({ date: text });

type Filters = Readonly<Record<string, unknown>>;

async function* select(set: StoredDayList, query: Filters): AsyncGenerator<readonly Buffer[]> {
  const wanted = FILTERS.flatMap((member) => {
    const value = firstOf(query[member]);
    return value ? [{ member, value }] : [];
  });
  if (wanted.length === 0) {
    yield* set.parts();
    return;
  }
  for await (const { items } of set.items<Downtime>()) {
    yield items.flatMap(({ item, bytes }) => (wanted.every(({ member, value }) => item[member] === value) ? [bytes] : []));
  }
}

/** The one record of the answer: its day and its downtimes. */
async function* recordPieces(date: Day, set: StoredDayList | undefined, query: Filters): Pieces {
  yield [`${LIST_START}[\n  {\n   "date": "${date}",\n   "endpoints": `];
  yield* arrayPieces(set ? select(set, query) : [], downtimes.depth);
  yield ['\n  }\n ]\n}'];
}

/** @throws MalformedJson */
const itemsIn = (body: Buffer): BodyItems<Downtime> => {
  let endpoints: Buffer = Buffer.from('[]');
  for (const { key, start, end } of membersOf(body)) {
    const value = body.subarray(start, end);
    if (key.toLowerCase() === 'endpoints') {
      readBody(endpointList, endpoints); // the last one wins, but none may be malformed
      endpoints = value;
    } else readBody(others, Buffer.concat([Buffer.from(`{${JSON.stringify(key)}:`), value, Buffer.from('}')]));
  }
  return {
    places: () => elementsOf(endpoints),
    read: ({ start, end }) => readBody(item, endpoints.subarray(start, end)),
  };
};

/** Downtimes of service endpoints, as one set for each day (status extended contract 4). */
@ApiTags('status: downtimes')
@ApiSecurity('x-api-key')
@Controller('api/v2/downtimes')
export class DowntimesController {
  private readonly reader: DayListReader;
  private readonly writer: DayListWriter<Downtime>;

  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new DayListReader(store.view(DAY_LISTS_PROJECTION), downtimes);
    this.writer = new DayListWriter(downtimes, commands, this.reader, clock);
  }

  @Get()
  @TenantRoute('downtimes.list')
  @ApiOperation({ summary: 'The downtimes of exactly that day' })
  @ApiQuery(DATE_QUERY)
  @ApiQuery({ name: 'severity', required: false })
  @ApiQuery({ name: 'classification', required: false })
  async list(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const date = dayIn(query, this.clock);
    const set = await this.reader.of(tenantAdmission(request).caller.tenantId, date);
    reply.type(JSON_TYPE).send(await bodyOfPieces(recordPieces(date, set, query)));
  }

  @Post()
  @HttpCode(201)
  @TenantRoute('downtimes.create', 'document')
  @ApiOperation({ summary: 'Writes the downtimes of a day that has none yet' })
  @ApiQuery(DATE_QUERY)
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: body.schema })
  async create(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const day = dayIn(query, this.clock);
    await this.writer.create(request, reply, day, {
      items: () => itemsIn(bodyOf(request) ?? Buffer.alloc(0)),
      taken: () => errors.statusOnly(409, `Downtimes already exists for date: ${day}, please either update it or delete it first!`),
    });
    this.send(reply, 201, `Downtimes set created for date: ${day}`);
  }

  @Delete()
  @TenantRoute('downtimes.delete')
  @ApiOperation({ summary: 'Deletes the downtimes of exactly that day' })
  @ApiQuery(DATE_QUERY)
  async delete(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const day = dayIn(query, this.clock);
    await this.writer.delete(request, reply, day, () => errors.statusOnly(404, `Downtimes dataset not found for date: ${day}`));
    this.send(reply, 200, `Downtimes set deleted for date: ${day}`);
  }

  @Options()
  @ApiOperation({ summary: 'The methods of downtimes' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, POST, DELETE, OPTIONS');
  }

  private send(reply: FastifyReply, code: number, text: string): void {
    reply
      .code(code)
      .type(JSON_TYPE)
      .send(message(text, `${code}`));
  }
}
