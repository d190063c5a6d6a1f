import { type Day, dayOf } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { ReportThresholds } from '#domain/status/reports/reports.js';
import {
  type ErrorBudget,
  errorBudgetOf,
  type Measure,
  NO_TIME,
  type StatusTally,
  stretchBefore,
  sumOf,
  tallyOf,
  tallyOfDay,
} from '#domain/status/results/figures/error-budget.js';
import type { Plan } from '#domain/status/results/plan.js';
import { excludedOf } from '#domain/status/results/prepared-plan.js';
import type { Figures, GroupSummary } from '#domain/status/results/results.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';

/** Windows before the answer, in seconds. */
const WINDOWS = { '1h': 3_600, '6h': 21_600, '1d': DAY_SECONDS, '30d': 30 * DAY_SECONDS } as const;
type WindowName = keyof typeof WINDOWS;
const NAMES = Object.keys(WINDOWS) as WindowName[];
export const MEASURES: readonly Measure[] = ['availability', 'reliability'];

type BudgetMeasurement = Readonly<{ objective: Measure; window: WindowName }> & ErrorBudget;

/** Current state of an endpoint group. Omits figures of -1, budgets for unknown time, and results that the report does not compute. */
export type GroupMeasurement = Readonly<{
  group: string;
  status?: Readonly<{ states: readonly string[]; current: string }>;
  /** For today, in percent. */
  figures: Readonly<Partial<Record<Measure, number>>>;
  budgets: readonly BudgetMeasurement[];
}>;

/** `objectives`: in percent; absent if the report has no thresholds. */
export type ReportMeasurement = Readonly<{
  report: string;
  objectives?: Readonly<Record<Measure, number>>;
  groups: readonly GroupMeasurement[];
}>;

type Tallies = Readonly<Record<WindowName, StatusTally>>;
const NO_TALLIES: Tallies = { '1h': NO_TIME, '6h': NO_TIME, '1d': NO_TIME, '30d': NO_TIME };

/** A report with more groups has too many series in any case: status, two figures, and a budget and its burn rate for each window. */
const MOST_GROUPS = STATUS_LIMITS.seriesPerScrape.value / (1 + MEASURES.length * (1 + 2 * NAMES.length));

/** Seconds of a group on one day, for each window. `plan`: needed if a window covers only a part of the day. */
const talliesOn = (day: Day, now: number, { name, timeline, figures }: GroupSummary, plan: Plan | undefined): Tallies => {
  const exclude = plan ? excludedOf(plan, name) : [];
  const tally = (length: number): StatusTally => {
    const stretch = stretchBefore(now, length, day);
    if (!stretch) return NO_TIME;
    if (stretch.from === 0 && stretch.to === DAY_SECONDS) return tallyOfDay(figures);
    return plan ? tallyOf(timeline, stretch, plan.operations.defaults, exclude) : NO_TIME;
  };
  return { '1h': tally(WINDOWS['1h']), '6h': tally(WINDOWS['6h']), '1d': tally(WINDOWS['1d']), '30d': tally(WINDOWS['30d']) };
};

const budgetsOf = (tallies: Tallies, objectives: Readonly<Record<Measure, number>>): readonly BudgetMeasurement[] =>
  MEASURES.flatMap((objective) =>
    NAMES.flatMap((window) => {
      const budget = errorBudgetOf(tallies[window], objective, objectives[objective]);
      return budget ? [{ objective, window, ...budget }] : [];
    }),
  );

const knownFigures = (figures: Figures): GroupMeasurement['figures'] =>
  Object.fromEntries(MEASURES.flatMap((measure) => (figures[measure] < 0 ? [] : [[measure, figures[measure]]])));

const statusOf = ({ operations }: Plan, { timeline }: GroupSummary): GroupMeasurement['status'] => {
  const current = timeline.at(-1)?.status ?? operations.defaults.missing;
  return { current, states: [...new Set([...operations.available_states, current])] };
};

/** Returns whether some window covers only a part of the day: today, or a day in which a window begins. */
const isCutOn = (day: Day, now: number): boolean =>
  NAMES.some((name) => {
    const stretch = stretchBefore(now, WINDOWS[name], day);
    return stretch !== undefined && stretch.to - stretch.from < DAY_SECONDS;
  });

const dayAt = (second: number): Day => dayOf(new Date(second * 1000).toISOString());

/** Today's groups with their seconds in the windows before now. `now`: in seconds since 1970. @throws DomainError `OVER_LIMIT` */
const windowsOf = async (reader: ReportReader, now: number, slice: Slice) => {
  const tallies = new Map<string, Tallies>();
  let current: readonly GroupSummary[] = [];
  for await (const { day, groups } of reader.days({ from: dayAt(now - WINDOWS['30d']), to: dayAt(now) })) {
    if (groups.length > MOST_GROUPS) throw overLimit('seriesPerScrape');
    if (day === dayAt(now)) current = groups;
    const plan = isCutOn(day, now) ? await reader.plan(day) : undefined;
    for (const group of groups) {
      const [sum, own] = [tallies.get(group.name) ?? NO_TALLIES, talliesOn(day, now, group, plan)];
      const add = (window: WindowName) => sumOf(sum[window], own[window]);
      tallies.set(group.name, { '1h': add('1h'), '6h': add('6h'), '1d': add('1d'), '30d': add('30d') });
      if (slice.isOver) await slice.next();
    }
  }
  return { current, tallies };
};

/**
 * The endpoint groups of a report with results today. Yields to the event loop in between.
 * @throws DomainError `OVER_LIMIT` too many series @throws ReadStoreUnavailable
 */
export const measurementOf = async (
  reader: ReportReader,
  thresholds: ReportThresholds | undefined,
  slice: Slice,
): Promise<ReportMeasurement> => {
  const { name: report, computations } = reader;
  const now = Math.floor(reader.now / 1000);
  const objectives = thresholds && { availability: thresholds.availability, reliability: thresholds.reliability };
  const { current, tallies } = await windowsOf(reader, now, slice);
  const plan = current.length > 0 ? await reader.plan(dayAt(now)) : undefined;
  const groups: GroupMeasurement[] = [];
  for (const group of current) {
    groups.push({
      group: group.name,
      ...(computations.status && plan && { status: statusOf(plan, group) }),
      figures: computations.ar ? knownFigures(group.figures) : {},
      budgets: computations.ar && objectives ? budgetsOf(tallies.get(group.name) ?? NO_TALLIES, objectives) : [],
    });
    if (slice.isOver) await slice.next();
  }
  return { report, ...(objectives && { objectives }), groups };
};
