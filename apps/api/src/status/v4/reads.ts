import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers/answers.js';
import { arrayTexts, objectTexts } from '#api/status/answers/json-texts.js';
import * as errors from '#api/status/errors.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { granularity, PERIOD, VIEW, VIEW_OF_NODE } from '#api/status/queries.js';
import type { AnswerSources, ReadTable } from '#api/status/reads.js';
import type { ResultItem } from '#api/status/results/items.js';
import { ownGroupItems } from '#api/status/results/result-levels.js';
import { numbersOf, wireRow } from '#api/status/results/results-json.js';
import type { PeriodRow } from '#api/status/results/series.js';
import { NODE_VIEWERS } from '#api/status/route.js';
import { collectGroups, nowOf, statuses } from '#api/status/timelines/reading.js';
import { endOfTimeline, resultsOfGroups, wholeTimeline } from '#api/status/timelines/views.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { wireText } from '#projections/status/layout.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import * as shown from './openapi.js';
import { BAD_DATE, BAD_GRANULARITY, BAD_TIME, type DayNames, HYPHENS, periodOfV4, statusSpan } from './v4-query.js';

type Params = Readonly<{ group?: string }>;

/** Finds the report of a call. @throws StatusError `EMSGN` */
type FindReport = (sources: AnswerSources, call: ReadingCall) => Promise<ReportReader>;

const byId = async ({ results, reports }: AnswerSources, tenantId: string, id: string): Promise<ReportReader | undefined> => {
  const name = await reports.nameOf({ tenantId, id });
  return name === undefined ? undefined : results.report(tenantId, name);
};

const severalReports = (): errors.StatusError =>
  errors.numericInJson(400, 'Multiple reports found please specify one by using report url param');
const noNodeReport = (): errors.StatusError => errors.numericInJson(404, 'Node report not set');

/** The report that a call gives by name or id, or else the only one of the tenant. */
const givenReport: FindReport = async (sources, { caller: { tenantId }, query }) => {
  const given = firstOf(query.report);
  if (given) {
    const found = (await sources.results.report(tenantId, given)) ?? (await byId(sources, tenantId, given));
    if (!found) throw errors.numericInJson(404, `The report: ${given} does not exist`);
    return found;
  }
  const [only, another] = await sources.reports.names(tenantId, 2, new TimeSlice());
  if (another !== undefined) throw severalReports();
  const found = only === undefined ? undefined : await sources.results.report(tenantId, only);
  if (!found) throw errors.numericInJson(404, 'No reports found');
  return found;
};

/** The report of the tenant as a node. */
const nodeReport: FindReport = async (sources, { caller: { tenantId } }) => {
  const id = await sources.reports.nodeReportOf(tenantId);
  if (id === undefined) throw noNodeReport();
  const found = await byId(sources, tenantId, id);
  if (!found) throw errors.numericInJson(404, `The report with the id ${id} does not exist`);
  return found;
};

type RowView = (row: PeriodRow) => object;

async function* dataJson(items: readonly ResultItem[], view: RowView): Pieces {
  const texts = function* (rows: readonly PeriodRow[]): Generator<Iterable<string>> {
    for (const row of rows) yield [wireText(view(row), 4)];
  };
  const groups = function* (): Generator<Iterable<string>> {
    for (const { names, rows } of items) yield objectTexts({ name: names[0] }, 'results', arrayTexts(texts(rows()), 4), 2);
  };
  for (const text of objectTexts({}, 'data', arrayTexts(groups(), 2), 0)) yield [text];
}

/** `custom` has no rows, as in the original. */
const figures =
  (find: FindReport, view: RowView, names?: DayNames) =>
  async (sources: AnswerSources, call: ReadingCall, { group }: Params): Promise<Answer> => {
    const reader = await find(sources, call);
    const period = periodOfV4(call.query, reader.now, names);
    const items = period.granularity === 'custom' ? [] : await ownGroupItems(reader, period, { group }, call.work);
    return json(bodyOfPieces(dataJson(items, view)));
  };

/** Without times and `history`, only the latest status of today. */
const groupStatuses = (find: FindReport) =>
  statuses(
    async (sources, call) => ({ report: await find(sources, call), given: statusSpan(call.query) }),
    async (asked, names: Params) => {
      const { given, query, report } = asked;
      const timeline = given || query.history !== undefined ? wholeTimeline : endOfTimeline;
      return resultsOfGroups(await collectGroups(asked, names), timeline(nowOf(report)));
    },
    'json',
  );

/** Views of rows: texts, or numbers. */
const summary: RowView = (row) => {
  const { date, availability, uptime } = wireRow(row, 'date');
  return { date, availability, uptime };
};
const availability: RowView = (row) => ({ date: row.label, availability: wireRow(row, 'date').availability });
const uptime: RowView = (row) => ({ date: row.label, uptime: wireRow(row, 'date').uptime });
/** An uptime of 0 is omitted. */
const metrics: RowView = (row) => {
  const { date, availability, reliability, uptime } = numbersOf(row, 'date');
  return { date, availability, reliability, ...(uptime !== 0 && { uptime }) };
};

