import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter } from '#api/shared/openapi/described.js';
import type { WireFormat } from '#api/status/accept.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls } from '#api/status/large-calls/handed-over.js';
import { LARGE_RESULTS } from '#api/status/large-calls/large-results.js';
import {
  SHOWS_ENDPOINT_RESULTS,
  SHOWS_GROUP_RESULTS,
  SHOWS_REPORT_ENDPOINT_RESULTS,
  SHOWS_SERVICE_RESULTS,
  SHOWS_SUPERGROUP_GROUP_RESULTS,
} from '#api/status/openapi/results.js';
import { Reading, type ReadingCall, type TenantCaller } from '#api/status/parameters.js';
import { granularity, SERVICE, TIMES } from '#api/status/queries.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import { READERS } from '#api/status/roles.js';
import { AnswersOptions, Get, StatusController } from '#api/status/route.js';
import type { Problem } from '#api/status/time-query.js';
import type { Work } from '#api/status/work.js';
import { XML_TYPE } from '#api/status/xml.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { allItems, type ResultItem } from './items.js';
import { itemsOnPage } from './items-on-page.js';
import type { Names } from './levels.js';
import { pageOf, pageToken } from './paging.js';
import { type Period, periodOf } from './period-query.js';
import { layoutA, layoutB, layoutC, layoutD, layoutF, levelA, levelB, levelC, levelD, levelF, typesOf } from './result-levels.js';
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
type Found = Readonly<{ items: readonly ResultItem[]; layout: Layout }>;

const nothingFound = (): errors.StatusError => errors.numericMessage(404, 'No results found for given query');

const namesOf = ({ supergroup, group, service, endpoint: host }: Params): Names => ({ supergroup, group, service, host });

