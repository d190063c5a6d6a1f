import type { Day } from '#domain/shared/time.js';
import type { Measures, Sum } from '#domain/status/results/figures/periods.js';
import type { Granularity } from './period-query.js';

/** Measures of one period; `label`: its day or month, absent if it covers all days of a call. */
export type PeriodRow = Readonly<{ label: string | undefined; measures: Measures }>;

/** `YYYY-MM` */
export const monthOf = (day: Day): string => day.slice(0, 7);

/** Label of a day's period. */
type LabelOf = (day: Day) => string | undefined;

const LABELS: Readonly<Record<Granularity, LabelOf>> = { daily: (day) => day, monthly: monthOf, custom: () => undefined };

/** Combines days into the rows of an item of a level. */
export type Rule<Value extends Measures> = Readonly<{ granularity: Granularity; newSum: () => Sum<Value> }>;

/** The rows of one item. Days must come in order. */
export class Series<Value extends Measures> {
  /** Single days or sums of several. */
  private periods: (PeriodRow | Readonly<{ label: string | undefined; sum: Sum<Value> }>)[] | undefined = [];
  private current: Sum<Value> | undefined;
  private label: string | undefined;
  /** Number of rows, kept or not. */
  count = 0;

  constructor(private readonly rule: Rule<Value>) {}

  /** Returns whether a new row was begun. */
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

  /** Drops the rows. From now on they are only counted. */
  forget(): void {
    this.periods = undefined;
  }

  rows(): readonly PeriodRow[] {
    return (this.periods ?? []).map((period) => ('sum' in period ? { label: period.label, measures: period.sum.result() } : period));
  }
}
