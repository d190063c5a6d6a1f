import { spansOf } from '../../charts/spans.js';
import type { TimelineRow } from '../../charts/timeline.js';
import { counted } from '../../parts/figures.js';
import type { Explanation, Figures, ReportDays } from './load.js';

type Endpoint = Explanation['endpoints'][number];
type Metric = Endpoint['metrics'][number];

/** Rows of a picture: what is beyond is in the answer of the API. */
export const MOST_ROWS = 400;

/** How results shade availability and reliability, from the worst (0) to the best. */
export const levelOf = (figure: number | null): number | null => {
  if (figure === null || figure < 0) return null;
  return [90, 95, 99, 99.9].filter((bound) => figure >= bound).length;
};

/** The two digits that stand in a cell below the best level: the whole part of the figure as it is shown, so that 93.999, shown as `94 %`, is not 93. */
export const markOf = (level: number | null, shown: string): string => (level !== null && level < 4 ? `${Number.parseInt(shown, 10)}` : '');

const MONTH_LENGTH = 'YYYY-MM'.length;

/** Whether anything is known of a day or month: a month of days that are all unknown has the figure 0 (results contract 9). */
export const isKnown = (figures: ReadonlyMap<string, Figures> | undefined, column: string, name: keyof Figures): boolean => {
  const hasFigure = (day: string): boolean => Number(figures?.get(day)?.[name] ?? -1) >= 0;
  if (column.length > MONTH_LENGTH) return hasFigure(column);
  return [...(figures ?? new Map()).keys()].some((day) => day.length > MONTH_LENGTH && day.startsWith(column) && hasFigure(day));
};

/** Groups by their worst month, then by name. Groups of which nothing is known come last: they had no outage. */
export const worstFirst = ({ groups, months, figures }: Omit<ReportDays, 'late'>, name: keyof Figures): readonly string[] => {
  const worst = (group: string): number => {
    const own = figures.get(group);
    const known = months.filter((month) => isKnown(own, month, name)).map((month) => Number(own?.get(month)?.[name]));
    return Math.min(101, ...known);
  };
  const byGroup = new Map(groups.map((group) => [group, worst(group)]));
  return [...groups].sort((one, other) => (byGroup.get(one) ?? 0) - (byGroup.get(other) ?? 0) || (one < other ? -1 : 1));
};

/** That so many groups are OK. `areAll`: whether these are all that there are. */
export const allOkText = (groups: number, areAll: boolean): string => {
  const noun = areAll ? 'group' : 'other group';
  return groups === 1 ? `The one ${noun} is OK now` : `All ${counted(groups, noun)} are OK now`;
};

const stepsOf = (timeline: readonly Readonly<{ from: string; status: string }>[]) =>
  timeline.map(({ from, status }) => ({ at: Date.parse(from), state: status }));

/** Points that count, as results show them; before the first one what went before. */
const metricSteps = ({ previous, points }: Metric, from: number) => [
  { at: from, state: previous?.status ?? 'MISSING' },
  ...points
    .filter(({ use }) => use === 'counts')
    .map(({ at, shown, status }) => ({ at: Date.parse(at), state: shown ?? status }))
    .sort((one, other) => one.at - other.at),
];

/** A point behind a figure, with its place. `isNotable`: it changed the status of its metric, or it does not count. */
type PointRow = Metric['points'][number] & Readonly<{ key: string; service: string; host: string; metric: string; isNotable: boolean }>;

/** The points of a day by endpoint and metric, in their order. */
export const pointRows = (endpoints: readonly Pick<Endpoint, 'service' | 'host' | 'metrics'>[]): readonly PointRow[] =>
  endpoints.flatMap(({ service, host, metrics }) =>
    metrics.flatMap(({ metric, previous, points }) => {
      let before = previous.status;
      return points.map((point, at) => {
        const { use, status, shown = status } = point;
        const isNotable = use !== 'counts' || shown !== status || shown !== before;
        if (use === 'counts') before = shown;
        return { ...point, key: `${service} ${host} ${metric} ${at}`, service, host, metric, isNotable };
      });
    }),
  );

/** The day of a group as rows: the group, its services, their endpoints, their metrics. */
export const dayRows = (explanation: Explanation): Readonly<{ rows: readonly TimelineRow[]; from: number; to: number; cut: boolean }> => {
  const from = Date.parse(`${explanation.day}T00:00:00Z`);
  const [to, until] = [from + 86_400_000, Date.parse(explanation.until)];
  const rows: TimelineRow[] = [
    { key: 'group', name: explanation.group, level: 0, spans: spansOf(stepsOf(explanation.timeline), from, until) },
  ];
  for (const { service, timeline } of explanation.services) {
    rows.push({ key: service, name: service, level: 1, spans: spansOf(stepsOf(timeline ?? []), from, until) });
    for (const endpoint of explanation.endpoints.filter((one) => one.service === service)) {
      const key = `${service} ${endpoint.host}`;
      rows.push({ key, name: endpoint.host, level: 2, spans: spansOf(stepsOf(endpoint.timeline), from, until) });
      for (const metric of endpoint.metrics)
        rows.push({
          key: `${key} ${metric.metric}`,
          name: metric.metric,
          level: 3,
          spans: spansOf(metricSteps(metric, from), from, until),
        });
    }
  }
  return { rows: rows.slice(0, MOST_ROWS), from, to, cut: rows.length > MOST_ROWS || explanation.next !== null };
};
