import { Inject, Param } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import { AnswerMemory } from '#api/status/answer-memory.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls, LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { TIMES_AND_VIEW } from '#api/status/queries.js';
import { OTHER_GROUP_TYPE, unknownExample, withGroups } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import { TIME_REFUSALS, timeSpan } from '#api/status/time-query.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { SHOWS_ENDPOINT_TIMELINES, SHOWS_GROUP_TIMELINES, SHOWS_SERVICE_TIMELINES } from './openapi.js';
import { type Collect, collectEndpoints, collectGroups, collectServices, nowOf, type PathNames, wantsDetails } from './reading.js';
import { groupsBody, wholeTimeline } from './views.js';

type Params = PathNames & Readonly<{ report: string; type: string }>;

const { Get } = routesWith({
  who: READERS,
  query: TIMES_AND_VIEW,
  errors: [...TIME_REFUSALS, unknownExample(errors.messageOnly), OTHER_GROUP_TYPE],
});

/** Status timelines of endpoint groups, their services and the endpoints of those (results contract 12.3). */
@AnswersOptions('The methods of status timelines')
@AnswersLargeCalls()
@StatusController('api/v2/status/:report/:type', 'status: timelines')
export class TimelinesController {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly answers: AnswerMemory,
  ) {}

  @Get(
    { '': 'listGroupTimelines', ':group': { id: 'getGroupTimeline', summary: 'The statuses of one endpoint group' } },
    { summary: 'The statuses of all endpoint groups of a report', answers: SHOWS_GROUP_TIMELINES },
  )
  groups(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, collectGroups);
  }

  @Get(
    {
      ':group/services': 'listServiceTimelines',
      ':group/services/:service': { id: 'getServiceTimeline', summary: 'The statuses of one service of an endpoint group' },
    },
    { summary: 'The statuses of all services of an endpoint group', answers: SHOWS_SERVICE_TIMELINES },
  )
  services(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, collectServices);
  }

  @Get(
    {
      ':group/services/:service/endpoints': 'listServiceEndpointTimelines',
      ':group/services/:service/endpoints/:endpoint': {
        id: 'getServiceEndpointTimeline',
        summary: 'The statuses of one endpoint of a service of an endpoint group',
      },
      ':group/endpoints': {
        id: 'listGroupEndpointTimelines',
        summary: 'The statuses of the endpoints of all services of an endpoint group',
      },
    },
    { summary: 'The statuses of all endpoints of a service of an endpoint group', answers: SHOWS_ENDPOINT_TIMELINES },
  )
  endpoints(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, collectEndpoints);
  }

  private async answer(call: ReadingCall, params: Params, collect: Collect): Promise<Answer> {
    const { report: name, type } = params;
    const span = timeSpan(call.query);
    const report = withGroups(await this.results.report(call.caller.tenantId, name), name, type);
    const flags = wantsDetails(call.query);
    return this.answers.answer(call, async (budget) =>
      groupsBody(await collect({ report, span, flags, budget }, params), type, wholeTimeline(nowOf(report))),
    );
  }
}
