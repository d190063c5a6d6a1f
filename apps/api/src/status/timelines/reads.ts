import { firstOf } from '#api/shared/http/request-context.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import * as errors from '#api/status/errors.js';
import { BAD_PAGE, pageOf } from '#api/status/paging.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { POSSIBLE_TIMES, RESOURCE_ID, TIMES_AND_VIEW, TIMES_OF_EXAMPLE, VIEW } from '#api/status/queries.js';
import type { AnswerSources, ReadTable } from '#api/status/reads.js';
import { OTHER_GROUP_TYPE, reportNamed, unknownExample, unknownResource, withGroups } from '#api/status/report-errors.js';
import { typesOf } from '#api/status/results/result-levels.js';
import { TIME_REFUSALS, timeSpan } from '#api/status/time-query.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';
import * as shown from './openapi.js';
import {
  type CollectItems,
  collectEndpoints,
  collectedOrEarlier,
  collectGroups,
  collectServices,
  nowOf,
  type PathNames,
  statuses,
} from './reading.js';
import { endpointRows, groupAndEndpointRows, metricRows, resourceRows } from './rows.js';
import { v3Span } from './v3-span.js';
import {
  endOfTimeline,
  endpointMetricsBody,
  endpointsBody,
  groupsBody,
  groupsWithEndpointsBody,
  resourceBody,
  wholeTimeline,
} from './views.js';

type OfReport = Readonly<{ report: string }>;
type OfGroups = OfReport & PathNames & Readonly<{ type: string }>;

const checkedPage = async ({ results }: AnswerSources, { caller, query }: ReadingCall, { report }: OfReport) => {
  const given = timeSpan(query);
  return { given, report: await reportNamed(results, caller.tenantId, report, errors.messageOnly), page: pageOf(query) };
};

const endpointPage = statuses(checkedPage, async ({ report, span, flags, budget, page }) => {
  const rowsOf = endpointRows({ flags });
  return endpointsBody(
    await collectedOrEarlier(report, span, budget, { daysOf: (days) => report.details(days), rowsOf }),
    page,
    nowOf(report),
  );
});

const metricPage = statuses(
  checkedPage,
  async ({ report, span, flags, budget, page }, { metric }: OfReport & Readonly<{ metric: string }>) => {
    const rowsOf = metricRows(flags);
    const daysOf = (days: DaySpan) => report.metrics(days, { metric });
    return endpointMetricsBody(await collectedOrEarlier(report, span, budget, { daysOf, rowsOf }), page);
  },
);

/** Flat lists of statuses, in pages (results contract 12.3, 12.4, 12.6). Their paths precede those of endpoint groups of any type. */
export const FLAT_TIMELINES: ReadTable = {
  path: 'api/v2/status/:report',
  tag: 'status: timelines',
  options: 'The methods of flat lists of statuses',
  query: {
    ...TIMES_AND_VIEW,
    pageSize: parameter('integer', 'rows per page; default all, as for 0 and less'),
    nextPageToken: parameter('text', 'the token that the page before ended with'),
  },
  errors: [...TIME_REFUSALS, unknownExample(errors.messageOnly), BAD_PAGE],
  reads: [
    {
      paths: { endpoints: 'listReportEndpointTimelines' },
      summary: 'The statuses of all endpoints of a report, in pages',
      answers: shown.SHOWS_REPORT_ENDPOINT_TIMELINES,
      answer: endpointPage,
    },
    {
      paths: { 'metrics/:metric': 'listReportMetricTimelines' },
      summary: 'The statuses of one metric at all endpoints of a report, in pages',
      answers: shown.SHOWS_REPORT_METRIC_TIMELINES,
      answer: metricPage,
    },
  ],
};

const checkedGroups = async ({ results }: AnswerSources, { caller, query }: ReadingCall, { report, type }: OfGroups) => {
  const given = timeSpan(query);
  return { given, report: withGroups(await results.report(caller.tenantId, report), report, type) };
};
const timelines = (collect: CollectItems) =>
  statuses(checkedGroups, async (asked, params: OfGroups) =>
    groupsBody(await collect(asked, params), params.type, wholeTimeline(nowOf(asked.report))),
  );

