import type { OperationFacts } from '#api/shared/routes/describe.js';
import { dayIn } from '#api/status/day-query.js';
import * as errors from '#api/status/errors.js';
import { unknownReport, withGroups } from '#api/status/reports/report-errors.js';
import { pageOf } from '#api/status/results/paging.js';
import { periodOf, periodOfV3 } from '#api/status/results/period-query.js';
import { executionTime, timeSpan } from '#api/status/time-query.js';
import { v3Span } from '#api/status/timelines/v3-span.js';
import { trendQuery } from '#api/status/trends/trend-query.js';
import { periodOfV4, statusSpan } from '#api/status/v4/v4-query.js';
import { periodOfV5, spanOfV5 } from '#api/status/v5/v5-query.js';

/** What a call that is refused throws. */
const thrownBy = (refused: () => unknown): errors.StatusError => {
  try {
    refused();
  } catch (error) {
    if (error instanceof errors.StatusError) return error;
    throw error;
  }
  throw new Error('this is not refused');
};

const REPORT = 'Critical';
const SITES = { types: ['NGI', 'SITES'] };
const SPAN = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-01T23:59:59Z' };
const unknown = errors.messageOnly(404, unknownReport(REPORT));
const unknownNumbered = errors.numericMessage(404, unknownReport(REPORT));
const notFoundInJson = (message: string): errors.StatusError => errors.numericInJson(404, message);
const unknownInJson = notFoundInJson(unknownReport(REPORT));
const noResults = 'No results found for given query';
const noSuchReport = errors.messageInJson(404, `No report with name: ${REPORT} exists!`);
const otherType = thrownBy(() => withGroups(SITES, REPORT, 'NGI'));
const badTimes = thrownBy(() => timeSpan({ end_time: 'yesterday' }));
const badPage = thrownBy(() => pageOf({ pageSize: 'ten' }));
const badProblem = (message: string, details: string): errors.StatusError => errors.badParameters([{ message, details }]);

