import { Inject, Param } from '@nestjs/common';
import { ApiHeader, ApiParam } from '@nestjs/swagger';
import { PastApplication } from '#api/as-of/past-application.js';
import { AuditCalls } from '#api/audit/events/audit-calls.js';
import { PROBLEM } from '#api/audit/integrity/documentation.js';
import { asOfOf } from '#api/ops-kit/as-of.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { IsMatch, IsWhole, Optional } from '#api/ops-kit/strict-members.js';
import type { AsOf } from '#api/shared/as-of/as-of-header.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { EVENT_STORE, READ_STORE } from '#api/shared/tokens.js';
import { readerParts, resultsOver } from '#api/status/results-engine/reader-parts.js';
import type { Moment } from '#domain/operations/moments.js';
import { DomainError } from '#domain/shared/decider.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { isDay } from '#domain/shared/time.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { Explainer, type Explanation, type Question } from '#projections/status/explanations/explainer.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { EXPLANATION } from './documentation.js';
import { EventPlaces } from './event-places.js';
import { ExplanationAnswer } from './explanation-answer.js';

const DEFAULT_LIMIT = 100;
const WRONG = 'the request is not as this call takes it';

class ExplanationQuery {
  @Optional()
  @IsMatch(/^\d{1,7}\.\d{1,9}$/, 'be the `next` of a page before', { example: '12.40' })
  after?: string;

  @Optional()
  @IsWhole(1, 1_000, { description: 'endpoints and points together, about; default: 100' })
  limit?: number;
}

type Path = Readonly<{ tenant: string; report: string; group: string; day: string }>;

/** The explanation, and the number of events of the log at its moment. */
type Found = Readonly<{ explanation: Explanation | undefined; size: number; moment?: Moment | null }>;

/** Whatever the id of a tenant can be. */
const TENANT_ID = /^[\w-]{1,64}$/;
const MISSING = 'the group has no results on that day';

/** Where a figure came from (operations contract 2): for whoever doubts it, down to the events of the log. */
@OpsController('audit/results', 'audit')
export class ResultsExplanationController {
  constructor(
    private readonly calls: AuditCalls,
    private readonly past: PastApplication,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(RESULTS) private readonly results: Results,
  ) {}

  @ApiParam({ name: 'tenant', description: 'id', example: '6ac7d684-1f8e-4a02-a502-720e8f11e50b' })
  @ApiParam({ name: 'report', description: 'name', example: 'Critical' })
  @ApiParam({ name: 'group', description: 'name of the endpoint group', example: 'SITE-A' })
  @ApiParam({ name: 'day', schema: { type: 'string', format: 'date' } })
  @ApiHeader({
    name: 'Logbook-As-Of',
    required: false,
    description: 'an instant or a position of the log; needs the role auditor, and is recorded',
  })
  @Get(':tenant/:report/:group/:day', {
    id: 'explainResult',
    summary: 'The figures of an endpoint group on a day, and the points, profiles, lists and recomputations that they came from',
    description: 'Each with the index of its event. Auditors may ask for what it was at an earlier moment.',
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
    @Call() { request, reply }: OpsCall,
  ): Promise<object> {
    const { tenant: tenantId, report, group, day } = path;
    const asOf = asOfOf(request);
    if (!isDay(day)) throw new Problem(400, WRONG, [{ member: 'day', detail: 'must be a day such as 2026-03-01' }]);
    if (!TENANT_ID.test(tenantId)) throw new Problem(404, MISSING);
    const [endpoint = 0, row = 0] = (query.after ?? '0.0').split('.').map(Number);
    const question = { tenantId, report, group, day };
    const page = { start: { endpoint, row }, limit: query.limit ?? DEFAULT_LIMIT };
    return this.calls.reading(async () => {
      const { explanation, size, moment } = await this.found(question, page, { asOf, request, reply });
      if (!explanation) throw new Problem(404, MISSING);
      const places = new EventPlaces(this.calls.audit.index, this.events, size);
      const asOfMoment = moment ? { position: `${moment.position}`, time: moment.time } : null;
      return { asOf: asOfMoment, ...(await new ExplanationAnswer(question, places).of(explanation)) };
    });
  }

  private async found(
    question: Question,
    { start, limit }: Readonly<{ start: Explanation['next'] & object; limit: number }>,
    { asOf, request, reply }: Pick<OpsCall, 'request' | 'reply'> & Readonly<{ asOf: AsOf | undefined }>,
  ): Promise<Found> {
    const explain = (store: ReadStore, results: Results): Promise<Explanation | undefined> =>
      new Explainer({ ...readerParts(store), reports: new ReportQueries(store), results }).explain(question, start, limit);
    try {
      const then = await this.past.over(asOf, async (store, point): Promise<Found> => {
        const { operator } = request;
        if (asOf && operator) await this.past.recordRead(request, operator, point);
        const { moment, clock } = point;
        const explanation = await explain(
          store,
          resultsOver(store, () => clock),
        );
        return { explanation, size: moment ? moment.index + 1 : 0, moment };
      });
      if (then !== 'of now') return then;
      const explanation = await explain(this.store, this.results);
      return { explanation, size: await this.calls.size(reply) };
    } catch (error) {
      if (error instanceof AsOfRefused) throw new Problem(error.statusCode, error.message);
      if (error instanceof DomainError && error.code === 'OVER_LIMIT') throw new Problem(413, String(error.details.text));
      throw error;
    }
  }
}
