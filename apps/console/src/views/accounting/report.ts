import { csvLine, inertCell } from '#domain/shared/text/csv-line.js';
import { dayAfter, dayAt, isDay } from '#domain/shared/time.js';
import { get, getText, pathOf } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { momentOf } from '../as-of.js';

export type Project = AnswerOf<'/accounting-system/projects/{project_id}'>;
type InstallationReport = AnswerOf<'/accounting-system/installations/{installation_id}/report'>;
type ProviderReport = AnswerOf<'/accounting-system/projects/{project_id}/providers/{provider_id}/report'>;
type ProjectReport = AnswerOf<'/accounting-system/projects/{project_id}/report'>;

/** An instant of a period; one of midnight by its day: of the end of a period the last day that is included. */
export const boundText = (at: string, isEnd = false): string =>
  at.includes('T00:00:00') ? dayAt(Date.parse(at) - (isEnd ? 1 : 0)) : at.slice(0, 16).replace('T', ' ');

/** What is asked for. `from`, `to`: days, both included. Empty `provider`, `installation`: all. */
export type ReportRequest = Readonly<{ project: string; provider: string; installation: string; from: string; to: string }>;

/** A period of a metric of an installation. */
export type ReportRow = Readonly<{
  provider: string;
  installation: string;
  installationId: string;
  metric: string;
  metricId: string;
  unit: string;
  from: string;
  to: string;
  total: number;
  capacity: number | null;
  usage: number | null;
}>;

/** Id of the project that was registered first; `''`: there is none. `moment`: `undefined` for now. @throws ApiError */
export const loadFirstProject = async (moment: string | undefined, signal: AbortSignal): Promise<string> => {
  const asOf = await momentOf(moment, signal);
  const query = { page: 1, size: 1 };
  const { content } = await get<AnswerOf<'/accounting-system/admin/projects'>>('/accounting-system/admin/projects', query, {
    asOf,
    signal,
  });
  return content[0]?.id ?? '';
};

/** A project with its providers and installations. @throws ApiError */
export const loadProject = async (id: string, moment: string | undefined, signal: AbortSignal): Promise<Project> => {
  const asOf = await momentOf(moment, signal);
  return get<Project>(pathOf('/accounting-system/projects', id), {}, { asOf, signal });
};

const pathFor = ({ project, provider, installation }: ReportRequest): string => {
  if (installation !== '') return pathOf('/accounting-system/installations', installation, 'report');
  const path = pathOf('/accounting-system/projects', project);
  return provider === '' ? `${path}/report` : `${pathOf(`${path}/providers`, provider)}/report`;
};

const rowsOf = ({ provider, installation, installation_id, data }: InstallationReport): readonly ReportRow[] =>
  data.flatMap(({ metric_definition_id, metric_name, unit_type, periods }) =>
    periods.map(({ from, to, total_value, capacity_value, usage_percentage }) => ({
      provider,
      installation,
      installationId: installation_id,
      metric: metric_name,
      metricId: metric_definition_id,
      unit: unit_type,
      from,
      to,
      total: total_value,
      capacity: capacity_value ?? null,
      usage: usage_percentage ?? null,
    })),
  );

/** Usage of a metric over all periods and all installations of a provider; averages have none. */
export type Total = Readonly<{ provider: string; metric: string; metricId: string; unit: string; total: number }>;

/** `totals`: as the service sums them; none of a single installation. `moment`: point of the log. */
type Report = Readonly<{ rows: readonly ReportRow[]; totals: readonly Total[]; moment: string }>;

export const totalsOf = ({
  provider_id,
  aggregated_metrics,
}: Pick<ProviderReport, 'provider_id' | 'aggregated_metrics'>): readonly Total[] =>
  aggregated_metrics
    .filter(({ metric_type }) => metric_type !== 'averaged')
    .map(({ metric_definition_id, metric_name, unit_type, total_value }) => ({
      provider: provider_id,
      metric: metric_name,
      metricId: metric_definition_id,
      unit: unit_type,
      total: total_value,
    }));

const reportOf = (report: InstallationReport | ProviderReport | ProjectReport): Omit<Report, 'moment'> => {
  if ('installation_id' in report) return { rows: rowsOf(report), totals: [] };
  const providers = 'provider_id' in report ? [report] : report.data;
  return { rows: providers.flatMap(({ data }) => data).flatMap(rowsOf), totals: providers.flatMap(totalsOf) };
};

/** Reports of the service end before a day. Anything but a day stays, for the server to refuse, and so does the last day that it takes. */
const endOf = (day: string): string => (isDay(day) && day < '9999-12-31' ? dayAfter(day) : day);

/** The same day of the month before, or its last one. */
export const monthBefore = (day: string): string => {
  const [year = 0, month = 0, dayOfMonth = 0] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 2, Math.min(dayOfMonth, last))).toISOString().slice(0, 10);
};

/** @throws ApiError */
export const loadReport = async (asked: ReportRequest, moment: string | undefined, signal: AbortSignal): Promise<Report> => {
  const asOf = await momentOf(moment, signal);
  const query = { start: asked.from, end: endOf(asked.to) };
  const report = await get<InstallationReport | ProviderReport | ProjectReport>(pathFor(asked), query, { asOf, signal });
  return { ...reportOf(report), moment: asOf };
};

/** A record of CSV, whose cells may have line breaks. */
const RECORD = /(?:"[^"]*"|[^"\r])+\r\n/g;
const TOTAL = 'total_of_periods';

/** A report as the service writes it as CSV, then a line for each total, in a column of its own, so that no sum counts usage twice. */
export const withTotals = (
  csv: string,
  totals: readonly Total[],
  { project, from, to }: Pick<ReportRequest, 'project' | 'from' | 'to'>,
): string => {
  if (totals.length === 0) return csv;
  const [columns = ''] = csv.split('\r\n', 1);
  const rows = csv.replace(RECORD, (row, at) => `${row.slice(0, -2)},${at === 0 ? TOTAL : ''}\r\n`);
  const period = { from: `${from}T00:00:00Z`, to: `${endOf(to)}T00:00:00Z` };
  const lines = totals.map(({ provider, metricId, metric, unit, total }) => {
    const names = { metric_definition_id: metricId, metric_name: metric, unit_type: unit };
    const cells: Readonly<Record<string, string>> = { project, provider, ...names, ...period, [TOTAL]: `${total}` };
    return csvLine([...columns.split(','), TOTAL].map((column) => inertCell(cells[column] ?? '')));
  });
  return rows + lines.join('');
};

/** The same as the service writes it as CSV. @throws ApiError */
export const loadCsv = (asked: ReportRequest, asOf: string): Promise<string> =>
  getText(pathFor(asked), 'text/csv', { start: asked.from, end: endOf(asked.to) }, { asOf });
