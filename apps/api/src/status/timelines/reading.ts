import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import type { AnswerBudget } from '#api/status/answers/answer-memory.js';
import type { BranchBody } from '#api/status/answers/branches.js';
import type { ReadingCall } from '#api/status/parameters.js';
import type { AnswerSources } from '#api/status/reads.js';
import type { Query } from '#api/status/time-query.js';
import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import type { DaySpan, ReportReader } from '#projections/status/results/report-reader.js';
import { CollectedTimelines, type DayRow } from './collected.js';
import { endpointRows, groupRows, serviceRows } from './rows.js';

/** Time of the report, in seconds since 1970. */
export const nowOf = ({ now }: ReportReader): number => Math.floor(now / 1_000);

const todayOf = ({ now }: ReportReader): DaySpan => ({ from: dayAt(now), to: dayAt(now) });

/** `view=details` */
const wantsDetails = (query: Query): boolean => firstOf(query.view) === 'details';

/** The earliest day with a year of four digits. */
const FIRST_DAY: Day = '0000-01-01';

/** The days of an answer, and the function that collects them. */
type Collection<Of> = Readonly<{
  daysOf: (span: DaySpan) => AsyncIterable<Of>;
  rowsOf: (day: Of) => Iterable<DayRow>;
  /** Returns whether the days have something. Default: whether there are statuses. */
  isFound?: (collected: CollectedTimelines) => boolean;
}>;

/** Collects a span of days, or else the day before it (results contract 12.3). Collects nothing for a report without statuses. */
export const collectedOrEarlier = async <Of extends Readonly<{ day: Day }>>(
  { computations }: Pick<ReportReader, 'computations'>,
  { from, to }: DaySpan,
  budget: AnswerBudget,
  { daysOf, rowsOf, isFound = ({ count }) => count > 0 }: Collection<Of>,
): Promise<CollectedTimelines> => {
  const collected = new CollectedTimelines(budget);
  if (!computations.status) return collected;
  await collected.take(daysOf({ from, to }), rowsOf);
  if (isFound(collected) || from === FIRST_DAY) return collected;
  const earlier = dayBefore(from);
  if (earlier <= to) await collected.take(daysOf({ from: earlier, to: earlier }), rowsOf);
  return collected;
};

/** A checked call: its report, and the days that it gives, if any. */
type Asked = Readonly<{ report: ReportReader; given: DaySpan | undefined }>;

/** Sources of an answer. `span`: the given days, or today; `flags`: set if it shows the days that a threshold rule affected. */
type Collecting = Readonly<{ report: ReportReader; span: DaySpan; flags: boolean; budget: AnswerBudget; query: Query }>;

/**
 * Answers with statuses. `check`: the checks of the call, in their order; `bodyOf` collects the statuses; `format`: default as the caller
 * accepts.
 */
export const statuses =
  <Params, Checked extends Asked>(
    check: (sources: AnswerSources, call: ReadingCall, params: Params) => Promise<Checked>,
    bodyOf: (collecting: Checked & Collecting, params: Params) => Promise<BranchBody>,
    format?: 'json',
  ) =>
  async (sources: AnswerSources, call: ReadingCall, params: Params): Promise<Answer> => {
    const checked = await check(sources, call, params);
    const { report, given: span = todayOf(report) } = checked;
    const { query } = call;
    return sources.answers.answer(format ? { ...call, format } : call, (budget) =>
      bodyOf({ ...checked, span, flags: wantsDetails(query), budget, query }, params),
    );
  };

/** Names in the path of a call; an omitted one matches everything. */
export type PathNames = Readonly<{ group?: string; service?: string; endpoint?: string; metric?: string }>;

/** Collects items of a level that have these names. */
export type CollectItems = (collecting: Collecting, names: PathNames) => Promise<CollectedTimelines>;

export const collectGroups: CollectItems = ({ report, span, flags, budget }, { group }) =>
  collectedOrEarlier(report, span, budget, { daysOf: (days) => report.days(days), rowsOf: groupRows({ flags }, group) });

const collectInside =
  (rowsOf: typeof endpointRows): CollectItems =>
  ({ report, span, flags, budget }, { group, service, endpoint: host }) =>
    collectedOrEarlier(report, span, budget, {
      daysOf: (days) => report.details(days, group),
      rowsOf: rowsOf({ flags }, { service, host }),
    });

export const collectServices = collectInside(serviceRows);

export const collectEndpoints = collectInside(endpointRows);
