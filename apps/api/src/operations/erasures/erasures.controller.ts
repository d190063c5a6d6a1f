import { Headers, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ERASURE, ERASURES, jobLink } from '#api/ops-kit/answers-documentation.js';
import type { JobLink } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem, problemOf } from '#api/ops-kit/problem.js';
import { Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody } from '#api/ops-kit/strict-input.js';
import { membersOf, oneOf, text } from '#api/ops-kit/strict-members.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { bodyOfPieces, type Piece } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { ERASABLE, type ErasableService } from '#domain/operations/erasures.js';
import { LONGEST_REASON } from '#domain/operations/given-texts.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { SUBJECTS, SubjectQueries } from '#projections/operations/subjects/queries.js';
import { EraseRecord, NoSuchRecord } from './commands.js';
import { type ErasureItem, ErasureProgress, erasureView } from './erasure-progress.js';

/** Longest id of a record. */
const LONGEST_ID = 200;
const MOST_LISTED = 100;

class ErasureBody extends membersOf({
  service: oneOf(Object.keys(ERASABLE) as ErasableService[], { example: 'messaging' }),
  kind: oneOf([...new Set(Object.values(ERASABLE).flat())], { example: 'user' }),
  id: text(LONGEST_ID, { example: '6f1c2a34-9d4e-4a57-8f0e-2a6d0b7c1e55' }),
  reason: text(LONGEST_REASON, {
    description: 'why; stays in the log, so it holds no personal data',
    example: 'request 4711 of the data protection officer',
  }),
}) {}

const hrefOf = (id: string): string => `/ops/erasures/${id}`;

/** Erasures of secret or personal data (operations contract 4). */
@OpsController('ops/erasures', 'operations')
export class ErasuresController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: SubjectQueries,
    private readonly progress: ErasureProgress,
    private readonly completeness: Completeness,
  ) {}

  @Post('', {
    id: 'eraseRecord',
    summary: 'Destroys the key that seals what is secret or personal of a record; its credentials are refused from then on',
    who: OPERATOR,
    limit: 'form',
    answers: { 202: jobLink('/ops/erasures') },
  })
  async erase(@Call() { context, reply }: OpsCall, @StrictBody(ErasureBody) { service, kind, id, reason }: ErasureBody): Promise<JobLink> {
    if (!ERASABLE[service].includes(kind))
      throw new Problem(400, 'nothing can be erased', [{ member: 'kind', detail: `must be one of ${ERASABLE[service].join(', ')}` }]);
    const command = new EraseRecord(context, { record: { service, kind, id }, reason });
    const requested = await this.bus.execute(command).catch(problemOf(404, NoSuchRecord));
    const href = hrefOf(requested.id);
    setPosition(reply, requested.position);
    noteReadability(reply, requested.readable);
    reply.header('location', href);
    return { id: requested.id, href };
  }

  @Get('', {
    id: 'listErasures',
    summary: 'Erasures, those by deletions too, the newest first, 100 at most',
    description:
      'With `Accept: application/x-ndjson` all of them, one a line, for `restore` and `import`; where there are none, the line `{"items":[]}`.',
    answers: { 200: ERASURES },
  })
  async list(@Headers('accept') accept: string | undefined): Promise<Answered<typeof ERASURES> | Answer> {
    await this.completeness.require(SUBJECTS);
    if (accept?.includes('application/x-ndjson')) {
      return new Answer(bodyOfPieces(this.lines()), { type: 'application/x-ndjson' });
    }
    const items: ErasureItem[] = [];
    for await (const page of this.progress.items(this.queries.erasures())) {
      items.push(...page);
      if (items.length >= MOST_LISTED) break;
    }
    return { items: items.slice(0, MOST_LISTED) };
  }

  @Get(':id', { id: 'getErasure', summary: 'One erasure', answers: { 200: ERASURE } })
  async show(@Param() { id }: Readonly<{ id: string }>): Promise<Answered<typeof ERASURE>> {
    const erasure = await foundOrAbsent(this.completeness, [SUBJECTS], () => this.queries.erasure(id));
    if (!erasure) throw new Problem(404, 'there is no erasure with this id');
    return erasureView(erasure, await this.progress.item(erasure));
  }

  /** Never empty: an empty file would mean that the list could not be fetched. */
  private async *lines(): AsyncGenerator<readonly Piece[], void> {
    let listed = 0;
    for await (const page of this.progress.items(this.queries.erasures())) {
      listed += page.length;
      yield page.map((item) => `${JSON.stringify(item)}\n`);
    }
    if (listed === 0) yield ['{"items":[]}\n'];
  }
}
