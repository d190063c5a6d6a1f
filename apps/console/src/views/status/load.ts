import { get, pathOf } from '../../api/client.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';

type Tenant = AnswerOf<'/audit/results'>['items'][number];
export type Explanation = AnswerOf<'/audit/results/{tenant}/{report}/{group}/{day}'>;

/** Figures as results write them: texts, `-1` where there is none. */
export type Figures = Readonly<{ availability: string; reliability: string }>;

/** `days`, `months` (`YYYY-MM`): ascending. `figures`: by group, then by day or month. `late`: arrival of the last point of days whose data came late. */
export type ReportDays = Readonly<{
  groups: readonly string[];
  days: readonly string[];
  months: readonly string[];
  figures: ReadonlyMap<string, ReadonlyMap<string, Figures>>;
  late: ReadonlyMap<string, string>;
}>;

/** @throws ApiError */
export const loadTenants = async (asOf: string | undefined, signal: AbortSignal): Promise<readonly Tenant[]> => {
  const { items } = await get<AnswerOf<'/audit/results'>>('/audit/results', {}, { asOf, signal });
  return items;
};

/** Names of the reports of a tenant that are computed. @throws ApiError */
export const loadReports = async (tenant: string, asOf: string | undefined, signal: AbortSignal): Promise<readonly string[]> => {
  if (tenant === '') return [];
  const { reports } = await get<AnswerOf<'/audit/results/{tenant}'>>(pathOf('/audit/results', tenant), {}, { asOf, signal });
  return reports;
};

/** The first report of the first of these tenants that has one. Tenants that cannot be read have none: the form says why. */
export const loadFirstReport = async (
  tenants: readonly string[],
  asOf: string | undefined,
  signal: AbortSignal,
): Promise<Readonly<{ tenant: string; report: string }> | undefined> => {
  for (const tenant of tenants) {
    const [report] = await loadReports(tenant, asOf, signal).catch(() => []);
    if (report !== undefined) return { tenant, report };
    if (signal.aborted) break;
  }
  return undefined;
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
export const loadDays = async ({ tenant, report, from, to, asOf }: Asked, signal: AbortSignal): Promise<ReportDays> => {
  const days = daysBetween(from, to);
  const months = [...new Set(days.map((day) => day.slice(0, 7)))];
  const [first] = days;
  if (first === undefined) return { groups: [], days, months, figures: new Map(), late: new Map() };
  const path = pathOf('/audit/results', tenant, report);
  const { groups, late } = await get<AnswerOf<'/audit/results/{tenant}/{report}'>>(path, { from: first, to }, { asOf, signal });
  const figuresOf = (group: (typeof groups)[number]): ReadonlyMap<string, Figures> =>
    new Map<string, Figures>([
      ...group.days.map((one) => [one.day, one] as const),
      ...group.months.map((one) => [one.month, one] as const),
    ]);
  const figures = new Map(groups.map((group) => [group.name, figuresOf(group)]));
  return { groups: groups.map(({ name }) => name), days, months, figures, late: new Map(late.map(({ day, at }) => [day, at])) };
};

/** A recomputation that somebody has asked for. */
export type Requested = ItemOf<'/ops/results/recomputations'>;

/** Recomputations of a report, the newest first; those that include a day, if one is given. @throws ApiError */
export const loadRequested = async (
  { tenant, report }: Asked,
  day: string | undefined,
  signal: AbortSignal,
): Promise<readonly Requested[]> => {
  const query = { tenant, report, day };
  const { items } = await get<AnswerOf<'/ops/results/recomputations'>>('/ops/results/recomputations', query, { signal });
  return items;
};

/** Endpoints and points of a page of an explanation, about. */
const PAGE = 1_000;
/** Pages that are read: what is beyond is not shown. */
const MOST_PAGES = 5;

type Metrics = Explanation['endpoints'][number]['metrics'];

/** Metrics of an endpoint on two pages. A page can end within a metric. */
const joined = (before: Metrics, after: Metrics): Metrics => {
  const last = before.at(-1);
  const [first, ...others] = after;
  if (!last || last.metric !== first?.metric) return [...before, ...after];
  return [...before.slice(0, -1), { ...last, points: [...last.points, ...first.points] }, ...others];
};

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
      if (goesOn) endpoints[endpoints.length - 1] = { ...last, metrics: joined(last.metrics, endpoint.metrics) };
      else endpoints.push(endpoint);
    }
    next = more.next;
  }
  return { ...first, endpoints, next };
};
