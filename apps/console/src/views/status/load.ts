import { get, pathOf } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { momentOf } from '../as-of.js';

type Tenant = Readonly<{ id: string; name: string }>;
export type Explanation = AnswerOf<'/audit/results/{tenant}/{report}/{group}/{day}'>;
type Report = AnswerOf<'/api/v2/reports'>['data'][number];

/** What is shown of a group on a day. Figures as results write them: texts, `-1` where there is none. */
export type DayFigures = Readonly<{ availability: string; reliability: string }>;

/** `figures`: by group, then by day. `days`: ascending. */
export type ReportDays = Readonly<{
  groups: readonly string[];
  days: readonly string[];
  figures: ReadonlyMap<string, ReadonlyMap<string, DayFigures>>;
}>;

/** @throws ApiError */
export const loadTenants = async (moment: string | undefined, signal: AbortSignal): Promise<readonly Tenant[]> => {
  const asOf = await momentOf(moment, signal);
  const { data } = await get<AnswerOf<'/api/v2/admin/tenants'>>('/api/v2/admin/tenants', {}, { asOf, signal });
  return data.map(({ id, info }) => ({ id, name: info.name }));
};

/** Names of the reports of a tenant that are computed. @throws ApiError */
export const loadReports = async (tenant: string, moment: string | undefined, signal: AbortSignal): Promise<readonly string[]> => {
  if (tenant === '') return [];
  const asOf = await momentOf(moment, signal);
  const { data } = await get<AnswerOf<'/api/v2/reports'>>('/api/v2/reports', {}, { asOf, tenant, signal });
  return data.filter(({ disabled }: Report) => !disabled).map(({ info }) => info.name);
};

const DAY = 86_400_000;
/** Days of a picture. */
const MOST_DAYS = 92;

/** Days from one to the other, both included, the last 92 of them; none where they are no days. */
export const daysBetween = (from: string, to: string): readonly string[] => {
  const [start, end] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)];
  const count = Number.isNaN(start - end) ? 0 : Math.max(0, Math.min(MOST_DAYS, Math.floor((end - start) / DAY) + 1));
  return Array.from({ length: count }, (_, at) => new Date(end - (count - 1 - at) * DAY).toISOString().slice(0, 10));
};

/** `asOf`: `undefined` for now. */
export type Asked = Readonly<{ tenant: string; report: string; from: string; to: string; asOf: string | undefined }>;

/** @throws ApiError */
export const loadDays = async ({ tenant, report, from, to, asOf: moment }: Asked, signal: AbortSignal): Promise<ReportDays> => {
  const asOf = await momentOf(moment, signal);
  const { results } = await get<AnswerOf<'/api/v3/results/{report}'>>(
    pathOf('/api/v3/results', report),
    { start_time: `${from}T00:00:00Z`, end_time: `${to}T23:59:59Z` },
    { asOf, tenant, signal },
  );
  const figures = new Map<string, ReadonlyMap<string, DayFigures>>();
  for (const { name, results: days } of results.flatMap(({ groups }) => groups))
    figures.set(name, new Map(days.map(({ date = '', availability, reliability }) => [date, { availability, reliability }])));
  return { groups: [...figures.keys()].sort(), days: daysBetween(from, to), figures };
};

/** Endpoints and points of a page of an explanation, about. */
const PAGE = 1_000;
/** Pages that are read: what is beyond is not shown. */
const MOST_PAGES = 5;

/** Figures of a group on a day, and what they came from. @throws ApiError */
export const loadExplanation = async (
  { tenant, report, asOf }: Asked,
  group: string,
  day: string,
  signal: AbortSignal,
): Promise<Explanation> => {
  const path = pathOf('/audit/results', tenant, report, group, day);
  const first = await get<Explanation>(path, { limit: PAGE }, { asOf, signal });
  const endpoints = [...first.endpoints];
  let { next } = first;
  for (let page = 1; page < MOST_PAGES && next !== null; page += 1) {
    const more: Explanation = await get<Explanation>(path, { limit: PAGE, after: next }, { asOf, signal });
    for (const endpoint of more.endpoints) {
      const last = endpoints.at(-1);
      const goesOn = last?.service === endpoint.service && last.host === endpoint.host;
      if (goesOn) endpoints[endpoints.length - 1] = { ...last, metrics: [...last.metrics, ...endpoint.metrics] };
      else endpoints.push(endpoint);
    }
    next = more.next;
  }
  return { ...first, endpoints, next };
};
