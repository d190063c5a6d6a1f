import type { Day } from '#domain/shared/time.js';
import { NO_FIGURE, periodFigures } from '#domain/status/results/figures.js';
import type { Figures } from '#domain/status/results/results.js';
import type { Granularity } from './period-query.js';

/** Availability and reliability, percent or -1; the others of {@link Figures} where the level has them. */
export type Measures = Pick<Figures, 'availability' | 'reliability'> & Partial<Figures>;

/** Measures of one period; `label`: its day or month, absent for all days of a call together. */
export type PeriodRow = Readonly<{ label: string | undefined; measures: Measures }>;

/** Days of one period taken together, in order of date. Sums suffice, so that memory does not grow with the days. */
type Sum<Value> = Readonly<{ add(value: Value): void; result(): Measures }>;

/** Of endpoint groups, services and endpoints (results contract 9). */
export const sumOfFigures = (): Sum<Figures> => {
  let [days, unknown, uptime, downtime] = [0, 0, 0, 0];
  return {
    add: (day) => {
      days++;
      unknown += day.unknown;
      uptime += day.uptime;
      downtime += day.downtime;
    },
    // The mean of a single day is the day itself: the formula gets the means as such a day.
    result: () =>
      periodFigures([{ availability: 0, reliability: 0, unknown: unknown / days, uptime: uptime / days, downtime: downtime / days }]),
  };
};

const meanOfKnown = () => {
  let [days, sum] = [0, 0];
  return {
    add: (value: number) => {
      if (value < 0) return;
      days++;
      sum += value;
    },
    result: () => (days === 0 ? NO_FIGURE : sum / days),
  };
};

/** Of groups of groups: each measure by itself over the days that have it (results contract 9). */
export const sumOfMeans = (): Sum<Measures> => {
  const [availability, reliability] = [meanOfKnown(), meanOfKnown()];
  return {
    add: (day) => {
      availability.add(day.availability);
      reliability.add(day.reliability);
    },
    result: () => ({ availability: availability.result(), reliability: reliability.result() }),
  };
};

/** `YYYY-MM` */
export const monthOf = (day: Day): string => day.slice(0, 7);

/** The period of a day. */
type LabelOf = (day: Day) => string | undefined;

const LABELS: Readonly<Record<Granularity, LabelOf>> = { daily: (day) => day, monthly: monthOf, custom: () => undefined };

/** How days make the rows of an item of a level. */
export type Rule<Value> = Readonly<{ granularity: Granularity; newSum: () => Sum<Value> }>;

/** The rows of one item; days come in order. */
export class Series<Value extends Measures> {
  /** A day by itself, or the sum of several. */
  private periods: (PeriodRow | Readonly<{ label: string | undefined; sum: Sum<Value> }>)[] | undefined = [];
  private current: Sum<Value> | undefined;
  private label: string | undefined;
  /** How many rows there are, kept or not. */
  count = 0;

  constructor(private readonly rule: Rule<Value>) {}

  /** Whether a row was begun. */
  add(day: Day, value: Value): boolean {
    const { granularity, newSum } = this.rule;
    const label = LABELS[granularity](day);
    const isNew = this.count === 0 || label !== this.label;
    if (isNew) {
      this.count++;
      this.label = label;
      this.current = granularity === 'daily' ? undefined : newSum();
      this.periods?.push(this.current ? { label, sum: this.current } : { label, measures: value });
    }
    this.current?.add(value);
    return isNew;
  }

  /** From now on rows are only counted. */
  forget(): void {
    this.periods = undefined;
  }

  rows(): readonly PeriodRow[] {
    return (this.periods ?? []).map((period) => ('sum' in period ? { label: period.label, measures: period.sum.result() } : period));
  }
}
