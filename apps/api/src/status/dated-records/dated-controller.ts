import { randomUUID } from 'node:crypto';
import { Inject, Param, Query, Req, Res, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { named } from '#api/shared/bodies/body-shape.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { parameter } from '#api/shared/openapi/described.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { json, message, reference } from '#api/status/answers/answers.js';
import { dayIn } from '#api/status/day-query.js';
import * as errors from '#api/status/errors.js';
import { lists, refers, says } from '#api/status/openapi/envelopes.js';
import { Call, callerOf, Day, dayOf, type StatusCall } from '#api/status/parameters.js';
import { DATE } from '#api/status/queries.js';
import { AnswersOptions, Delete, Get, Post, Put, READERS, StatusController, WRITERS } from '#api/status/route.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Day as DayText } from '#domain/shared/time.js';
import type { NamedRecord } from '#domain/status/dated-records/dated-records.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { DatedQueries } from '#projections/status/dated-records/queries.js';
import { type DatedKind, recordOf } from './dated-kind.js';
import { DatedLists } from './dated-lists.js';
import { queriesOf } from './queries-of.js';

type Params = Readonly<{ id: string }>;

const ALLOW = 'GET, POST, DELETE, PUT, OPTIONS';
export const datedController = <R extends NamedRecord>(kind: DatedKind<R>): Type => {
  const { path, resource, example, texts, commands } = kind;
  const { one: noun, many, words } = kind.names;
  const answered = recordOf(kind);
  const sent = named(`Status${noun}Request`, kind.body.shape);
  const added = texts.added ?? `${texts.updated} (new history snapshot)`;
  const referring = kind.reference;
  const ofBody = [
    ...(kind.invalid === undefined ? [] : [errors.invalidProfile([kind.invalid])]),
    ...(referring ? [errors.unprocessable(referring.missing)] : []),
  ];

  /** Errors whose texts differ by kind in the contract. */
  const toHttpError =
    (nameTaken: string) =>
    (error: unknown): never => {
      if (error instanceof DomainError && error.code === 'NAME_TAKEN') throw errors.conflict(nameTaken);
      if (error instanceof DomainError && error.code === 'REFERENCE_NOT_FOUND' && referring)
        throw errors.ofReference(errors.unprocessable(referring.missing));
      throw error;
    };

  @AnswersOptions('The methods of a record', ALLOW, [':id'])
  @AnswersOptions('The methods of the collection', ALLOW, [''])
  @StatusController(path, kind.tag)
  class DatedController {
    private readonly lists: DatedLists;

    constructor(
      private readonly bus: CommandBus,
      @Inject(queriesOf(resource)) private readonly queries: DatedQueries,
      @Inject(queriesOf(referring?.to ?? resource)) private readonly referred: DatedQueries,
      @Inject(CLOCK) private readonly clock: Clock,
      @Inject(READ_STORE) store: ReadStore,
    ) {
      this.lists = new DatedLists(queries, store);
    }

    /** Called by Nest after the last request. */
    onApplicationShutdown(): void {
      this.lists.close();
    }

    // Both reads use stored bytes: parameter decorators and a returned answer would take 10 % of their time (`npm run bench`).

    @Get('', {
      id: `list${many}`,
      summary: `The ${words} as of a day`,
      who: READERS,
      query: { name: parameter('text', 'only the record of this name'), ...DATE },
      answers: lists(answered),
    })
    async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('name') name: unknown): Promise<void> {
      const { tenantId } = callerOf(request);
      await json(await this.lists.ofTenant(tenantId, dayOf(request), firstOf(name))).send(reply);
    }

    @Get(':id', {
      id: `get${noun}`,
      summary: `One of the ${words} as of a day`,
      who: READERS,
      query: DATE,
      answers: lists(answered),
    })
    async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param() { id }: Params): Promise<void> {
      const body = await this.lists.ofRecord(callerOf(request).tenantId, id, dayOf(request));
      if (!body) throw errors.notFound();
      await json(body).send(reply);
    }

    @Post('', {
      id: `create${noun}`,
      summary: `Creates one of the ${words} with its first version`,
      who: WRITERS,
      limit: 'document',
      query: DATE,
      body: sent,
      example,
      errors: [...ofBody, errors.conflict(texts.nameTaken)],
      answers: refers(201, texts.created, path),
    })
    async create(@Call() { context, tenantId, body: raw, self, queryText }: StatusCall, @Day() day: DayText): Promise<Answer> {
      const body = await kind.body.read(raw);
      const date = kind.createdOnBodyDate && !queryText('date') ? dayIn(body, this.clock) : day;
      const snapshot = { tenantId, id: randomUUID(), date, ...(await this.resolved(tenantId, body.record, date)) };
      const { events, readable } = await this.bus.execute(new commands.create(context, snapshot)).catch(toHttpError(texts.nameTaken));
      const { id } = eventOf(events, resource.events.dated).data;
      return json(reference(texts.created, id, self(id)), { status: 201, readable });
    }

    @Put(':id', {
      id: `update${noun}`,
      summary: `Writes the version of a day of one of the ${words}: replaces it, or adds it to the history`,
      who: WRITERS,
      limit: 'document',
      query: DATE,
      body: sent,
      example,
      errors: [...ofBody, errors.conflict(texts.nameTakenOnUpdate ?? texts.nameTaken)],
      answers: kind.updateRefers ? refers(200, added, path) : says(added),
    })
    async update(
      @Call() { context, tenantId, body: raw, self }: StatusCall,
      @Param() { id }: Params,
      @Day() date: DayText,
    ): Promise<Answer> {
      const { record } = await kind.body.read(raw).catch((error: unknown) => this.unlessUnknown(error, tenantId, id));
      const snapshot = { tenantId, id, date, ...(await this.resolved(tenantId, record, date)) };
      const { events, readable } = await this.bus
        .execute(new commands.date(context, snapshot))
        .catch(toHttpError(texts.nameTakenOnUpdate ?? texts.nameTaken));
      const text = events.some(({ data }) => 'change' in data && data.change === 'added') ? added : texts.updated;
      return json(kind.updateRefers ? reference(text, id, self(), '200') : message(text), { readable });
    }

    @Delete(':id', {
      id: `delete${noun}`,
      summary: `Deletes one of the ${words} with all its versions`,
      who: WRITERS,
      answers: says(texts.deleted),
    })
    async delete(@Call() { context, tenantId }: StatusCall, @Param() { id }: Params): Promise<Answer> {
      const { readable } = await this.bus.execute(new commands.delete(context, { tenantId, id }));
      return json(message(texts.deleted), { readable });
    }

    private async resolved(tenantId: string, record: R, day: DayText): Promise<Readonly<{ record: R; unresolved?: boolean }>> {
      if (!referring) return { record };
      const name = await this.referred.referencedName({ tenantId, id: referring.idIn(record) }, day);
      return name === undefined ? { record, unresolved: true } : { record: referring.named(record, name) };
    }

    /** @throws `E404` for a malformed body if an unknown record takes precedence, otherwise the error */
    private async unlessUnknown(error: unknown, tenantId: string, id: string): Promise<never> {
      const known = !kind.existenceFirst || !(error instanceof MalformedJson) || (await this.queries.exists({ tenantId, id }));
      throw known ? error : errors.notFound();
    }
  }
  return DatedController;
};
