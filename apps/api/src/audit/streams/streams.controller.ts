import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { AuditCalls } from '#api/audit/events/audit-calls.js';
import { STREAM_PAGE } from '#api/audit/events/documentation.js';
import { PersonalForAuditors, StreamQuery } from '#api/audit/events/event-query.js';
import { requestOf } from '#api/audit/events/event-requests.js';
import { wantsLines } from '#api/audit/events/ndjson.js';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import type { Answer } from '#api/shared/http/answer.js';
import type { EventRequest } from '#infra/engine/audit-index/event-pages.js';

/** Events of one stream (operations contract 2). */
@OpsController('audit/streams', 'audit')
export class StreamsController {
  constructor(private readonly calls: AuditCalls) {}

  @ApiParam({ name: 'streamName', example: 'status.tenants-global' })
  @PersonalForAuditors()
  @Get(':streamName', {
    id: 'listStreamEvents',
    summary: 'Events of one stream',
    description: 'As `/audit/events`; `after` and `next` are revisions.',
    answers: {
      200: STREAM_PAGE,
      400: PROBLEM('a parameter is unknown, repeated or no value of its kind; `errors` names it'),
      403: PROBLEM('`personal` needs the role auditor'),
      404: PROBLEM('there never was such a stream'),
      503: PROBLEM('the index has not reached the head of the log; see Retry-After'),
    },
  })
  async list(
    @Call() { request, reply }: OpsCall,
    @Param() { streamName: stream }: Readonly<{ streamName: string }>,
    @StrictQuery(StreamQuery) query: StreamQuery,
  ): Promise<Answer> {
    const lines = wantsLines(request.headers.accept);
    const { calls } = this;
    const { index } = calls.audit;
    return calls.reading(async () => {
      const size = await calls.size(reply);
      if (!index.hasStream(stream)) throw new Problem(404, 'there never was such a stream');
      const asked = this.requestFor(stream, query, request.operator?.keyId ?? '', size);
      const nextOf = (next: number | null) => (next === null ? null : (index.revisionBeside(stream, next, asked.order) ?? null));
      return calls.answer({ request, reply, lines, query }, asked, nextOf);
    });
  }

  private requestFor(stream: string, query: StreamQuery, owner: string, size: number): EventRequest {
    const asked = requestOf(query, owner, size);
    return { ...asked, filter: { ...asked.filter, stream }, start: this.start(stream, query.after, asked.order, size) };
  }

  private start(stream: string, after: number | undefined, order: 'asc' | 'desc', size: number): number | undefined {
    const { index } = this.calls.audit;
    if (after === undefined) return undefined;
    if (order === 'asc') return index.indexOfRevision(stream, after + 1) ?? size;
    return (index.indexOfRevision(stream, after) ?? size) - 1;
  }
}
