import { Inject, Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/openapi/described.js';
import { AnswerMemory } from '#api/status/answer-memory.js';
import type { BranchBody } from '#api/status/branches.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls, LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import { BAD_PAGE, type Page, pageOf } from '#api/status/paging.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { TIMES_AND_VIEW } from '#api/status/queries.js';
import { reportNamed, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import { TIME_REFUSALS, timeSpan } from '#api/status/time-query.js';
import type { Day } from '#domain/shared/time.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import type { Collected } from './collected.js';
import { SHOWS_REPORT_ENDPOINT_TIMELINES, SHOWS_REPORT_METRIC_TIMELINES } from './openapi.js';
import { type Collection, collectedOrEarlier, nowOf, wantsDetails } from './reading.js';
import { endpointRows, metricRows } from './rows.js';
import { endpointMetricsBody, endpointsBody } from './views.js';

const QUERY = {
  ...TIMES_AND_VIEW,
  pageSize: parameter('integer', 'rows per page; default all, as for 0 and less'),
  nextPageToken: parameter('text', 'the token that the page before ended with'),
};

const { Get } = routesWith({
  who: READERS,
  query: QUERY,
  errors: [...TIME_REFUSALS, unknownExample(errors.messageOnly), BAD_PAGE],
});

type OfReport = Readonly<{ report: string }>;
type OfMetric = OfReport & Readonly<{ metric: string }>;

/** Flat lists of statuses, in pages (results contract 12.3, 12.4, 12.6). Their paths precede those of endpoint groups of any type. */
@AnswersOptions('The methods of flat lists of statuses')
@AnswersLargeCalls()
@StatusController('api/v2/status/:report', 'status: timelines')
export class FlatStatusesController {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly answers: AnswerMemory,
  ) {}

  @Get('endpoints', {
    id: 'listReportEndpointTimelines',
    summary: 'The statuses of all endpoints of a report, in pages',
    answers: SHOWS_REPORT_ENDPOINT_TIMELINES,
  })
  endpoints(@Reading() call: ReadingCall, @Param() { report: name }: OfReport): Promise<Answer> {
    const rowsOf = endpointRows({ flags: wantsDetails(call.query) });
    return this.answer(call, name, (report) => ({ daysOf: (days) => report.details(days), rowsOf }), endpointsBody);
  }

  @Get('metrics/:metric', {
    id: 'listReportMetricTimelines',
    summary: 'The statuses of one metric at all endpoints of a report, in pages',
    answers: SHOWS_REPORT_METRIC_TIMELINES,
  })
  metrics(@Reading() call: ReadingCall, @Param() { report: name, metric }: OfMetric): Promise<Answer> {
    const rowsOf = metricRows(wantsDetails(call.query));
    return this.answer(call, name, (report) => ({ daysOf: (days) => report.metrics(days, { metric }), rowsOf }), endpointMetricsBody);
  }

  private async answer<Of extends Readonly<{ day: Day }>>(
    call: ReadingCall,
    name: string,
    collectionOf: (report: ReportReader) => Collection<Of>,
    bodyOf: (collected: Collected, page: Page, now: number) => BranchBody,
  ): Promise<Answer> {
    const span = timeSpan(call.query);
    const report = await reportNamed(this.results, call.caller.tenantId, name, errors.messageOnly);
    const page = pageOf(call.query);
    return this.answers.answer(call, async (budget) =>
      bodyOf(await collectedOrEarlier(report, span, budget, collectionOf(report)), page, nowOf(report)),
    );
  }
}
