import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import type { WireFormat } from '#api/status/answers/accept.js';
import { json } from '#api/status/answers/answers.js';
import { XML_TYPE } from '#api/status/answers/xml.js';
import type { ItemNames } from '#api/status/day-items.js';
import * as errors from '#api/status/errors.js';
import { BAD_PAGE, pageOf, pageToken } from '#api/status/paging.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { granularity, hyphenTimes, SERVICE, TIMES, TIMES_OF_EXAMPLE } from '#api/status/queries.js';
import type { AnswerSources, ReadTable } from '#api/status/reads.js';
import { type NotFound, reportNamed, TYPES_OF_EXAMPLE, unknownExample } from '#api/status/report-errors.js';
import type { Problem } from '#api/status/time-query.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import type { ResultItem } from './items.js';
import { itemsOnPage } from './items-on-page.js';
import * as shown from './openapi.js';
import * as shownInV5 from './openapi-v5.js';
import { periodOf } from './period-query.js';
import { type LevelView, layoutF, levelF, levelViews, typesOf } from './result-levels.js';
import { type Layout, resultsJson } from './results-json.js';
import { resultsXml } from './results-xml.js';
import { periodOfV5 } from './v5-query.js';

type Params = Readonly<{
  report: string;
  /** Types of groups, only in version 2. */
  groupType?: string;
  type?: string;
  supergroup?: string;
  group?: string;
  service?: string;
  endpoint?: string;
}>;

const namesOf = ({ supergroup, group, service, endpoint: host }: Params): ItemNames => ({ supergroup, group, service, host });

const nothingFound = (form: NotFound): errors.StatusError => form(404, 'No results found for given query');

/** @throws StatusError `EMSGN(404)` nothing was found */
const answerOf = (
  format: WireFormat,
  items: readonly ResultItem[],
  layout: Layout,
  paging: Readonly<Record<string, unknown>> = {},
): Answer => {
  if (items.length === 0) throw nothingFound(errors.numericMessage);
  if (format === 'xml') return new Answer(bodyOfPieces(resultsXml(items, layout)), { type: XML_TYPE });
  return json(bodyOfPieces(resultsJson(items, layout, { after: paging })));
};

const noSuchType = (report: string, type: string): errors.StatusError =>
  errors.numericMessage(404, `The report ${report} does not define any group type: ${type}`);

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

const V2 = levelViews({ groups: 'endpoints', services: 'serviceflavors', infoOf: (info) => info });

/** The answer of version 2 with the level that `viewOf` finds for the report. */
const found =
  (viewOf: (reader: ReportReader, params: Params) => readonly [LevelView, ItemNames]) =>
  async ({ results }: AnswerSources, { caller, format, query, work }: ReadingCall, params: Params): Promise<Answer> => {
    const period = periodOf(query);
    const reader = await reportNamed(results, caller.tenantId, params.report, errors.numericMessage);
    const [view, names] = viewOf(reader, params);
    return answerOf(format, await view.read(reader, period, names, work), view.layoutOf(typesOf(reader)));
  };

/** A level below groups whose types the path names. */
const below = (view: LevelView) =>
  found((reader, params) => {
    ensureTypes(reader, params);
    return [view, namesOf(params)];
  });

/** Groups of groups, or endpoint groups: the type in the path decides. */
const groups = found((reader, { report, type = '', group }) => {
  const { outer, inner } = typesOf(reader);
  if (type === inner) return [V2.groups, { group }];
  if (type === outer) return [V2.supergroups, { supergroup: group }];
  throw noSuchType(report, type);
});

const flat = async ({ results }: AnswerSources, { caller, format, query, work }: ReadingCall, { report }: Params): Promise<Answer> => {
  const { span, granularity } = periodOf(query);
  const reader = await reportNamed(results, caller.tenantId, report, errors.numericMessage);
  const page = pageOf(query);
  const [service, group] = [firstOf(query.service) || undefined, firstOf(query.supergroup) || undefined];
  if (!reader.computations.ar) throw nothingFound(errors.numericMessage);
  const level = levelF({ granularity, names: { service, group } });
  const { items, next } = await itemsOnPage(() => reader.details(span, group), level, page, work);
  return answerOf(format, items, layoutF, { nextPageToken: next === undefined ? undefined : pageToken(next), pageSize: page.size });
};

const QUERY = { ...TIMES, ...granularity('default daily') };

