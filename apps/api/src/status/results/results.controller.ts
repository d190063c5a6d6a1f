import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter } from '#api/shared/openapi/described.js';
import type { WireFormat } from '#api/status/accept.js';
import { json } from '#api/status/answers.js';
import type { ItemNames } from '#api/status/day-items.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls, LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import { BAD_PAGE, pageOf, pageToken } from '#api/status/paging.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { granularity, SERVICE, TIMES, TIMES_OF_EXAMPLE } from '#api/status/queries.js';
import { reportNamed, TYPES_OF_EXAMPLE, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import type { Problem } from '#api/status/time-query.js';
import { XML_TYPE } from '#api/status/xml.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import type { ResultItem } from './items.js';
import { itemsOnPage } from './items-on-page.js';
import {
  SHOWS_ENDPOINT_RESULTS,
  SHOWS_GROUP_RESULTS,
  SHOWS_REPORT_ENDPOINT_RESULTS,
  SHOWS_SERVICE_RESULTS,
  SHOWS_SUPERGROUP_GROUP_RESULTS,
} from './openapi.js';
import { type Period, periodOf } from './period-query.js';
import { type LevelView, layoutF, levelF, levelViews, typesOf } from './result-levels.js';
import { type Layout, resultsJson } from './results-json.js';
import { resultsXml } from './results-xml.js';

const QUERY = { ...TIMES, ...granularity('default daily') };

const GROUP = ':type/:group';
const GROUP_IN = ':groupType/:supergroup/:type/:group';
/** A path below an endpoint group, directly or below a group of groups, with operation ids. */
const both = (rest: string, verb: 'list' | 'get', noun: string) => ({
  [`${GROUP}${rest}`]: `${verb}Group${noun}`,
  [`${GROUP_IN}${rest}`]: `${verb}SupergroupGroup${noun}`,
});
const ENDPOINTS = {
  ...both('/endpoints', 'list', 'EndpointResults'),
  ...both('/endpoints/:endpoint', 'get', 'EndpointResult'),
  ...both('/services/:service/endpoints', 'list', 'ServiceEndpointResults'),
  ...both('/services/:service/endpoints/:endpoint', 'get', 'ServiceEndpointResult'),
};

type Params = Readonly<{
  report: string;
  type: string;
  groupType?: string;
  supergroup?: string;
  group?: string;
  service?: string;
  endpoint?: string;
}>;
const LEVELS = levelViews({ groups: 'endpoints', services: 'serviceflavors', infoOf: (info) => info });

const nothingFound = (): errors.StatusError => errors.numericMessage(404, 'No results found for given query');

const noSuchType = (report: string, type: string): errors.StatusError =>
  errors.numericMessage(404, `The report ${report} does not define any group type: ${type}`);

const namesOf = ({ supergroup, group, service, endpoint: host }: Params): ItemNames => ({ supergroup, group, service, host });

/** Checks that the report has the types of groups in the path. @throws StatusError `E400V` (results contract 12.2) */
const ensureTypes = (reader: Pick<ReportReader, 'types'>, { report, groupType, type }: Params): void => {
  const { outer, inner } = typesOf(reader);
  const problems: Problem[] = [];
  if (groupType !== undefined && groupType !== outer)
    problems.push({ message: 'Group type not in report', details: `Group type ${groupType} not present in report ${report}.` });
  if (type !== inner)
    problems.push({
      message: 'Endpoint Group type not in report',
      details: `Endpoint Group type ${type} not present in report ${report}. Try using ${inner} instead`,
    });
  if (problems.length > 0) throw errors.badParameters(problems);
};

/** Refusals of calls of all levels. */
const REFUSALS = [
  errors.refusalOf(() => periodOf({ ...TIMES_OF_EXAMPLE, granularity: 'weekly' })),
  errors.refusalOf(() => periodOf({})),
  unknownExample(errors.numericMessage),
  nothingFound(),
];
const OF_EXAMPLE = { report: 'Critical', type: 'SITES' };
/** Refusals of calls whose paths name types of groups. */
const refusalsBelow = (path: string) => [
  ...REFUSALS,
  errors.refusalOf(() => ensureTypes(TYPES_OF_EXAMPLE, { ...OF_EXAMPLE, type: 'NGI' })),
  ...(path.includes('{groupType}')
    ? [errors.refusalOf(() => ensureTypes(TYPES_OF_EXAMPLE, { ...OF_EXAMPLE, groupType: 'SERVICES' }))]
    : []),
];
const { Get } = routesWith({ who: READERS, query: QUERY, errors: refusalsBelow });

/** Availability and reliability of groups, services and endpoints (results contract 12.2). */
@AnswersOptions('The methods of availability and reliability')
@AnswersLargeCalls()
@StatusController('api/v2/results/:report', 'status: results')
export class ResultsController {
  constructor(@Inject(LARGE_RESULTS) private readonly results: Results) {}

  @Get('endpoints', {
    id: 'listReportEndpointResults',
    summary: 'Availability and reliability of endpoints, whatever their groups',
    query: {
      nextPageToken: parameter('text', 'from the page before'),
      pageSize: parameter('integer', 'rows of a page, one for each endpoint and period; default all'),
      supergroup: parameter('text', 'an endpoint group'),
      ...SERVICE,
      ...QUERY,
    },
    errors: [...REFUSALS, BAD_PAGE],
    answers: SHOWS_REPORT_ENDPOINT_RESULTS,
  })
  async flat(@Reading() call: ReadingCall, @Param() { report }: Readonly<{ report: string }>): Promise<Answer> {
    const { format, query, work } = call;
    const { span, granularity } = periodOf(query);
    const reader = await this.known(call, report);
    const page = pageOf(query);
    const [service, group] = [firstOf(query.service) || undefined, firstOf(query.supergroup) || undefined];
    if (!reader.computations.ar) throw nothingFound();
    const level = levelF({ granularity, names: { service, group } });
    const { items, next } = await itemsOnPage(() => reader.details(span, group), level, page, work);
    return shown(format, items, layoutF, { nextPageToken: next === undefined ? undefined : pageToken(next), pageSize: page.size });
  }

  @Get(
    { ':type': 'listGroupResults', [GROUP]: 'getGroupResult' },
    {
      summary: 'Availability and reliability of groups of groups, or of endpoint groups',
      errors: [...REFUSALS, noSuchType('Critical', 'SERVICES')],
      answers: SHOWS_GROUP_RESULTS,
    },
  )
  async groups(@Reading() call: ReadingCall, @Param() { report, type, group }: Params): Promise<Answer> {
    const period = periodOf(call.query);
    const reader = await this.known(call, report);
    const { outer, inner } = typesOf(reader);
    if (type === inner) return this.answer(call, reader, period, { group }, LEVELS.groups);
    if (type === outer) return this.answer(call, reader, period, { supergroup: group }, LEVELS.supergroups);
    throw noSuchType(report, type);
  }

  @Get(
    { ':groupType/:supergroup/:type': 'listSupergroupGroupResults', [GROUP_IN]: 'getSupergroupGroupResult' },
    { summary: 'Availability and reliability of the endpoint groups of a group', answers: SHOWS_SUPERGROUP_GROUP_RESULTS },
  )
  groupsIn(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.below(call, params, LEVELS.groups);
  }

  @Get(
    { ...both('/services', 'list', 'ServiceResults'), ...both('/services/:service', 'get', 'ServiceResult') },
    { summary: 'Availability and reliability of the services of an endpoint group', answers: SHOWS_SERVICE_RESULTS },
  )
  services(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.below(call, params, LEVELS.services);
  }

  @Get(ENDPOINTS, {
    summary: 'Availability and reliability of the endpoints of an endpoint group',
    answers: SHOWS_ENDPOINT_RESULTS,
  })
  endpoints(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.below(call, params, LEVELS.endpoints);
  }

  /** @throws StatusError `EMSGN(404)` the tenant has no such report */
  private known({ caller }: ReadingCall, name: string): Promise<ReportReader> {
    return reportNamed(this.results, caller.tenantId, name, errors.numericMessage);
  }

  /** Results below groups whose types the path names. */
  private async below(call: ReadingCall, params: Params, view: LevelView): Promise<Answer> {
    const period = periodOf(call.query);
    const reader = await this.known(call, params.report);
    ensureTypes(reader, params);
    return this.answer(call, reader, period, namesOf(params), view);
  }

  private async answer(
    { format, work }: ReadingCall,
    reader: ReportReader,
    period: Period,
    names: ItemNames,
    { read, layoutOf }: LevelView,
  ): Promise<Answer> {
    const items = reader.computations.ar ? await read(reader, period, names, work) : [];
    return shown(format, items, layoutOf(typesOf(reader)));
  }
}

/** @throws StatusError `EMSGN(404)` nothing was found */
const shown = async (
  format: WireFormat,
  items: readonly ResultItem[],
  layout: Layout,
  paging: Readonly<Record<string, unknown>> = {},
): Promise<Answer> => {
  if (items.length === 0) throw nothingFound();
  if (format === 'xml') return new Answer(bodyOfPieces(resultsXml(items, layout)), { type: XML_TYPE });
  return json(bodyOfPieces(resultsJson(items, layout, { after: paging })));
};