/** Status timelines of endpoint groups, their services and the endpoints of those (results contract 12.3). */
export const TIMELINES_V2: ReadTable = {
  path: 'api/v2/status/:report/:type',
  tag: 'status: timelines',
  options: 'The methods of status timelines',
  query: TIMES_AND_VIEW,
  errors: [...TIME_REFUSALS, unknownExample(errors.messageOnly), OTHER_GROUP_TYPE],
  reads: [
    {
      paths: { '': 'listGroupTimelines', ':group': { id: 'getGroupTimeline', summary: 'The statuses of one endpoint group' } },
      summary: 'The statuses of all endpoint groups of a report',
      answers: shown.SHOWS_GROUP_TIMELINES,
      answer: timelines(collectGroups),
    },
    {
      paths: {
        ':group/services': 'listServiceTimelines',
        ':group/services/:service': { id: 'getServiceTimeline', summary: 'The statuses of one service of an endpoint group' },
      },
      summary: 'The statuses of all services of an endpoint group',
      answers: shown.SHOWS_SERVICE_TIMELINES,
      answer: timelines(collectServices),
    },
    {
      paths: {
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
      summary: 'The statuses of all endpoints of a service of an endpoint group',
      answers: shown.SHOWS_ENDPOINT_TIMELINES,
      answer: timelines(collectEndpoints),
    },
  ],
};

const checkedV3 = async ({ results }: AnswerSources, { caller, query }: ReadingCall, { report }: OfReport) => {
  const given = v3Span(query);
  return { given, report: await reportNamed(results, caller.tenantId, report, errors.numericInJson) };
};

const groupsV3 = statuses(
  checkedV3,
  async ({ report, span, flags, budget, query }) => {
    const shows = firstOf(query.view) === 'latest' ? endOfTimeline : wholeTimeline;
    const collection = { daysOf: (days: DaySpan) => report.details(days), rowsOf: groupAndEndpointRows({ flags }) };
    const collected = await collectedOrEarlier(report, span, budget, collection);
    return groupsWithEndpointsBody(collected, typesOf(report).inner, shows(nowOf(report)));
  },
  'json',
);

/** The endpoints of a resource, on days with any group. */
const resourceV3 = statuses(
  checkedV3,
  async ({ report, given, span, flags, budget }, { id }: OfReport & Readonly<{ id: string }>) => {
    const shows = given || flags ? wholeTimeline : endOfTimeline;
    const rowsOf = resourceRows({ flags }, id);
    let hasGroups = false;
    const collected = await collectedOrEarlier(report, span, budget, {
      daysOf: (days) => report.details(days),
      rowsOf: (day) => {
        hasGroups ||= day.groups.length > 0;
        return rowsOf(day);
      },
      isFound: () => hasGroups,
    });
    if (collected.count === 0) throw unknownResource(id);
    return resourceBody(id, collected, shows(nowOf(report)));
  },
  'json',
);

const REFUSALS_V3 = [
  errors.refusalOf(() => v3Span({ ...TIMES_OF_EXAMPLE, end_time: 'now' })),
  errors.refusalOf(() => v3Span({ ...TIMES_OF_EXAMPLE, view: 'latest' })),
  unknownExample(errors.numericInJson),
];

/** Status timelines of groups with all their endpoints, and of the endpoints of a resource (results contract 12.5). Always JSON. */
export const TIMELINES_V3: ReadTable = {
  path: 'api/v3/status/:report',
  tag: 'status: timelines',
  options: 'The methods of statuses of version 3',
  query: { ...POSSIBLE_TIMES, ...VIEW },
  errors: REFUSALS_V3,
  reads: [
    {
      paths: { '': 'listGroupTimelinesV3' },
      summary: 'The statuses of all endpoint groups of a report with their endpoints; without times those of today',
      answers: shows(shown.GROUP_TIMELINES_V3),
      answer: groupsV3,
    },
    {
      paths: { 'id/:id': 'listResourceTimelinesV3' },
      summary: 'The statuses of the endpoints with that ID among their info; without times the latest',
      path: RESOURCE_ID,
      errors: [...REFUSALS_V3, unknownResource('resource-7')],
      answers: shows(shown.RESOURCE_TIMELINES_V3),
      answer: resourceV3,
    },
  ],
};
