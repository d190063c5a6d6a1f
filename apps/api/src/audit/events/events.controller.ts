import { Inject, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { numberOf } from '#api/audit/integrity/path-number.js';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import type { Answer } from '#api/shared/http/answer.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { resourcesOf } from '#domain/audit/resources/resources-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { EventReader } from '#infra/engine/audit-index/event-reader.js';
import { AuditCalls } from './audit-calls.js';
import { CHANGED_RESOURCES, EVENT, EVENT_PAGE } from './documentation.js';
import { EventQuery, PersonalForAuditors, ViewQuery } from './event-query.js';
import { eventRequest, nextPosition } from './event-requests.js';
import { wantsLines } from './ndjson.js';

/** Events of the log (operations contract 2). */
@OpsController('audit/events', 'audit')
export class EventsController {
  constructor(
    private readonly calls: AuditCalls,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  @PersonalForAuditors()
  @Get('', {
    id: 'listEvents',
    summary: 'Events by id, stream, category, type, actor, service, request and time',
    description:
      'Filters combine by AND. A page may be short, even empty, with a `next`. With `Accept: application/x-ndjson` all that pass, one a line.',
    answers: {
      200: EVENT_PAGE,
      400: PROBLEM('a parameter is unknown, repeated or no value of its kind; `errors` names it'),
      403: PROBLEM('`personal` needs the role auditor'),
      406: { ...PROBLEM('neither JSON nor NDJSON is accepted') },
      503: PROBLEM('the index has not reached the head of the log; see Retry-After'),
    },
  })
  async list(@Call() { request, reply }: OpsCall, @StrictQuery(EventQuery) query: EventQuery): Promise<Answer> {
    const lines = wantsLines(request.headers.accept);
    const { calls, events } = this;
    const { index } = calls.audit;
    return calls.reading(async () => {
      const asked = await eventRequest({ index, events }, query, request.operator?.keyId ?? '', await calls.size(reply));
      return calls.answer({ request, reply, lines, query }, asked, (next) => nextPosition(index, asked.order, next));
    });
  }

  @ApiParam({ name: 'index', schema: { type: 'integer', minimum: 0 }, example: 3 })
  @PersonalForAuditors()
  @Get(':index', {
    id: 'getEvent',
    summary: 'One event by its index',
    description: 'Of an expired one only index and hash are left.',
    answers: { 200: EVENT, 403: PROBLEM('`personal` needs the role auditor'), 404: PROBLEM('there is no event with this index') },
  })
  async show(
    @Call() { request, reply }: OpsCall,
    @Param() path: Readonly<{ index: string }>,
    @StrictQuery(ViewQuery) { form = 'readable', personal = false }: ViewQuery,
  ): Promise<object> {
    const { calls } = this;
    return calls.reading(async () => {
      const index = await this.existing(path.index, reply);
      await calls.recordPersonal(request, reply, personal);
      return calls.audit.pages.one(index, { form, shown: { personal } });
    });
  }

  @ApiParam({ name: 'index', schema: { type: 'integer', minimum: 0 }, example: 3 })
  @Get(':index/resources', {
    id: 'listResourcesOfEvent',
    summary: 'The records that an event changed, as `/audit/resources` takes them',
    description: 'None of an event that has left the log.',
    answers: { 200: CHANGED_RESOURCES, 404: PROBLEM('there is no event with this index') },
  })
  async resources(@Call() { reply }: OpsCall, @Param() path: Readonly<{ index: string }>): Promise<Answered<typeof CHANGED_RESOURCES>> {
    return this.calls.reading(async () => {
      const place = this.calls.audit.index.event(await this.existing(path.index, reply));
      const [event] = await new EventReader(this.events).read([place]);
      const changes = typeof event === 'object' ? resourcesOf(event) : [];
      const items = new Map(
        changes.map(({ service, kind, id, scope = null }) => [JSON.stringify([service, kind, id, scope]), { service, kind, id, scope }]),
      );
      return { items: [...items.values()] };
    });
  }

  /** @throws Problem 404 */
  private async existing(text: string, reply: FastifyReply): Promise<number> {
    const index = numberOf(text);
    if (index === undefined || index >= (await this.calls.size(reply))) throw new Problem(404, 'there is no event with this index');
    return index;
  }
}
