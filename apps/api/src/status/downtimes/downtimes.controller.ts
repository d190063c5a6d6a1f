import { Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { due, limited, list, named, readBody, struct, text, unsaid, withoutEmpty } from '#api/shared/bodies/body-shape.js';
import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import type { Answer } from '#api/shared/http/answer.js';
import { BodyBytes } from '#api/shared/http/parameters.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { elementsOf, membersOf } from '#api/shared/json/json-elements.js';
import { parameter } from '#api/shared/openapi/described.js';
import { arrayPieces, done, json, LIST_START, message } from '#api/status/answers/answers.js';
import { dueText, textOf } from '#api/status/bodies.js';
import { dayListCommands, type SentItems } from '#api/status/day-lists/commands.js';
import { dayListQueriesOf, dayListQueriesProvider } from '#api/status/day-lists/providers.js';
import { refused } from '#api/status/day-lists/refused.js';
import * as errors from '#api/status/errors.js';
import { lists, says, saysCreated } from '#api/status/openapi/envelopes.js';
import { Call, Day, type StatusCall } from '#api/status/parameters.js';
import { DATE } from '#api/status/queries.js';
import { AnswersOptions, Delete, Get, Post, StatusController, VIEWERS, WRITERS } from '#api/status/route.js';
import { component } from '#domain/shared/shape.js';
import type { Day as DayText } from '#domain/shared/time.js';
import { type Downtime, downtimes } from '#domain/status/downtimes/downtimes.js';
import type { DayListQueries, StoredDayList } from '#projections/status/day-lists/queries.js';

const FILTERS = ['severity', 'classification'] as const;

const TIME = dueText('as it was sent, usually as RFC 3339');
const downtime = struct({
  hostname: due(text),
  service: due(text),
  start_time: TIME,
  end_time: TIME,
  description: text,
  classification: textOf('such as `scheduled`, `unscheduled`'),
  severity: textOf('such as `outage`, `warning`'),
});
const item = named('StatusDowntime', withoutEmpty(downtime, 'description', 'classification', 'severity'));
/** `date` is checked for its type and otherwise ignored. */
const endpointList = limited(list(item), { maxItems: 200_000 });
const body = named('StatusNewDowntimes', struct({ date: unsaid(text), endpoints: due(endpointList) }));
const EXAMPLE = {
  hostname: 'web.example.org',
  service: 'web',
  start_time: '2026-03-01T10:00:00Z',
  end_time: '2026-03-01T12:00:00Z',
  severity: 'outage',
};
const EXAMPLE_DAY = '2026-03-01';
const DOWNTIMES = component('StatusDowntimes', { date: 'day', endpoints: [item.schema] }).shownAs({
  date: EXAMPLE_DAY,
  endpoints: [EXAMPLE],
});
const others = struct({ date: text });

const taken = (day: DayText): errors.StatusError =>
  errors.statusOnly(409, `Downtimes already exists for date: ${day}, please either update it or delete it first!`);

const DONE = {
  create: (date: string) => `Downtimes set created for date: ${date}`,
  delete: (date: string) => `Downtimes set deleted for date: ${date}`,
} as const;

type Filters = Readonly<Record<string, unknown>>;

const commands = dayListCommands(downtimes);

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

/** The single record of the answer: its day and its downtimes. */
async function* recordPieces(date: DayText, set: StoredDayList | undefined, query: Filters): Pieces {
  yield [`${LIST_START}[\n  {\n   "date": "${date}",\n   "endpoints": `];
  yield* arrayPieces(set ? select(set, query) : [], downtimes.depth);
  yield ['\n  }\n ]\n}'];
}

/** @throws MalformedJson */
const itemsIn = (body: Buffer): SentItems<Downtime> => {
  let endpoints: Buffer = Buffer.from('[]');
  for (const { key, start, end } of membersOf(body)) {
    const value = body.subarray(start, end);
    if (key.toLowerCase() === 'endpoints') {
      readBody(endpointList, endpoints); // the last one counts, but none may be malformed
      endpoints = value;
    } else readBody(others, Buffer.concat([Buffer.from(`{${JSON.stringify(key)}:`), value, Buffer.from('}')]));
  }
  return {
    places: () => elementsOf(endpoints),
    read: ({ start, end }) => readBody(item, endpoints.subarray(start, end)),
  };
};

/** Downtimes of service endpoints, one set per day (status extended contract 4). */
@AnswersOptions('The methods of downtimes', 'GET, POST, DELETE, OPTIONS')
@StatusController('api/v2/downtimes', 'status: downtimes')
class DowntimesController {
  constructor(
    private readonly bus: CommandBus,
    @Inject(dayListQueriesOf(downtimes)) private readonly queries: DayListQueries,
  ) {}

  @Get('', {
    id: 'listDowntimes',
    summary: 'The downtimes of exactly that day',
    who: VIEWERS,
    query: {
      classification: parameter('text', 'only downtimes of this classification'),
      severity: parameter('text', 'only downtimes of this severity'),
      ...DATE,
    },
    answers: lists(DOWNTIMES),
  })
  async list(@Call() { tenantId, query }: StatusCall, @Day() date: DayText): Promise<Answer> {
    return json(bodyOfPieces(recordPieces(date, await this.queries.of(tenantId, date), query)));
  }

  @Post('', {
    id: 'createDowntimes',
    summary: 'Writes the downtimes of a day that has none yet',
    who: WRITERS,
    limit: 'document',
    query: DATE,
    body: body,
    example: { endpoints: [EXAMPLE] },
    errors: [taken('2020-01-01')],
    answers: saysCreated(DONE.create(EXAMPLE_DAY)),
  })
  async create(@Call() { context, tenantId, query }: StatusCall, @Day() day: DayText, @BodyBytes() sent: Buffer): Promise<Answer> {
    const { date, readable } = await this.bus
      .execute(new commands.write(context, { tenantId, date: day, items: () => itemsIn(sent), undated: !firstOf(query.date) }))
      .catch(refused('DAY_TAKEN', (details) => taken(String(details.date))));
    return json(message(DONE.create(date), '201'), { status: 201, readable });
  }

  @Delete('', {
    id: 'deleteDowntimes',
    summary: 'Deletes the downtimes of exactly that day',
    who: WRITERS,
    query: DATE,
    errors: [errors.statusOnly(404, 'Downtimes dataset not found for date: 2026-11-22')],
    answers: says(DONE.delete(EXAMPLE_DAY)),
  })
  delete(@Call() { context, tenantId }: StatusCall, @Day() date: DayText): Promise<Answer> {
    return done(
      this.bus
        .execute(new commands.delete(context, { tenantId, date }))
        .catch(refused('DAY_NOT_FOUND', () => errors.statusOnly(404, `Downtimes dataset not found for date: ${date}`))),
      DONE.delete(date),
    );
  }
}

export const downtimesFeature: Feature = {
  controllers: [DowntimesController],
  providers: [dayListQueriesProvider(downtimes), ...handlersOf(commands)],
};