/** Types of groups that the path names and the report does not have. @throws StatusError `E400V` (results contract 12.2) */
const ensureTypes = (reader: ReportReader, { report, groupType, type }: Params): void => {
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

/** Availability and reliability of groups, services and endpoints (results contract 12.2). */
@AnswersOptions('The methods of availability and reliability')
@AnswersLargeCalls()
@StatusController('api/v2/results/:report', 'status: results')
export class ResultsController {
  constructor(@Inject(LARGE_RESULTS) private readonly results: Results) {}

  @Get('endpoints', {
    id: 'listReportEndpointResults',
    summary: 'Availability and reliability of endpoints, whatever their groups',
    who: READERS,
    query: {
      nextPageToken: parameter('text', 'from the page before'),
      pageSize: parameter('integer', 'rows of a page, one for each endpoint and period; default all'),
      supergroup: parameter('text', 'an endpoint group'),
      ...SERVICE,
      ...QUERY,
    },
    answers: SHOWS_REPORT_ENDPOINT_RESULTS,
  })
  async flat(@Reading() { caller, format, query, work }: ReadingCall, @Param() { report }: Readonly<{ report: string }>): Promise<Answer> {
    const { span, granularity } = periodOf(query);
    const reader = await this.known(caller, report);
    const page = pageOf(query);
    const [service, group] = [firstOf(query.service) || undefined, firstOf(query.supergroup) || undefined];
    if (!reader.computations.ar) throw nothingFound();
    const level = levelF({ granularity, names: { service, group } });
    const { items, next } = await itemsOnPage(() => reader.details(span, group), level, page, work);
    const paging = { nextPageToken: next === undefined ? undefined : pageToken(next), pageSize: page.size };
    return this.answer(format, { items, layout: layoutF }, paging);
  }

  @Get(
    { ':type': 'listGroupResults', [GROUP]: 'getGroupResult' },
    {
      summary: 'Availability and reliability of groups of groups, or of endpoint groups',
      who: READERS,
      query: QUERY,
      answers: SHOWS_GROUP_RESULTS,
    },
  )
  async groups(@Reading() { caller, format, query, work }: ReadingCall, @Param() params: Params): Promise<Answer> {
    const period = periodOf(query);
    const { report, type, group: name } = params;
    const reader = await this.known(caller, report);
    const { outer, inner } = typesOf(reader);
    if (type === inner) return this.answer(format, await this.endpointGroups(reader, period, { group: name }, work));
    if (type === outer) return this.answer(format, await this.supergroups(reader, period, { supergroup: name }, work));
    throw errors.numericMessage(404, `The report ${report} does not define any group type: ${type}`);
  }

  @Get(
    { ':groupType/:supergroup/:type': 'listSupergroupGroupResults', [GROUP_IN]: 'getSupergroupGroupResult' },
    {
      summary: 'Availability and reliability of the endpoint groups of a group',
      who: READERS,
      query: QUERY,
      answers: SHOWS_SUPERGROUP_GROUP_RESULTS,
    },
  )
  async groupsIn(@Reading() { caller, format, query, work }: ReadingCall, @Param() params: Params): Promise<Answer> {
    const period = periodOf(query);
    const reader = await this.known(caller, params.report);
    ensureTypes(reader, params);
    return this.answer(format, await this.endpointGroups(reader, period, namesOf(params), work));
  }

  @Get(
    { ...both('/services', 'list', 'ServiceResults'), ...both('/services/:service', 'get', 'ServiceResult') },
    {
      summary: 'Availability and reliability of the services of an endpoint group',
      who: READERS,
      query: QUERY,
      answers: SHOWS_SERVICE_RESULTS,
    },
  )
  services(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.inGroup(call, params, levelC, layoutC);
  }

  @Get(ENDPOINTS, {
    summary: 'Availability and reliability of the endpoints of an endpoint group',
    who: READERS,
    query: QUERY,
    answers: SHOWS_ENDPOINT_RESULTS,
  })
  endpoints(@Reading() call: ReadingCall, @Param() params: Params): Promise<Answer> {
    return this.inGroup(call, params, levelD, layoutD);
  }

  /** @throws StatusError `EMSGN(404)` when the tenant has no such report */
  private async known({ tenantId }: TenantCaller, name: string): Promise<ReportReader> {
    const reader = await this.results.report(tenantId, name);
    if (!reader) throw errors.numericMessage(404, unknownReport(name));
    return reader;
  }

  private async supergroups(reader: ReportReader, { span, granularity }: Period, names: Names, work: Work): Promise<Found> {
    const layout = layoutA(typesOf(reader));
    if (!reader.computations.ar) return { items: [], layout };
    return { items: await allItems(reader.days(span), levelA({ granularity, names }), work), layout };
  }

  private async endpointGroups(reader: ReportReader, { span, granularity }: Period, names: Names, work: Work): Promise<Found> {
    const layout = layoutB(typesOf(reader));
    if (!reader.computations.ar) return { items: [], layout };
    return { items: await allItems(reader.days(span), levelB({ granularity, names }), work), layout };
  }

  /** Of one endpoint group; `levelOf`: its services or its endpoints. */
  private async inGroup(
    { caller, format, query, work }: ReadingCall,
    params: Params,
    levelOf: typeof levelC,
    layoutOf: typeof layoutC,
  ): Promise<Answer> {
    const { span, granularity } = periodOf(query);
    const reader = await this.known(caller, params.report);
    ensureTypes(reader, params);
    if (!reader.computations.ar) throw nothingFound();
    const level = levelOf({ granularity, names: namesOf(params) });
    const items = await allItems(reader.details(span, params.group), level, work);
    return this.answer(format, { items, layout: layoutOf(typesOf(reader)) });
  }

  /** @throws StatusError `EMSGN(404)` when nothing was found */
  private async answer(format: WireFormat, { items, layout }: Found, paging: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    if (items.length === 0) throw nothingFound();
    if (format === 'xml') return new Answer(await bodyOfPieces(resultsXml(items, layout)), { type: XML_TYPE });
    return json(await bodyOfPieces(resultsJson(items, layout, { after: paging })));
  }
}
