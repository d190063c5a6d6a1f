import { add, type Decimal, decimal, ZERO } from '#domain/accounting/decimal.js';
import { type Instant, lastDayBefore } from '#domain/accounting/metrics/instants.js';
import { firstIndex } from '#domain/shared/first-index.js';
import { EVERYBODY, membersOf } from '#projections/accounting/metrics/documents.js';
import type { StoredMetric } from '#projections/accounting/metrics/stored-metric.js';
import { type Buckets, DAY, type MemberSeries, MONTH } from '#projections/accounting/metrics/sums.js';

/** A period from `from` to `to`, with `from` before `to`. It includes the metrics that begin and end within it. */
export type Span = Readonly<{ from: Instant; to: Instant }>;

/** A series whose metrics are summed for one or more spans, in order and without overlap. `member`: {@link EVERYBODY}, or a group or user. */
export type SumQuery = MemberSeries & Readonly<{ series: string; spans: readonly Span[] }>;

/** Remainder of an instant at the first moment of a unit, by the length of the unit's prefix. */
const FIRST_MOMENT = { [MONTH]: '-01T00:00:00.000Z', [DAY]: 'T00:00:00.000Z' } as const;
type Unit = keyof typeof FIRST_MOMENT;

/** A span in units: its first and last unit, and whether it covers them completely. */
const inUnits = ({ from, to }: Span, unit: Unit) => ({
  first: from.slice(0, unit),
  wholeFirst: from.endsWith(FIRST_MOMENT[unit]),
  last: lastDayBefore(to).slice(0, unit),
  wholeLast: to.endsWith(FIRST_MOMENT[unit]),
});

type UnitSpan = ReturnType<typeof inUnits>;

/** Index of the last span that begins at or before an instant, -1 if there is none. The spans are in order. */
const lastFrom = <S>(spans: readonly S[], at: string, fromOf: (span: S) => string): number =>
  firstIndex(0, spans.length, (place) => fromOf(spans[place] as S) > at) - 1;

/** The sums for the spans of one query, accumulated document by document. */
export class SpanSums {
  /** In the order of the spans. */
  readonly totals: Decimal[];
  private readonly units: Partial<Record<Unit, readonly UnitSpan[]>> = {};

  constructor(readonly query: SumQuery) {
    this.totals = query.spans.map(() => ZERO);
  }

  /**
   * Adds the buckets of the metrics that began in the unit `first`, if they lie entirely within a span. Returns the last units of the buckets that
   * may lie partly within a span, because their metrics began or ended in a unit that a span covers partially.
   */
  addBuckets(first: string, buckets: Buckets, unit: Unit): readonly string[] {
    this.units[unit] ??= this.query.spans.map((span) => inUnits(span, unit));
    const bounds = this.units[unit] ?? [];
    const open: string[] = [];
    // If several spans meet within the unit, the last one represents them: metrics that began and ended in that unit are left open.
    const index = lastFrom(bounds, first, (span) => span.first);
    const span = bounds[index];
    if (!span) return open;
    for (const [last, [, sum]] of Object.entries(buckets)) {
      if (last > span.last) continue;
      const inside = (span.first < first || span.wholeFirst) && (last < span.last || span.wholeLast);
      if (inside) this.add(index, sum);
      else open.push(last);
    }
    return open;
  }

  /** Adds a single metric if it lies within a span and belongs to the member. */
  addMetric(metric: StoredMetric): void {
    const { member, spans } = this.query;
    if (member !== EVERYBODY && !membersOf(metric).includes(member)) return;
    const index = lastFrom(spans, metric.from, ({ from }) => from);
    const span = spans[index];
    if (span && metric.to <= span.to) this.add(index, metric.value);
  }

  private add(index: number, value: string): void {
    this.totals[index] = add(this.totals[index] ?? ZERO, decimal(value));
  }
}
