import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls, LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { granularity, hyphenTimes } from '#api/status/queries.js';
import { reportNamed, unknownExample } from '#api/status/report-errors.js';
import { type LevelView, levelViews, typesOf } from '#api/status/results/result-levels.js';
import { resultsJson } from '#api/status/results/results-json.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { ENDPOINT_RESULTS_V5, GROUP_RESULTS_V5, SERVICE_TYPE_RESULTS_V5, SUPERGROUP_RESULTS_V5 } from './openapi.js';
import { periodOfV5 } from './v5-query.js';

type Params = Readonly<{ report: string; supergroup?: string; group?: string; service?: string; endpoint?: string }>;

const nothingFound = (): errors.StatusError => errors.numericInJson(404, 'No results found for given query');

const { Get } = routesWith({
  who: READERS,
  query: { ...hyphenTimes('where the other time is missing, that day alone'), ...granularity('what figures are summed up over') },
  errors: [errors.refusalOf(() => periodOfV5({})), unknownExample(errors.numericInJson), nothingFound()],
});

const LEVELS = levelViews({
  groups: 'groups',
  services: 'service-types',
  numbers: true,
  infoOf: (info) => (info && Object.keys(info).length > 0 ? info : undefined),
});

/** Availability and reliability in the shape of version 5 (status contract of 2026, 9). JSON whatever the caller accepts. */
@AnswersOptions('The methods of availability and reliability of version 5')
@AnswersLargeCalls()
@StatusController('api/v5/results/:report', 'status: results')
export class ResultsV5Controller {
  constructor(@Inject(LARGE_RESULTS) private readonly results: Results) {}

  @Get(
    { supergroups: 'listSupergroupResultsV5', 'supergroups/:supergroup': 'getSupergroupResultV5' },
    { summary: 'Availability and reliability of groups of groups', answers: shows(SUPERGROUP_RESULTS_V5) },
  )
  supergroups(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, LEVELS.supergroups);
  }

  @Get(
    { groups: 'listGroupResultsV5', 'groups/:group': 'getGroupResultV5' },
    { summary: 'Availability and reliability of endpoint groups', answers: shows(GROUP_RESULTS_V5) },
  )
  groups(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, LEVELS.groups);
  }

  @Get(
    {
      'groups/:group/service-types': 'listServiceTypeResultsV5',
      'groups/:group/service-types/:service': 'getServiceTypeResultV5',
    },
    { summary: 'Availability and reliability of the services of an endpoint group', answers: shows(SERVICE_TYPE_RESULTS_V5) },
  )
  services(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, LEVELS.services);
  }

  @Get(
    {
      endpoints: 'listEndpointResultsV5',
      'endpoints/:endpoint': 'getEndpointResultV5',
      'groups/:group/endpoints': 'listGroupEndpointResultsV5',
      'groups/:group/endpoints/:endpoint': 'getGroupEndpointResultV5',
      'groups/:group/service-types/:service/endpoints': 'listServiceTypeEndpointResultsV5',
      'groups/:group/service-types/:service/endpoints/:endpoint': 'getServiceTypeEndpointResultV5',
    },
    { summary: 'Availability and reliability of endpoints', answers: shows(ENDPOINT_RESULTS_V5) },
  )
  endpoints(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, LEVELS.endpoints);
  }

  private async answer(
    { caller: { tenantId }, query, work }: ReadingCall,
    { report, endpoint: host, ...names }: Params,
    { read, layoutOf }: LevelView,
  ): Promise<Answer> {
    const reader = await reportNamed(this.results, tenantId, report, errors.numericInJson);
    const period = periodOfV5(query);
    const items = reader.computations.ar ? await read(reader, period, { ...names, host }, work) : [];
    if (items.length === 0) throw nothingFound();
    return json(bodyOfPieces(resultsJson(items, layoutOf(typesOf(reader)))));
  }
}