const GRANULARITY = granularity('what figures are summed up over');
const REPORT = { report: parameter('text', 'name or id; default the only report of the tenant') };
const TIMES_OF_REPORT = {
  end_time: parameter('instant', 'UTC instant, with `start_time`'),
  start_time: parameter('instant', 'UTC instant, with end_time'),
};

/** Endpoint groups in the shape of version 4 (status contract of 2026, 7). JSON whatever the caller accepts. */
export const GROUPS_V4: ReadTable = {
  path: 'api/v4',
  tag: 'status: results',
  options: 'The methods of endpoint groups of version 4',
  reads: [
    {
      paths: { 'results/groups': 'listGroupResultsV4', 'results/groups/:group': 'getGroupResultV4' },
      summary: 'Availability and uptime of endpoint groups; default today',
      query: {
        ...GRANULARITY,
        period: parameter(PERIOD, '7d, 2w, 1m: so long up to today'),
        ...TIMES_OF_REPORT,
        date: parameter('day', 'YYYY-MM-DD'),
        end_date: parameter('day', 'last UTC day, with `start_date`'),
        start_date: parameter('day', 'YYYY-MM-DD, with end_date'),
        ...REPORT,
      },
      errors: [BAD_GRANULARITY, BAD_DATE, severalReports(), errors.numericMessage(404, 'The report: Critical does not exist')],
      answers: shows(shown.GROUP_SUMMARIES_V4),
      answer: figures(givenReport, summary),
    },
    {
      paths: { 'status/groups': 'listGroupStatusesV4', 'status/groups/:group': 'getGroupStatusV4' },
      summary: 'Statuses of endpoint groups; without times the latest of today',
      query: { ...VIEW, history: parameter('text', 'all changes of today'), ...TIMES_OF_REPORT, ...REPORT },
      errors: [BAD_TIME, severalReports(), errors.numericMessage(404, 'No reports found')],
      answers: shows(shown.GROUP_STATUSES_V4),
      answer: groupStatuses(givenReport),
    },
  ],
};

/** The path of a list and of one of its items, with operation ids. */
const of = (path: string, plural: string, singular: string) => ({
  [path]: `listNode${plural}V4`,
  [`${path}/:group`]: `getNode${singular}V4`,
});
const TIMES_OF_DAY = {
  start_time: parameter('instant', 'UTC instant, with `end_time`'),
  end_time: parameter('instant', 'UTC instant, with `start_time`'),
};

/** Endpoint groups of the report of a tenant as a node (status contract of 2026, 8). JSON whatever the caller accepts. */
export const NODES_V4: ReadTable = {
  path: 'api/v4/nodes/:node',
  tag: 'status: nodes',
  options: 'The methods of nodes',
  who: NODE_VIEWERS,
  query: {
    start_date: parameter('day', 'first UTC day, with `end_date`'),
    end_date: parameter('day', 'last UTC day, with `start_date`'),
    date: parameter('day', 'UTC day; default today'),
    ...TIMES_OF_DAY,
    period: parameter(PERIOD, 'days, weeks or months up to today, such as `7d`'),
    ...GRANULARITY,
  },
  errors: [BAD_GRANULARITY, BAD_DATE, noNodeReport()],
  reads: [
    {
      paths: of('capabilities/summary', 'Summaries', 'Summary'),
      summary: 'Availability and uptime of the groups of a node',
      answers: shows(shown.GROUP_SUMMARIES_V4),
      answer: figures(nodeReport, summary),
    },
    {
      paths: of('capabilities/availability', 'Availabilities', 'Availability'),
      summary: 'Availability of the groups of a node',
      answers: shows(shown.GROUP_SUMMARIES_V4),
      answer: figures(nodeReport, availability),
    },
    {
      paths: of('capabilities/uptime', 'Uptimes', 'Uptime'),
      summary: 'Uptime of the groups of a node',
      answers: shows(shown.GROUP_SUMMARIES_V4),
      answer: figures(nodeReport, uptime),
    },
    {
      paths: of('capabilities/status', 'Statuses', 'Status'),
      summary: 'Statuses of the groups of a node',
      query: { ...TIMES_OF_DAY, history: parameter('text', 'any value: all changes of today'), ...VIEW_OF_NODE },
      errors: [BAD_TIME, noNodeReport()],
      answers: shows(shown.GROUP_STATUSES_V4),
      answer: groupStatuses(nodeReport),
    },
    {
      paths: {
        ...of('capabilities/monitoring/metrics', 'MonitoringMetrics', 'MonitoringMetric'),
        ...of('monitoring/metrics', 'Metrics', 'Metric'), // the earlier path
      },
      summary: 'Availability, reliability and uptime of the groups of a node, as numbers',
      query: {
        'start-date': parameter('day', 'first UTC day, with `end-date`'),
        'end-date': parameter('day', 'last UTC day, with `start-date`'),
        ...GRANULARITY,
      },
      errors: [BAD_GRANULARITY, noNodeReport()],
      answers: shows(shown.MONITORING_METRICS_V4),
      answer: figures(nodeReport, metrics, HYPHENS),
    },
  ],
};
