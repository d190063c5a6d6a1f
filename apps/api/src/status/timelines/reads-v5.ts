import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { shows } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { atInstant, hyphenTimes, VIEW } from '#api/status/queries.js';
import type { AnswerSources, ReadTable } from '#api/status/reads.js';
import { reportNamed, unknownExample } from '#api/status/report-errors.js';
import { typesOf } from '#api/status/results/result-levels.js';
import { spanOfV5 } from '#api/status/results/v5-query.js';
import { parsingError } from '#api/status/time-query.js';
import { dayOf, secondOfDay, zuluSecond } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ListedPoint } from '#domain/status/results/results.js';
import { wireText } from '#projections/status/layout.js';
import type { EndpointFilter, EndpointMetrics, ReportReader } from '#projections/status/results/report-reader.js';
import * as shown from './openapi-v5.js';
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
import { metricRows } from './rows.js';
import { groupsBody, listedStatuses, wholeTimeline } from './views.js';

type Params = PathNames & Readonly<{ report: string }>;

const known = ({ results }: AnswerSources, { caller }: ReadingCall, { report }: Params): Promise<ReportReader> =>
  reportNamed(results, caller.tenantId, report, errors.numericInJson);

const timelines = (collect: CollectItems, statusesOf = wholeTimeline) =>
  statuses(
    async (sources, call, params: Params) => ({ report: await known(sources, call, params), given: spanOfV5(call.query) }),
    async (asked, params) => {
      const collected = await collect(asked, params);
      if (collected.count === 0) return { branches: { name: 'groups', items: null } };
      return groupsBody(collected, typesOf(asked.report).inner, statusesOf(nowOf(asked.report)), 'service-types');
    },
    'json',
  );

const filterOf = ({ group, service, endpoint: host, metric }: PathNames): EndpointFilter => ({
  ...(group && { group }),
  ...(service && { service }),
  ...(host && { host }),
  ...(metric && { metric }),
});

const collectMetrics: CollectItems = ({ report, span, flags, budget }, names) => {
  const filter = filterOf(names);
  return collectedOrEarlier(report, span, budget, { daysOf: (days) => report.metrics(days, filter), rowsOf: metricRows(flags, true) });
};

/** A point in the timeline of a metric at a second, and its endpoint. */
type ListedMetric = Pick<EndpointMetrics, 'service' | 'info'> & Readonly<{ point: ListedPoint }>;

async function* listedAt(report: ReportReader, filter: EndpointFilter, second: string): AsyncGenerator<ListedMetric> {
  const day = dayOf(second);
  const at = secondOfDay(second);
  for await (const { endpoints } of report.metrics({ from: day, to: day }, filter))
    for (const { service, info, metrics } of endpoints) {
      const point = metrics[0]?.points.find((one) => one.at === at);
      if (point) yield { service, ...(info && { info }), point };
    }
}

const metricNotFound = (): errors.StatusError => errors.numericInJson(404, 'Metric not found!');

const details = async (sources: AnswerSources, call: ReadingCall, params: Params): Promise<Answer> => {
  const { group = '', endpoint: host = '', metric = '' } = params;
  const { tenantId } = call.caller;
  const report = await known(sources, call, params);
  const given = firstOf(call.query.timestamp) ?? '';
  const second = zuluSecond(given);
  if (second === undefined) throw errors.asJson(errors.badParameters([parsingError('timestamp', given)]));
  if (!report.computations.status) throw metricNotFound();
  const plan = await report.plan(dayOf(second));
  if (!plan) throw metricNotFound();
  const slice = new TimeSlice();
  // a point may be listed without a result at that second (carried over, or set by a recomputation), while another service has one
  for await (const { service, info, point } of listedAt(report, filterOf(params), second)) {
    const place = { tenantId, plan, group, service, host, metric };
    const result = await sources.metricData.counting(place, secondOfDay(second), slice);
    if (!result) continue;
    const { summary, message } = result;
    const { status, actualData, thresholdRule, originalStatus } = point;
    const optional = {
      info: info ?? result.info,
      actual_data: actualData,
      threshold_rule_applied: thresholdRule,
      original_status: originalStatus,
    };
    const members = { timestamp: second, group, hostname: host, service_type: service, metric, status, summary, message };
    return json(wireText({ ...members, ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value)) }));
  }
  throw metricNotFound();
};

const REFUSALS = [errors.refusalOf(() => spanOfV5({ 'start-time': 'now' })), unknownExample(errors.numericInJson)];

/** Status timelines in the shape of version 5 (status contract of 2026, 10). JSON whatever the caller accepts. */
export const TIMELINES_V5: ReadTable = {
  path: 'api/v5/status/:report',
  tag: 'status: timelines',
  options: 'The methods of status timelines of version 5',
  query: { ...hyphenTimes('default the day of the other time, or today'), ...VIEW },
  errors: REFUSALS,
  reads: [
    {
      paths: { groups: 'listGroupTimelinesV5', 'groups/:group': 'getGroupTimelineV5' },
      summary: 'The statuses of endpoint groups',
      answers: shows(shown.GROUP_TIMELINES_V5),
      answer: timelines(collectGroups),
    },
    {
      paths: {
        'groups/:group/service-types': 'listServiceTypeTimelinesV5',
        'groups/:group/service-types/:service': 'getServiceTypeTimelineV5',
      },
      summary: 'The statuses of the services of an endpoint group',
      answers: shows(shown.SERVICE_TYPE_TIMELINES_V5),
      answer: timelines(collectServices),
    },
    {
      paths: {
        endpoints: 'listEndpointTimelinesV5',
        'endpoints/:endpoint': 'getEndpointTimelineV5',
        'groups/:group/endpoints': 'listGroupEndpointTimelinesV5',
        'groups/:group/endpoints/:endpoint': 'getGroupEndpointTimelineV5',
        'groups/:group/service-types/:service/endpoints': 'listServiceTypeEndpointTimelinesV5',
        'groups/:group/service-types/:service/endpoints/:endpoint': 'getServiceTypeEndpointTimelineV5',
      },
      summary: 'The statuses of endpoints',
      answers: shows(shown.ENDPOINT_TIMELINES_V5),
      answer: timelines(collectEndpoints),
    },
    {
      paths: {
        'groups/:group/endpoints/:endpoint/metrics': 'listGroupEndpointMetricTimelinesV5',
        'groups/:group/endpoints/:endpoint/metrics/:metric': 'getGroupEndpointMetricTimelineV5',
        'groups/:group/service-types/:service/endpoints/:endpoint/metrics': 'listServiceTypeEndpointMetricTimelinesV5',
        'groups/:group/service-types/:service/endpoints/:endpoint/metrics/:metric': 'getServiceTypeEndpointMetricTimelineV5',
      },
      summary: 'The statuses of the metrics of an endpoint',
      answers: shows(shown.METRIC_TIMELINES_V5),
      answer: timelines(collectMetrics, () => listedStatuses),
    },
    {
      paths: {
        'groups/:group/endpoints/:endpoint/metrics/:metric/details': 'getGroupEndpointMetricDetailsV5',
        'groups/:group/service-types/:service/endpoints/:endpoint/metrics/:metric/details': 'getServiceTypeEndpointMetricDetailsV5',
      },
      summary: 'What a probe said at exactly that second',
      query: { timestamp: atInstant() },
      errors: [...REFUSALS, metricNotFound()],
      answers: shows(shown.METRIC_DETAILS_V5),
      answer: details,
    },
  ],
};
