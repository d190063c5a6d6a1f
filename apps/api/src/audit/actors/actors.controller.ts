import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { AuditCalls } from '#api/audit/events/audit-calls.js';
import { ACTOR, ACTOR_PAGE } from '#api/audit/events/documentation.js';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { membersOf, oneOf, optional, pageSize, text } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { actorView } from '#infra/engine/audit-index/event-views.js';
import type { ActorTally } from '#infra/engine/audit-index/tallies.js';
import { ACTOR_KINDS, type ActorKind } from '#infra/engine/audit-index/terms.js';

class ActorQuery extends membersOf({
  kind: optional(oneOf(ACTOR_KINDS, { description: 'needed where the id stands for several actors' })),
}) {}

class ActorsQuery extends membersOf(
  {
    after: optional(text(4_096, { description: 'id, exclusive' })),
    limit: pageSize(1_000, 100),
  },
  ActorQuery,
) {}

/** Actors that are processed before the event loop is yielded. */
const PORTION = 500;

/** Actors of events (operations contract 2). */
@OpsController('audit/actors', 'audit')
export class ActorsController {
  constructor(private readonly calls: AuditCalls) {}

  @Get('', {
    id: 'listAuditActors',
    summary: 'Actors by id',
    description: 'Ids that stand for several actors are not divided between pages.',
    answers: { 200: ACTOR_PAGE, 400: PROBLEM('a parameter is unknown, repeated or no value of its kind; `errors` names it') },
  })
  async list(
    @Call() { reply }: OpsCall,
    @StrictQuery(ActorsQuery) { kind, after, limit }: ActorsQuery,
  ): Promise<Answered<typeof ACTOR_PAGE>> {
    return this.calls.reading(async () => {
      await this.calls.size(reply);
      const { found, next } = await this.find(kind, after, limit);
      return { items: found.map((tally) => this.view(tally)), next };
    });
  }

  @ApiParam({ name: 'id', description: 'percent-encoded' })
  @Get(':id', {
    id: 'getAuditActor',
    summary: 'One actor: first and last seen, and how many events it caused',
    answers: {
      200: ACTOR,
      400: PROBLEM('the id stands for several actors: say which `kind`'),
      404: PROBLEM('no event has an actor with this id'),
    },
  })
  async show(
    @Call() { reply }: OpsCall,
    @Param() { id }: Readonly<{ id: string }>,
    @StrictQuery(ActorQuery) { kind }: ActorQuery,
  ): Promise<Answered<typeof ACTOR>> {
    return this.calls.reading(async () => {
      await this.calls.size(reply);
      const { index } = this.calls.audit;
      const found = (kind ? [kind] : ACTOR_KINDS).flatMap((one) => index.tallies.actor(one, id) ?? []);
      const [tally] = found;
      if (!tally) throw new Problem(404, 'no event has an actor with this id');
      if (found.length > 1) {
        const kinds = found.map((one) => one.kind).join(', ');
        throw new Problem(400, 'the id stands for several actors', [{ member: 'kind', detail: `must be one of ${kinds}` }]);
      }
      return this.view(tally);
    });
  }

  private async find(kind: ActorKind | undefined, after: string | undefined, limit: number) {
    const found: ActorTally[] = [];
    for await (const tally of this.talliesAfter(after)) {
      if (kind !== undefined && tally.kind !== kind) continue;
      const newest = found.at(-1)?.id;
      if (newest !== undefined && found.length >= limit && newest !== tally.id) return { found, next: newest };
      found.push(tally);
    }
    return { found, next: null };
  }

  /** Tallies with the same id are in one portion, so that the next portion can start after an id. */
  private async *talliesAfter(after: string | undefined): AsyncGenerator<ActorTally> {
    const slice = new TimeSlice();
    for (let last = after; ; ) {
      if (slice.isOver) await slice.next();
      const portion = this.calls.audit.index.tallies.actorsAfter(last, PORTION);
      const isLast = portion.length < PORTION;
      const cut = portion.at(-1)?.id;
      const whole = isLast ? portion : portion.filter(({ id }) => id !== cut);
      yield* whole;
      if (isLast) return;
      last = whole.at(-1)?.id;
    }
  }

  private view({ kind, id, firstSeen, lastSeen, events, services }: ActorTally): Answered<typeof ACTOR> {
    return {
      actor: actorView(this.calls.audit.index, { kind, id }),
      firstSeen: new Date(firstSeen).toISOString(),
      lastSeen: new Date(lastSeen).toISOString(),
      events,
      services,
    };
  }
}
