import type { Pieces } from '#api/shared/answers/pieces.js';
import type { Slice } from '#projections/shared/pages.js';
import { type GroupMeasurement, MEASURES, type ReportMeasurement } from './measurements.js';

/** Media type of OpenMetrics 1.0. */
export const OPEN_METRICS = 'application/openmetrics-text';
export const OPEN_METRICS_TYPE = `${OPEN_METRICS}; version=1.0.0; charset=utf-8`;

type Labels = Readonly<Record<string, string>>;
type Sample = Readonly<{ labels: Labels; value: number }>;

/** Samples of a family must be adjacent. `ratio`: set if its values are fractions of 1. */
type Family = Readonly<{
  name: string;
  type: 'gauge' | 'stateset';
  ratio?: true;
  help: string;
  ofReport?: (report: ReportMeasurement) => readonly Sample[];
  ofGroup?: (group: GroupMeasurement) => readonly Sample[];
}>;

const STATUS = 'logbook_group_status';

const FAMILIES: readonly Family[] = [
  {
    name: STATUS,
    type: 'stateset',
    help: 'Current status of an endpoint group',
    ofGroup: ({ status }) =>
      status?.states.map((state) => ({ labels: { [STATUS]: state }, value: state === status.current ? 1 : 0 })) ?? [],
  },
  ...MEASURES.map(
    (measure): Family => ({
      name: `logbook_group_${measure}_ratio`,
      type: 'gauge',
      ratio: true,
      help: `The ${measure} of an endpoint group today (UTC)`,
      ofGroup: ({ figures }) => {
        const percent = figures[measure];
        return percent === undefined ? [] : [{ labels: {}, value: percent / 100 }];
      },
    }),
  ),
  {
    name: 'logbook_report_objective_ratio',
    type: 'gauge',
    ratio: true,
    help: 'Availability and reliability that a report demands',
    ofReport: ({ objectives }) =>
      objectives ? MEASURES.map((objective) => ({ labels: { objective }, value: objectives[objective] / 100 })) : [],
  },
  {
    name: 'logbook_group_error_budget_remaining_ratio',
    type: 'gauge',
    ratio: true,
    help: 'Part of the failures that the objective allows in the window before now that is left; negative when there were more',
    ofGroup: ({ budgets }) => budgets.map(({ objective, window, remaining }) => ({ labels: { objective, window }, value: remaining })),
  },
  {
    name: 'logbook_group_burn_rate',
    type: 'gauge',
    help: 'Failures in the window before now as a multiple of those that the objective allows',
    ofGroup: ({ budgets }) => budgets.map(({ objective, window, burnRate }) => ({ labels: { objective, window }, value: burnRate })),
  },
];

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string): string => text.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? character);

const numberOf = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
};

const lineOf = (name: string, labels: Labels, value: number): string => {
  const text = Object.entries(labels).map(([label, content]) => `${label}="${escaped(content)}"`);
  return `${name}{${text.join(',')}} ${numberOf(value)}\n`;
};

/** Number of series of a report. Yields to the event loop in between. */
export const seriesIn = async (report: ReportMeasurement, slice: Slice): Promise<number> => {
  let series = FAMILIES.reduce((sum, { ofReport }) => sum + (ofReport?.(report).length ?? 0), 0);
  for (const group of report.groups) {
    for (const { ofGroup } of FAMILIES) series += ofGroup?.(group).length ?? 0;
    if (slice.isOver) await slice.next();
  }
  return series;
};

/** The text of measurements, family by family, and group by group. */
export async function* exposition(reports: readonly ReportMeasurement[]): Pieces {
  for (const { name, type, ratio, help, ofReport, ofGroup } of FAMILIES) {
    yield [`# TYPE ${name} ${type}\n${ratio ? `# UNIT ${name} ratio\n` : ''}# HELP ${name} ${help}\n`];
    for (const report of reports) {
      const lines = (samples: readonly Sample[] = [], more: Labels = {}): readonly string[] =>
        samples.map(({ labels, value }) => lineOf(name, { report: report.report, ...more, ...labels }, value));
      yield lines(ofReport?.(report));
      if (ofGroup) for (const group of report.groups) yield lines(ofGroup(group), { group: group.group });
    }
  }
  yield ['# EOF\n'];
}
