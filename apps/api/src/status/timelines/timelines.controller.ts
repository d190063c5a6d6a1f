import { Inject, Param, Query } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { AnswersLargeCalls } from '#api/status/large-calls/handed-over.js';
import { LARGE_RESULTS } from '#api/status/large-calls/large-results.js';
import { SHOWS_ENDPOINT_TIMELINES, SHOWS_GROUP_TIMELINES, SHOWS_SERVICE_TIMELINES } from '#api/status/openapi/timelines.js';
import { TIMES_AND_VIEW } from '#api/status/queries.js';
import { idWithGroups } from '#api/status/reports/report-errors.js';
import { READERS } from '#api/status/roles.js';
import { AnswersOptions, Get, StatusController } from '#api/status/route.js';
import { type Query as Parameters, timeSpan } from '#api/status/time-query.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import type { Collected } from './collected.js';
import { type AnswerRequest, type AnswerRoom, Asks, HeldAnswers } from './held-answers.js';
import { collectedOrEarlier, nowOf, reportNamed, wantsDetails } from './reading.js';
import { endpointRows, groupRows, type RowOptions, serviceRows } from './rows.js';
import { groupsBody, wholeTimeline } from './views.js';

type OfGroups = Readonly<{ report: string; type: string; group?: string }>;
type OfServices = OfGroups & Readonly<{ group: string; service?: string }>;
type OfEndpoints = OfServices & Readonly<{ endpoint?: string }>;
type Collecting = Readonly<{ report: ReportReader; span: DaySpan; shown: RowOptions; room: AnswerRoom }>;
type Call = Readonly<{ asking: AnswerRequest; query: Parameters }>;

/** Status timelines of endpoint groups, their services and the endpoints of those (results contract 12.3). */
@AnswersOptions('The methods of status timelines')
@AnswersLargeCalls()
@StatusController('api/v2/status/:report/:type', 'status: timelines')
export class TimelinesController {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly answers: HeldAnswers,
  ) {}

  @Get('', {
    id: 'listGroupTimelines',
    summary: 'The statuses of all endpoint groups of a report',
    who: READERS,
    query: TIMES_AND_VIEW,
    answers: SHOWS_GROUP_TIMELINES,
  })
  groups(@Asks() asking: AnswerRequest, @Param() params: OfGroups, @Query() query: Parameters): Promise<Answer> {
    return this.ofGroups({ asking, query }, params);
  }

  @Get(':group', {
    id: 'getGroupTimeline',
    summary: 'The statuses of one endpoint group',
    who: READERS,
    query: TIMES_AND_VIEW,
    answers: SHOWS_GROUP_TIMELINES,
  })
  group(@Asks() asking: AnswerRequest, @Param() params: OfGroups, @Query() query: Parameters): Promise<Answer> {
    return this.ofGroups({ asking, query }, params);
  }

  @Get(':group/services', {
    id: 'listServiceTimelines',
    summary: 'The statuses of all services of an endpoint group',
    who: READERS,
    query: TIMES_AND_VIEW,
    answers: SHOWS_SERVICE_TIMELINES,
  })
  services(@Asks() asking: AnswerRequest, @Param() params: OfServices, @Query() query: Parameters): Promise<Answer> {
    return this.ofServices({ asking, query }, params);
  }

  @Get(':group/services/:service', {
    id: 'getServiceTimeline',
    summary: 'The statuses of one service of an endpoint group',
    who: READERS,
    query: TIMES_AND_VIEW,
    answers: SHOWS_SERVICE_TIMELINES,
  })
  service(@Asks() asking: AnswerRequest, @Param() params: OfServices, @Query() query: Parameters): Promise<Answer> {
    return this.ofServices({ asking, query }, params);
  }

  @Get(':group/services/:service/endpoints', {
    id: 'listServiceEndpointTimelines',
    summary: 'The statuses of all endpoints of a service of an endpoint group',
    who: READERS,
    query: TIMES_AND_VIEW,
    answers: SHOWS_ENDPOINT_TIMELINES,
  })
  endpointsOfService(@Asks() asking: AnswerRequest, @Param() params: OfEndpoints, @Query() query: Parameters): Promise<Answer> {
    return this.ofEndpoints({ asking, query }, params);
  }

  @Get(':group/services/:service/endpoints/:endpoint', {
    id: 'getServiceEndpointTimeline',
    summary: 'The statuses of one endpoint of a service of an endpoint group',
    who: READERS,
    query: TIMES_AND_VIEW,
    answers: SHOWS_ENDPOINT_TIMELINES,
  })
  endpoint(@Asks() asking: AnswerRequest, @Param() params: OfEndpoints, @Query() query: Parameters): Promise<Answer> {
    return this.ofEndpoints({ asking, query }, params);
  }

  @Get(':group/endpoints', {
    id: 'listGroupEndpointTimelines',
    summary: 'The statuses of the endpoints of all services of an endpoint group',
    who: READERS,
    query: TIMES_AND_VIEW,
    answers: SHOWS_ENDPOINT_TIMELINES,
  })
  endpoints(@Asks() asking: AnswerRequest, @Param() params: OfEndpoints, @Query() query: Parameters): Promise<Answer> {
    return this.ofEndpoints({ asking, query }, params);
  }

  private ofGroups(call: Call, { group, ...params }: OfGroups): Promise<Answer> {
    return this.answer(call, params, ({ report, span, shown, room }) =>
      collectedOrEarlier(report, span, room, { daysOf: (days) => report.days(days), rowsOf: groupRows(shown, group) }),
    );
  }

  private ofServices(call: Call, { group, service, ...params }: OfServices): Promise<Answer> {
    return this.ofDetails(call, params, group, (shown) => serviceRows(shown, { service }));
  }

  private ofEndpoints(call: Call, { group, service, endpoint: host, ...params }: OfEndpoints): Promise<Answer> {
    return this.ofDetails(call, params, group, (shown) => endpointRows(shown, { service, host }));
  }

  private ofDetails(
    call: Call,
    params: OfGroups,
    group: string,
    rowsOf: (shown: RowOptions) => ReturnType<typeof serviceRows>,
  ): Promise<Answer> {
    return this.answer(call, params, ({ report, span, shown, room }) =>
      collectedOrEarlier(report, span, room, { daysOf: (days) => report.details(days, group), rowsOf: rowsOf(shown) }),
    );
  }

  private async answer(
    { asking, query }: Call,
    { report: name, type }: OfGroups,
    collect: (what: Collecting) => Promise<Collected>,
  ): Promise<Answer> {
    const span = timeSpan(query);
    const report = await reportNamed(this.results, asking.tenantId, name);
    idWithGroups(report, name, type);
    const shown = { flags: wantsDetails(query) };
    return this.answers.answer(asking, async (room) =>
      groupsBody(await collect({ report, span, shown, room }), type, wholeTimeline(nowOf(report))),
    );
  }
}
