import { Inject, Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { shows } from '#api/shared/openapi/described.js';
import { AnswerMemory } from '#api/status/answer-memory.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls, LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { POSSIBLE_TIMES, RESOURCE_ID, TIMES_OF_EXAMPLE, VIEW } from '#api/status/queries.js';
import { reportNamed, unknownExample, unknownResource } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import { GROUP_TIMELINES_V3, RESOURCE_TIMELINES_V3 } from './openapi.js';
import { type Collection, collectedOrEarlier, nowOf, todayOf, wantsDetails } from './reading.js';
import { groupAndEndpointRows, resourceRows } from './rows.js';
import { v3Span } from './v3-span.js';
import { endOfTimeline, groupsWithEndpointsBody, resourceBody, wholeTimeline } from './views.js';

const REFUSALS = [
  errors.refusalOf(() => v3Span({ ...TIMES_OF_EXAMPLE, end_time: 'now' })),
  errors.refusalOf(() => v3Span({ ...TIMES_OF_EXAMPLE, view: 'latest' })),
  unknownExample(errors.numericInJson),
];
const { Get } = routesWith({ who: READERS, query: { ...POSSIBLE_TIMES, ...VIEW }, errors: REFUSALS });

type OfReport = Readonly<{ report: string }>;
type OfResource = OfReport & Readonly<{ id: string }>;

/** Status timelines of groups with all their endpoints, and of the endpoints of a resource (results contract 12.5). Always JSON. */
@AnswersOptions('The methods of statuses of version 3')
@AnswersLargeCalls()
@StatusController('api/v3/status/:report', 'status: timelines')
export class StatusV3Controller {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly answers: AnswerMemory,
  ) {}

  @Get('', {
    id: 'listGroupTimelinesV3',
    summary: 'The statuses of all endpoint groups of a report with their endpoints; without times those of today',
    answers: shows(GROUP_TIMELINES_V3),
  })
  async list(@Reading() call: ReadingCall, @Param() { report: name }: OfReport): Promise<Answer> {
    const { caller, query } = call;
    const span = v3Span(query);
    const report = await reportNamed(this.results, caller.tenantId, name, errors.numericInJson);
    const rowsOf = groupAndEndpointRows({ flags: wantsDetails(query) });
    const statuses = (firstOf(query.view) === 'latest' ? endOfTimeline : wholeTimeline)(nowOf(report));
    return this.answers.answer({ ...call, format: 'json' }, async (budget) => {
      const collection = { daysOf: (days: DaySpan) => report.details(days), rowsOf };
      const collected = await collectedOrEarlier(report, span ?? todayOf(report), budget, collection);
      return groupsWithEndpointsBody(collected, report.types.at(-1) ?? '', statuses);
    });
  }

  @Get('id/:id', {
    id: 'listResourceTimelinesV3',
    summary: 'The statuses of the endpoints with that ID among their info; without times the latest',
    path: RESOURCE_ID,
    errors: [...REFUSALS, unknownResource('resource-7')],
    answers: shows(RESOURCE_TIMELINES_V3),
  })
  async ofResource(@Reading() call: ReadingCall, @Param() { report: name, id }: OfResource): Promise<Answer> {
    const { caller, query } = call;
    const span = v3Span(query);
    const report = await reportNamed(this.results, caller.tenantId, name, errors.numericInJson);
    const details = wantsDetails(query);
    const statuses = (span || details ? wholeTimeline : endOfTimeline)(nowOf(report));
    return this.answers.answer({ ...call, format: 'json' }, async (budget) => {
      const collected = await collectedOrEarlier(report, span ?? todayOf(report), budget, ofResource(report, id, details));
      if (collected.count === 0) throw unknownResource(id);
      return resourceBody(id, collected, statuses);
    });
  }
}

/** The endpoints of a resource, on days with any group. */
const ofResource = (report: ReportReader, id: string, flags: boolean): Collection<ResultsDay<GroupDay>> => {
  const rowsOf = resourceRows({ flags }, id);
  const days = { withGroups: 0 };
  return {
    daysOf: (span) => report.details(span),
    rowsOf: (day) => {
      if (day.groups.length > 0) days.withGroups++;
      return rowsOf(day);
    },
    isFound: () => days.withGroups > 0,
  };
};
