import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls } from '#api/status/large-calls/handed-over.js';
import { LARGE_RESULTS } from '#api/status/large-calls/large-results.js';
import {
  ENDPOINT_RESULTS_V5,
  GROUP_RESULTS_V5,
  SERVICE_TYPE_RESULTS_V5,
  SUPERGROUP_RESULTS_V5,
} from '#api/status/openapi/versions-4-and-5.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { granularity, hyphenTimes } from '#api/status/queries.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import { allItems, type ResultItem } from '#api/status/results/items.js';
import type { Names } from '#api/status/results/levels.js';
import { levelA, levelB, levelC, levelD, typesOf } from '#api/status/results/result-levels.js';
import { type Layout, resultsJson } from '#api/status/results/results-json.js';
import { READERS } from '#api/status/roles.js';
import { AnswersOptions, Get, StatusController } from '#api/status/route.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { periodOfV5 } from './v5-query.js';

type Params = Readonly<{ report: string; supergroup?: string; group?: string; service?: string; endpoint?: string }>;

const QUERY = { ...hyphenTimes('where the other time is missing, that day alone'), ...granularity('what figures are summed up over') };

const named = (type: string) => (item: ResultItem) => ({ name: item.names.at(-1), type });
const shown = (groups: Layout['groups'], head: Layout['head']): Layout => ({ groups, head, label: 'timestamp', numbers: true });
const endpointHead = (item: ResultItem) => {
  const info = item.info && Object.keys(item.info).length > 0 ? item.info : undefined;
  return { ...named('endpoint')(item), info };
};

/** Availability and reliability in the shape of version 5 (status contract of 2026, 9). JSON whatever the caller accepts. */
@AnswersOptions('The methods of availability and reliability of version 5')
@AnswersLargeCalls()
@StatusController('api/v5/results/:report', 'status: results')
export class ResultsV5Controller {
  constructor(@Inject(LARGE_RESULTS) private readonly results: Results) {}

  @Get(
    {
      supergroups: 'listSupergroupResultsV5',
      'supergroups/:supergroup': 'getSupergroupResultV5',
    },
    {
      summary: 'Availability and reliability of groups of groups',
      who: READERS,
      query: QUERY,
      answers: shows(SUPERGROUP_RESULTS_V5),
    },
  )
  supergroups(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, async (reader, names, { span, granularity }) => ({
      items: await allItems(reader.days(span), levelA({ granularity, names }), call.work),
      layout: shown([], named(typesOf(reader).outer)),
    }));
  }

  @Get(
    {
      groups: 'listGroupResultsV5',
      'groups/:group': 'getGroupResultV5',
    },
    {
      summary: 'Availability and reliability of endpoint groups',
      who: READERS,
      query: QUERY,
      answers: shows(GROUP_RESULTS_V5),
    },
  )
  groups(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, async (reader, names, { span, granularity }) => ({
      items: await allItems(reader.days(span), levelB({ granularity, names }), call.work),
      layout: shown([{ type: typesOf(reader).outer, below: 'groups' }], named(typesOf(reader).inner)),
    }));
  }

  @Get(
    {
      'groups/:group/service-types': 'listServiceTypeResultsV5',
      'groups/:group/service-types/:service': 'getServiceTypeResultV5',
    },
    {
      summary: 'Availability and reliability of the services of an endpoint group',
      who: READERS,
      query: QUERY,
      answers: shows(SERVICE_TYPE_RESULTS_V5),
    },
  )
  services(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, async (reader, names, { span, granularity }) => ({
      items: await allItems(reader.details(span, names.group), levelC({ granularity, names }), call.work),
      layout: shown([{ type: typesOf(reader).inner, below: 'service-types' }], named('service')),
    }));
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
    {
      summary: 'Availability and reliability of endpoints',
      who: READERS,
      query: QUERY,
      answers: shows(ENDPOINT_RESULTS_V5),
    },
  )
  endpoints(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.answer(call, params, async (reader, names, { span, granularity }) => ({
      items: await allItems(reader.details(span, names.group), levelD({ granularity, names }), call.work),
      layout: shown(
        [
          { type: typesOf(reader).inner, below: 'service-types' },
          { type: 'service', below: 'endpoints' },
        ],
        endpointHead,
      ),
    }));
  }

  private async answer(
    { caller: { tenantId }, query }: ReadingCall,
    { report, supergroup, group, service, endpoint: host }: Params,
    read: (
      reader: ReportReader,
      names: Names,
      period: ReturnType<typeof periodOfV5>,
    ) => Promise<Readonly<{ items: readonly ResultItem[]; layout: Layout }>>,
  ): Promise<Answer> {
    const reader = await this.results.report(tenantId, report);
    if (!reader) throw errors.asJson(errors.numericMessage(404, unknownReport(report)));
    const period = periodOfV5(query);
    const found = reader.computations.ar ? await read(reader, { supergroup, group, service, host }, period) : undefined;
    if (!found || found.items.length === 0) throw errors.asJson(errors.numericMessage(404, 'No results found for given query'));
    return json(await bodyOfPieces(resultsJson(found.items, found.layout)));
  }
}
