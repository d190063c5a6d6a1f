import { randomUUID } from 'node:crypto';
import { Inject, Options, Param, Query, Req, Res, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ReceivedBody, readLargeBody, type Shape } from '#api/shared/bodies/body-shape.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText, RawBody } from '#api/shared/http/parameters.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { parameter } from '#api/shared/openapi/described.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { CLOCK } from '#api/shared/tokens.js';
import { json, methods } from '#api/status/answers.js';
import { DAY, dayIn } from '#api/status/day-query.js';
import { message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { lists, refers, says } from '#api/status/openapi/envelopes.js';
import type { DatedDocs } from '#api/status/openapi/profiles.js';
import { Caller, callerOf, Day, dayOf, type Link, Self, type TenantCaller, TenantContext } from '#api/status/parameters.js';
import { READERS, WRITERS } from '#api/status/roles.js';
import { Delete, Get, Post, Put, StatusController } from '#api/status/route.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { Day as DayText } from '#domain/shared/time.js';
import type { DatedResource, NamedRecord } from '#domain/status/dated-records/dated-records.js';
import type { DatedQueries } from '#projections/status/dated-records/queries.js';
import type { DatedCommands } from './commands.js';
import { DatedLists } from './dated-lists.js';
import { queriesOf } from './queries-of.js';

export type DatedTexts = Readonly<{
  created: string;
  updated: string;
  /** When a day was added to the history. Default: `updated` and ` (new history snapshot)`. */
  added?: string;
  deleted: string;
  nameTaken: string;
  /** On an update; default `nameTaken`. */
  nameTakenOnUpdate?: string;
}>;

/** What one kind of dated record adds to the calls that all kinds share (status contract 3 to 7). */
export type DatedKind<R extends NamedRecord> = Readonly<{
  resource: DatedResource<R>;
  path: string;
  /** In OpenAPI: the nouns in operation ids, what summaries call the records, and the record itself. */
  named: Readonly<{ one: string; all: string; words: string }>;
  docs: DatedDocs;
  /** `id` and `date` of a body are checked for their type and otherwise ignored: the path and the query count. */
  shape: Shape<R & Readonly<{ id: string; date: string }>>;
  commands: DatedCommands<R>;
  texts: DatedTexts;
  /** A creation without a day in the query takes the one of the body. */
  createdOnBodyDate?: boolean;
  /** The reference of a record to another kind: what it refers to, and the record with the current name of that. */
  reference?: Readonly<{ to: DatedResource<NamedRecord>; idIn(record: R): string; named(record: R, name: string): R; missing: string }>;
  /** Whether an update answers with the reference to the record too, not with the message alone. */
  updateRefers: boolean;
  /** Whether an update of an unknown record is 404 even when its body is malformed. */
  existenceFirst: boolean;
}>;

type Params = Readonly<{ id: string }>;

const ALLOW = 'GET, POST, DELETE, PUT, OPTIONS';

/** The controller of one kind of dated record. */
export const datedController = <R extends NamedRecord>(kind: DatedKind<R>): Type => {
  const { resource, shape, texts, commands, docs } = kind;
  const { one, all, words } = kind.named;
  const path = kind.path.replace(/^api\/v2\//, '');
  const updated = texts.added ?? `${texts.updated} (new history snapshot)`;
  const shown = { answers: lists(docs.record, docs.shown), who: READERS };
  const written = {
    who: WRITERS,
    limit: 'document',
    query: DAY,
    body: shape,
    request: docs.request,
    ignores: ['id', 'date'],
    example: docs.example,
  } as const;
  const referring = kind.reference;

  /** Errors that the contract words differently for each kind. */
  const toHttpError =
    (nameTaken: string) =>
    (error: unknown): never => {
      if (error instanceof DomainError && error.code === 'NAME_TAKEN') throw errors.conflict(nameTaken);
      if (error instanceof DomainError && error.code === 'REFERENCE_NOT_FOUND' && referring) throw errors.unprocessable(referring.missing);
      throw error;
    };

  const read = async (body: ReceivedBody | undefined): Promise<Readonly<{ date: string; record: R }>> => {
    const { id, date, ...record } = await readLargeBody(shape, body);
    return { date, record: record as unknown as R };
  };

  @StatusController(kind.path, `status: ${resource.kind}` as Tag)
  class DatedController {
    private readonly lists: DatedLists;

    constructor(
      private readonly bus: CommandBus,
      @Inject(queriesOf(resource)) private readonly queries: DatedQueries,
      @Inject(queriesOf(referring?.to ?? resource)) private readonly referred: DatedQueries,
      @Inject(CLOCK) private readonly clock: Clock,
    ) {
      this.lists = new DatedLists(queries);
    }

    // Both reads answer with bytes that are ready: parameter decorators and a returned answer would take 10 % of them (`npm run bench`).

    @Get('', {
      id: `list${all}`,
      summary: `The ${words} as of a day`,
      ...shown,
      query: { name: parameter('text', 'only the record of this name'), ...DAY },
    })
    async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('name') name: unknown): Promise<void> {
      const { tenantId } = callerOf(request);
      json(await this.lists.ofTenant(tenantId, dayOf(request), firstOf(name))).send(reply);
    }

    @Get(':id', { id: `get${one}`, summary: `One of the ${words} as of a day`, ...shown, query: DAY })
    async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param() { id }: Params): Promise<void> {
      const body = await this.lists.ofRecord(callerOf(request).tenantId, id, dayOf(request));
      if (!body) throw errors.notFound();
      json(body).send(reply);
    }

    @Post('', {
      id: `create${one}`,
      summary: `Creates one of the ${words} with its first version`,
      ...written,
      answers: refers(201, texts.created, path),
    })
    async create(
      @TenantContext() context: CommandContext,
      @Caller() { tenantId }: TenantCaller,
      @Day() day: DayText,
      @QueryText('date') given: string | undefined,
      @RawBody() raw: ReceivedBody | undefined,
      @Self() self: Link,
    ): Promise<Answer> {
      const body = await read(raw);
      const date = kind.createdOnBodyDate && !given ? dayIn(body, this.clock) : day;
      const snapshot = { tenantId, id: randomUUID(), date, ...(await this.resolved(tenantId, body.record, date)) };
      const { events, readable } = await this.bus.execute(new commands.create(context, snapshot)).catch(toHttpError(texts.nameTaken));
      const { id } = eventOf(events, resource.events.dated).data;
      return json(reference(texts.created, id, self(id)), { status: 201, readable });
    }

    @Put(':id', {
      id: `update${one}`,
      summary: `Writes the version of a day of one of the ${words}: replaces it, or adds it to the history`,
      ...written,
      answers: kind.updateRefers ? refers(200, updated, path) : says(updated),
    })
    async update(
      @TenantContext() context: CommandContext,
      @Caller() { tenantId }: TenantCaller,
      @Param() { id }: Params,
      @Day() date: DayText,
      @RawBody() raw: ReceivedBody | undefined,
      @Self() self: Link,
    ): Promise<Answer> {
      const { record } = await read(raw).catch((error: unknown) => this.unlessUnknown(error, tenantId, id));
      const snapshot = { tenantId, id, date, ...(await this.resolved(tenantId, record, date)) };
      const { events, readable } = await this.bus
        .execute(new commands.date(context, snapshot))
        .catch(toHttpError(texts.nameTakenOnUpdate ?? texts.nameTaken));
      const added = events.some(({ data }) => 'change' in data && data.change === 'added');
      const text = added ? (texts.added ?? `${texts.updated} (new history snapshot)`) : texts.updated;
      return json(kind.updateRefers ? reference(text, id, self(), '200') : message(text), { readable });
    }

    @Delete(':id', {
      id: `delete${one}`,
      summary: `Deletes one of the ${words} with all its versions`,
      who: WRITERS,
      answers: says(texts.deleted),
    })
    async delete(@TenantContext() context: CommandContext, @Caller() { tenantId }: TenantCaller, @Param() { id }: Params): Promise<Answer> {
      const { readable } = await this.bus.execute(new commands.delete(context, { tenantId, id }));
      return json(message(texts.deleted), { readable });
    }

    @Options()
    @ApiOperation({ summary: 'The methods of the collection' })
    collectionOptions(): Answer {
      return methods(ALLOW);
    }

    @Options(':id')
    @ApiOperation({ summary: 'The methods of a record' })
    recordOptions(): Answer {
      return methods(ALLOW);
    }

    private async resolved(tenantId: string, record: R, day: DayText): Promise<Readonly<{ record: R; unresolved?: boolean }>> {
      if (!referring) return { record };
      const name = await this.referred.referencedName({ tenantId, id: referring.idIn(record) }, day);
      return name === undefined ? { record, unresolved: true } : { record: referring.named(record, name) };
    }

    /** @throws `E404` for a malformed body where an unknown record comes first, otherwise the error */
    private async unlessUnknown(error: unknown, tenantId: string, id: string): Promise<never> {
      const known = !kind.existenceFirst || !(error instanceof MalformedJson) || (await this.queries.exists({ tenantId, id }));
      throw known ? error : errors.notFound();
    }
  }
  return DatedController;
};
