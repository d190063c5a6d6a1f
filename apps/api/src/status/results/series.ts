import type { Day } from '#domain/shared/time.js';
import type { Measures, Sum } from '#domain/status/results/figures/periods.js';
import type { Granularity } from './period-query.js';

/** Measures of one period; `label`: its day or month, absent for all days of a call together. */
export type PeriodRow = Readonly<{ label: string | undefined; measures: Measures }>;

/** `YYYY-MM` */
export const monthOf = (day: Day): string => day.slice(0, 7);

/** The period of a day. */
type LabelOf = (day: Day) => string | undefined;

const LABELS: Readonly<Record<Granularity, LabelOf>> = { daily: (day) => day, monthly: monthOf, custom: () => undefined };

/** How days make the rows of an item of a level. */
export type Rule<Value extends Measures> = Readonly<{ granularity: Granularity; newSum: () => Sum<Value> }>;

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