/** Refusals of calls by what their paths begin with (results contract 12, status contract of 2026 7 to 10). A call has those of all that match. */
const OF_PATHS: readonly (readonly [path: RegExp, refusals: readonly errors.StatusError[]])[] = [
  [/^\/api\/v2\/results\//, [thrownBy(() => periodOf({ ...SPAN, granularity: 'weekly' })), thrownBy(() => periodOf({})), unknownNumbered]],
  [/^\/api\/v2\/results\//, [errors.numericMessage(404, noResults)]],
  [/^\/api\/v2\/results\/\{report\}\/endpoints$/, [badPage]],
  [
    /^\/api\/v2\/results\/\{report\}\/\{type\}(\/\{group\})?$/,
    [errors.numericMessage(404, `The report ${REPORT} does not define any group type: SERVICES`)],
  ],
  [
    /^\/api\/v2\/results\/\{report\}\/(\{groupType\}|\{type\}\/\{group\}\/)/,
    [badProblem('Endpoint Group type not in report', `Endpoint Group type NGI not present in report ${REPORT}. Try using SITES instead`)],
  ],
  [
    /^\/api\/v2\/results\/\{report\}\/\{groupType\}/,
    [badProblem('Group type not in report', `Group type SERVICES not present in report ${REPORT}.`)],
  ],
  [/^\/api\/v2\/status\//, [badTimes, thrownBy(() => timeSpan({ ...SPAN, granularity: 'daily' })), unknown]],
  [/^\/api\/v2\/status\/\{report\}\/\{type\}/, [otherType]],
  [/^\/api\/v2\/status\/\{report\}\/(endpoints$|metrics\/)/, [badPage]],
  [/^\/api\/v2\/metric_result\//, [thrownBy(() => executionTime({})), thrownBy(() => executionTime({ exec_time: 'noon' }))]],
  [/^\/api\/v2\/metric_result\/.*\{metric\}/, [errors.numericMessage(404, 'Metric not found!'), unknownNumbered]],
  [/^\/api\/v2\/latest\//, [unknown, otherType]],
  [/^\/api\/v2\/issues\//, [errors.asJson(unknown)]],
  [/^\/api\/v2\/admin\/tenants\/\{\w+\}\/users\/\{/, [errors.notFound(), errors.userNotFound()]],
  [/^\/api\/v2\/topology\/stats\//, [unknown]],
  [/^\/api\/v2\/topology\/\w+\/by_report\//, [noSuchReport]],
  [/^\/api\/v2\/topology\/groups\/by_report\//, [errors.queryFoundNothing()]],
  [
    /^\/api\/v2\/metrics\/by_report\//,
    [
      noSuchReport,
      errors.messageInJson(404, "Report doesn't contain a metric profile"),
      errors.messageInJson(404, 'No metric profiles with ID: 6a5da0f4-a24b-43be-96f2-b86f92297fea exists!'),
    ],
  ],
  [
    /^\/api\/v2\/trends\//,
    [
      thrownBy(() => trendQuery({ date: '2026-02-30' }, '2026-03-01')),
      thrownBy(() => trendQuery({ start_date: '2026-03-01' }, '2026-03-01')),
      thrownBy(() => trendQuery({ top: 'ten' }, '2026-03-01')),
      errors.asJson(unknown),
    ],
  ],
  [
    /^\/api\/v3\/results\//,
    [thrownBy(() => periodOfV3({})), thrownBy(() => periodOfV3({ ...SPAN, granularity: 'weekly' })), unknownInJson],
  ],
  [
    /^\/api\/v3\/status\//,
    [thrownBy(() => v3Span({ ...SPAN, end_time: 'now' })), thrownBy(() => v3Span({ ...SPAN, view: 'latest' })), unknownInJson],
  ],
  [/^\/api\/v3\/\w+\/\{report\}\/id\//, [notFoundInJson('No endpoints found with resource-id: resource-7')]],
  [/^\/api\/v4\/(?!status|.*capabilities\/status)/, [thrownBy(() => periodOfV4({ granularity: 'weekly' }, 0))]],
  [/^\/api\/v4\/(results|.*capabilities\/[asu])(?!tatus)/, [thrownBy(() => periodOfV4({ date: '2026-02-30' }, 0))]],
  [/^\/api\/v4\/(status|.*capabilities\/status)/, [thrownBy(() => statusSpan({ ...SPAN, start_time: 'now' }))]],
  [/^\/api\/v4\/(results|status)\//, [errors.numericInJson(400, 'Multiple reports found please specify one by using report url param')]],
  [/^\/api\/v4\/nodes\//, [notFoundInJson('Node report not set')]],
  [/^\/api\/v5\/results\//, [thrownBy(() => periodOfV5({})), unknownInJson, notFoundInJson(noResults)]],
  [/^\/api\/v5\/status\//, [thrownBy(() => spanOfV5({ 'start-time': 'now' })), unknownInJson]],
  [/^\/api\/v5\/status\/.*\/details$/, [notFoundInJson('Metric not found!')]],
];

/** Calls whose `date` is a day, which must be one. */
const OF_DAYS = /^\/api\/v2\/(?!latest|trends|recomputations)/;

/** Refusals of contents of bodies. */
const OF_BODIES: readonly (readonly [path: RegExp, refusal: errors.StatusError])[] = [
  [/^\/api\/v2\/operations_profiles/, errors.invalidProfile(['State:OK is duplicated'])],
  [/^\/api\/v2\/thresholds_profiles/, errors.invalidProfile(['Invalid threshold: load'])],
  [/^\/api\/v2\/aggregation_profiles/, errors.unprocessable('Referenced metric profile ID is not found')],
  [
    /^\/api\/v2\/reports/,
    errors.unprocessableItems([{ message: 'Profile type invalid', details: 'Profile type availability is invalid' }]),
  ],
];

/** What is answered where a parameter of the query is wrong, or what the path names is not there. */
export const refusalsOf = (
  path: string,
  query: ReadonlySet<string>,
  { method, hasBody }: Pick<OperationFacts, 'method' | 'hasBody'>,
): readonly errors.StatusError[] => {
  if (method === 'options') return [];
  const ofBody = hasBody ? OF_BODIES.flatMap(([pattern, refusal]) => (pattern.test(path) ? [refusal] : [])) : [];
  const found = [...OF_PATHS.flatMap(([pattern, refusals]) => (pattern.test(path) ? refusals : [])), ...ofBody];
  if (query.has('date') && OF_DAYS.test(path)) found.push(thrownBy(() => dayIn({ date: '2026-02-30' }, Date.now)));
  const isBad = found.some(({ statusCode }) => statusCode === 400);
  return hasBody && isBad ? [errors.malformedJson(), ...found] : found;
};