/** Refusals of calls of all levels. */
const REFUSALS = [
  errors.refusalOf(() => periodOf({ ...TIMES_OF_EXAMPLE, granularity: 'weekly' })),
  errors.refusalOf(() => periodOf({})),
  unknownExample(errors.numericMessage),
  nothingFound(errors.numericMessage),
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

const GROUP = ':type/:group';
const GROUP_IN = ':groupType/:supergroup/:type/:group';
/** A path below an endpoint group, directly or below a group of groups, with operation ids. */
const both = (rest: string, verb: 'list' | 'get', noun: string) => ({
  [`${GROUP}${rest}`]: `${verb}Group${noun}`,
  [`${GROUP_IN}${rest}`]: `${verb}SupergroupGroup${noun}`,
});

/** Availability and reliability of groups, services and endpoints (results contract 12.2). */
export const RESULTS_V2: ReadTable = {
  path: 'api/v2/results/:report',
  tag: 'status: results',
  options: 'The methods of availability and reliability',
  query: QUERY,
  errors: refusalsBelow,
  reads: [
    {
      paths: { endpoints: 'listReportEndpointResults' },
      summary: 'Availability and reliability of endpoints, whatever their groups',
      query: {
        nextPageToken: parameter('text', 'from the page before'),
        pageSize: parameter('integer', 'rows of a page, one for each endpoint and period; default all'),
        supergroup: parameter('text', 'an endpoint group'),
        ...SERVICE,
        ...QUERY,
      },
      errors: [...REFUSALS, BAD_PAGE],
      answers: shown.SHOWS_REPORT_ENDPOINT_RESULTS,
      answer: flat,
    },
    {
      paths: { ':type': 'listGroupResults', [GROUP]: 'getGroupResult' },
      summary: 'Availability and reliability of groups of groups, or of endpoint groups',
      errors: [...REFUSALS, noSuchType('Critical', 'SERVICES')],
      answers: shown.SHOWS_GROUP_RESULTS,
      answer: groups,
    },
    {
      paths: { ':groupType/:supergroup/:type': 'listSupergroupGroupResults', [GROUP_IN]: 'getSupergroupGroupResult' },
      summary: 'Availability and reliability of the endpoint groups of a group',
      answers: shown.SHOWS_SUPERGROUP_GROUP_RESULTS,
      answer: below(V2.groups),
    },
    {
      paths: { ...both('/services', 'list', 'ServiceResults'), ...both('/services/:service', 'get', 'ServiceResult') },
      summary: 'Availability and reliability of the services of an endpoint group',
      answers: shown.SHOWS_SERVICE_RESULTS,
      answer: below(V2.services),
    },
    {
      paths: {
        ...both('/endpoints', 'list', 'EndpointResults'),
        ...both('/endpoints/:endpoint', 'get', 'EndpointResult'),
        ...both('/services/:service/endpoints', 'list', 'ServiceEndpointResults'),
        ...both('/services/:service/endpoints/:endpoint', 'get', 'ServiceEndpointResult'),
      },
      summary: 'Availability and reliability of the endpoints of an endpoint group',
      answers: shown.SHOWS_ENDPOINT_RESULTS,
      answer: below(V2.endpoints),
    },
  ],
};

const V5 = levelViews({
  groups: 'groups',
  services: 'service-types',
  numbers: true,
  infoOf: (info) => (info && Object.keys(info).length > 0 ? info : undefined),
});

const foundV5 =
  ({ read, layoutOf }: LevelView) =>
  async ({ results }: AnswerSources, { caller, query, work }: ReadingCall, params: Params): Promise<Answer> => {
    const reader = await reportNamed(results, caller.tenantId, params.report, errors.numericInJson);
    const items = await read(reader, periodOfV5(query), namesOf(params), work);
    if (items.length === 0) throw nothingFound(errors.numericInJson);
    return json(bodyOfPieces(resultsJson(items, layoutOf(typesOf(reader)))));
  };

/** The same in the shape of version 5 (status contract of 2026, 9). JSON whatever the caller accepts. */
export const RESULTS_V5: ReadTable = {
  path: 'api/v5/results/:report',
  tag: 'status: results',
  options: 'The methods of availability and reliability of version 5',
  query: { ...hyphenTimes('where the other time is missing, that day alone'), ...granularity('what figures are summed up over') },
  errors: [errors.refusalOf(() => periodOfV5({})), unknownExample(errors.numericInJson), nothingFound(errors.numericInJson)],
  reads: [
    {
      paths: { supergroups: 'listSupergroupResultsV5', 'supergroups/:supergroup': 'getSupergroupResultV5' },
      summary: 'Availability and reliability of groups of groups',
      answers: shows(shownInV5.SUPERGROUP_RESULTS_V5),
      answer: foundV5(V5.supergroups),
    },
    {
      paths: { groups: 'listGroupResultsV5', 'groups/:group': 'getGroupResultV5' },
      summary: 'Availability and reliability of endpoint groups',
      answers: shows(shownInV5.GROUP_RESULTS_V5),
      answer: foundV5(V5.groups),
    },
    {
      paths: {
        'groups/:group/service-types': 'listServiceTypeResultsV5',
        'groups/:group/service-types/:service': 'getServiceTypeResultV5',
      },
      summary: 'Availability and reliability of the services of an endpoint group',
      answers: shows(shownInV5.SERVICE_TYPE_RESULTS_V5),
      answer: foundV5(V5.services),
    },
    {
      paths: {
        endpoints: 'listEndpointResultsV5',
        'endpoints/:endpoint': 'getEndpointResultV5',
        'groups/:group/endpoints': 'listGroupEndpointResultsV5',
        'groups/:group/endpoints/:endpoint': 'getGroupEndpointResultV5',
        'groups/:group/service-types/:service/endpoints': 'listServiceTypeEndpointResultsV5',
        'groups/:group/service-types/:service/endpoints/:endpoint': 'getServiceTypeEndpointResultV5',
      },
      summary: 'Availability and reliability of endpoints',
      answers: shows(shownInV5.ENDPOINT_RESULTS_V5),
      answer: foundV5(V5.endpoints),
    },
  ],
};
