import { Inject, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { AsOfForAuditors } from '#api/audit/as-of.js';
import { AuditCalls } from '#api/audit/events/audit-calls.js';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { match, membersOf, optional, pageSize } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { readerParts } from '#api/status/results-engine/reader-parts.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { isDay } from '#domain/shared/time.js';
import { Explainer } from '#projections/status/explanations/explainer.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { EXPLANATION } from './documentation.js';
import { EventPlaces } from './event-places.js';
import { ExplanationAnswer } from './explanation-answer.js';
import { isTenantId, momentShown, ResultsThen } from './results-then.js';

const WRONG = 'the request is not as this call takes it';

class ExplanationQuery extends membersOf({
  after: optional(match(/^\d{1,7}\.\d{1,9}$/, 'be the `next` of a page before', { example: '12.40' })),
  limit: pageSize(1_000, 100, 'endpoints and points together, about; '),
}) {}

type Path = Readonly<{ tenant: string; report: string; group: string; day: string }>;

const MISSING = 'the group has no results on that day';

/** The derivation of a figure (operations contract 2), down to the events of the log. */
@OpsController('audit/results', 'audit')
export class ResultsExplanationController {
  constructor(
    private readonly calls: AuditCalls,
    private readonly then: ResultsThen,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  @ApiParam({ name: 'tenant', description: 'id', example: '6ac7d684-1f8e-4a02-a502-720e8f11e50b' })
  @ApiParam({ name: 'report', description: 'name', example: 'Critical' })
  @ApiParam({ name: 'group', description: 'name of the endpoint group', example: 'SITE-A' })
  @ApiParam({ name: 'day', schema: { type: 'string', format: 'date' } })
  @AsOfForAuditors()
  @Get(':tenant/:report/:group/:day', {
    id: 'explainResult',
    summary: 'The figures of an endpoint group on a day, and the points, profiles, lists and recomputations that they came from',
    description: 'Each with the index of its event. Auditors may ask for an earlier moment.',
    answers: {
      200: EXPLANATION,
      400: PROBLEM('the day, the header or a parameter is no value of its kind; `errors` names it'),
      403: PROBLEM('`Logbook-As-Of` needs the role auditor'),
      404: PROBLEM('the group has no results on that day'),
      413: { ...PROBLEM('an endpoint has more points than can be computed with') },
      503: PROBLEM('read models or the index are behind; see Retry-After'),
    },
  })
  async explain(
    @Param() path: Path,
    @StrictQuery(ExplanationQuery) query: ExplanationQuery,
    @Call() call: OpsCall,
  ): Promise<Answered<typeof EXPLANATION>> {
    const { tenant: tenantId, report, group, day } = path;
    if (!isDay(day)) throw new Problem(400, WRONG, [{ member: 'day', detail: 'must be a day such as 2026-03-01' }]);
    if (!isTenantId(tenantId)) throw new Problem(404, MISSING);
    const [endpoint = 0, row = 0] = (query.after ?? '0.0').split('.').map(Number);
    const question = { tenantId, report, group, day };
    const page = { start: { endpoint, row }, limit: query.limit };
    return this.calls.reading(async () => {
      const { explanation, moment } = await this.then.read(call, async ({ store, results, moment }) => ({
        explanation: await new Explainer({ ...readerParts(store), reports: new ReportQueries(store), results }).explain(
          question,
          page.start,
          page.limit,
        ),
        moment,
      }));
      if (!explanation) throw new Problem(404, MISSING);
      const size = moment === undefined ? await this.calls.size(call.reply) : (moment?.index ?? -1) + 1;
      const places = new EventPlaces(this.calls.audit.index, this.events, size);
      return { asOf: momentShown(moment), ...(await new ExplanationAnswer(question, places).of(explanation)) };
    });
  }
}
