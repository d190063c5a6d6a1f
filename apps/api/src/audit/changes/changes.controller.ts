import { Inject, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { PastApplication } from '#api/as-of/past-application.js';
import { AsOfForAuditors, readThen, sizeShown } from '#api/audit/as-of.js';
import { AuditCalls } from '#api/audit/events/audit-calls.js';
import { nextPosition, startBehind } from '#api/audit/events/event-requests.js';
import { numberOf } from '#api/audit/integrity/path-number.js';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { PersonalNames } from '#api/ops-kit/personal-names.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { flag, instant, membersOf, millisecondsOf, oneOf, optional, pageSize, place, position, text } from '#api/ops-kit/strict-members.js';
import { Answer } from '#api/shared/http/answer.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { changedKinds } from '#domain/audit/changes/statements.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ServiceName } from '#domain/shared/events.js';
import { exactText } from '#domain/shared/json/exact-json.js';
import { ChangesFeed } from './changes-feed.js';
import { differenceAt } from './difference.js';
import { CHANGES, DIFFERENCE } from './documentation.js';

const SERVICES: readonly ServiceName[] = ['messaging', 'accounting', 'status', 'ops'];
const KINDS = [...new Set(Object.values(changedKinds()).flat())].sort();
const LONGEST = 400;
const LONGEST_ID = 4_096;

class ChangesQuery extends membersOf({
  service: optional(oneOf(SERVICES, { example: 'status' })),
  kind: optional(oneOf(KINDS, { description: 'kind of the record', example: 'metric_profile' })),
  actor: optional(text(LONGEST, { description: 'id of an actor, or a part of its name' })),
  correlation: optional(text(LONGEST_ID, { description: 'correlation id: every event of the conversation is an item' })),
  causation: optional(
    text(LONGEST_ID, { description: 'id of an event or a request: every event that followed from it directly is an item' }),
  ),
  text: optional(text(LONGEST, { description: 'part of the sentence, in any case' })),
  reads: optional(flag({ description: 'reads that are on record, too; default: false' })),
  traffic: optional(flag({ description: 'messages published, pulled and acknowledged, too; default: true' })),
  from: optional(instant({ description: 'log time, inclusive' })),
  to: optional(instant({ description: 'log time, exclusive' })),
  since: optional(position({ description: '`newer` of an answer: only what came after it' })),
  after: optional(place({ description: '`next` of the page before' })),
  limit: pageSize(200, 50),
}) {}

/** Changes as sentences (console contract 6). */
@OpsController('audit/changes', 'audit')
export class ChangesController {
  constructor(
    private readonly calls: AuditCalls,
    private readonly feed: ChangesFeed,
    private readonly personal: PersonalNames,
    private readonly past: PastApplication,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  @AsOfForAuditors()
  @Get('', {
    id: 'listChanges',
    summary: 'What changed, newest first, each as a sentence with names',
    description:
      'Messages, acknowledgements, metric results and usage are folded: one item for an actor, record and minute, with its count. A page may be short, even empty, with a `next`. Auditors see names of people, which is recorded once a session and hour.',
    answers: {
      200: CHANGES,
      400: PROBLEM('a parameter is unknown, repeated or no value of its kind; `errors` names it'),
      403: PROBLEM('`Logbook-As-Of` needs the role auditor'),
      503: PROBLEM('the index has not reached the head of the log; see Retry-After'),
    },
  })
  async list(@Call() call: OpsCall, @StrictQuery(ChangesQuery) query: ChangesQuery): Promise<Answered<typeof CHANGES>> {
    const { index } = this.calls.audit;
    const personal = this.personal.isShownTo(call);
    return this.calls.reading(async () => {
      const size = await this.sizeOf(call);
      const { from, to, since, after, limit, reads = false, traffic = true, ...filter } = query;
      const last = Math.min(size, to === undefined ? size : index.countBefore(millisecondsOf(to))) - 1;
      const start = after === undefined ? last : Math.min(last, startBehind(index, after, 'desc'));
      const first = from === undefined ? 0 : index.countBefore(millisecondsOf(from));
      const end = Math.max(first, since === undefined ? 0 : index.countUpTo(BigInt(since)));
      const owner = call.request.operator?.keyId ?? '';
      const { items, next, hasPersons } = await this.feed.page({
        ...filter,
        reads,
        traffic,
        newest: last,
        start,
        end,
        limit,
        owner,
        personal,
      });
      if (personal && hasPersons) await this.personal.record(call);
      return { items, next: nextPosition(index, 'desc', next), newer: this.newestMinute(last) };
    });
  }

  @ApiParam({ name: 'index', schema: { type: 'integer', minimum: 0 }, example: 3 })
  @Get(':index/difference', {
    id: 'getDifferenceOfChange',
    summary: 'The record that an event changed, before and after it',
    description:
      'Of a dated record before is the snapshot of the same day that it replaced, else the one before it by date. Secrets and personal data are marks.',
    answers: {
      200: DIFFERENCE,
      404: PROBLEM('there is no event with this index, or it changed no record'),
      503: PROBLEM('this node has no history, or it has not reached the record; see Retry-After'),
    },
  })
  async difference(@Call() { reply }: OpsCall, @Param() path: Readonly<{ index: string }>): Promise<Answer> {
    return this.calls.reading(async () => {
      const size = await sizeShown(this.past, this.calls, reply);
      const at = numberOf(path.index);
      const { index } = this.calls.audit;
      const found =
        at === undefined || at >= size
          ? undefined
          : await differenceAt(at, { index, events: this.events, past: this.past, shown: { personal: false }, size });
      if (!found) throw new Problem(404, 'there is no event with this index, or it changed no record');
      return new Answer(exactText(found), { type: 'application/json; charset=utf-8' });
    });
  }

  /** Number of events visible to this call. @throws Problem 400, 403, 503 */
  private async sizeOf(call: OpsCall): Promise<number> {
    const then = await readThen(this.past, call, async (_store, { moment }) => (moment ? moment.index + 1 : 0));
    return then === 'of now' ? this.calls.size(call.reply) : then;
  }

  /** Position before the minute of the last event. */
  private newestMinute(last: number): string {
    const { index } = this.calls.audit;
    if (last < 0) return '0';
    const first = index.countBefore(Math.floor(index.event(last).logTime / 60_000) * 60_000);
    return first === 0 ? '0' : `${index.event(first - 1).position}`;
  }
}
