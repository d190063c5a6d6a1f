import { add, type Decimal, decimal, ZERO } from '#domain/accounting/decimal.js';
import { type Instant, lastDayBefore } from '#domain/accounting/metrics/instants.js';
import { type Buckets, DAY, EVERYBODY, type Measure, MONTH, membersOf } from './usage-documents.js';

/** A stretch of time with both its ends; `from` is before `to`. Metrics count for it that begin and end inside. */
export type Span = Readonly<{ from: Instant; to: Instant }>;

/** Whose metrics are summed up: those of one definition of an installation, for each of several spans that do not overlap. */
export type SumQuery = Readonly<{
  projectId: string;
  installationId: string;
  definitionId: string;
  /** {@link EVERYBODY}, or a group or user. */
  member: string;
  /** At least one, in order. */
  spans: readonly Span[];
}>;

/** How many characters of an instant name a unit, and what follows them at its first moment. */
const FIRST_MOMENT = { [MONTH]: '-01T00:00:00.000Z', [DAY]: 'T00:00:00.000Z' } as const;
type Unit = keyof typeof FIRST_MOMENT;

/** The buckets of what began in a unit: the last part of their key. */
export type KeyedBuckets = Readonly<{ key: string; buckets: Buckets }>;

/** A span as seen in units: the first and the last it touches, and whether it has all of them. */
const inUnits = ({ from, to }: Span, unit: Unit) => ({
  first: from.slice(0, unit),
  wholeFirst: from.endsWith(FIRST_MOMENT[unit]),
  last: lastDayBefore(to).slice(0, unit),
  wholeLast: to.endsWith(FIRST_MOMENT[unit]),
});

type UnitSpan = ReturnType<typeof inUnits>;

/** The last of the spans, which are in order, that begins no later. */
const lastFrom = <S>(spans: readonly S[], at: string, fromOf: (span: S) => string): number => {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const span = spans[middle];
    if (span !== undefined && fromOf(span) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** The sums of the spans of one query, while its documents are looked at one by one. */
export class SpanSums {
  /** In the order of the spans. */
  readonly totals: Decimal[];
  private readonly units: Partial<Record<Unit, readonly UnitSpan[]>> = {};

  constructor(readonly query: SumQuery) {
    this.totals = query.spans.map(() => ZERO);
  }

  /**
   * Adds up the buckets that lie inside a span as a whole. Returns those of which a part may lie inside one, as `<key>/<last unit>`: their metrics
   * began or ended in a unit that a span has not all of.
   */
  addBuckets({ key, buckets }: KeyedBuckets, unit: Unit): readonly string[] {
    this.units[unit] ??= this.query.spans.map((span) => inUnits(span, unit));
    const bounds = this.units[unit] ?? [];
    const open: string[] = [];
    const first = key.slice(-unit);
    // Where spans meet inside the unit the last of them stands for all: what began and ended in that unit is left open.
    const index = lastFrom(bounds, first, (span) => span.first);
    const span = bounds[index];
    if (!span) return open;
    for (const [last, { sum }] of Object.entries(buckets)) {
      if (last > span.last) continue;
      const inside = (span.first < first || span.wholeFirst) && (last < span.last || span.wholeLast);
      if (inside) this.add(index, sum);
      else open.push(`${key}/${last}`);
    }
    return open;
  }

  /** Adds a single metric, if it lies inside a span and is of the member. */
  addMeasure(measure: Measure): void {
    const { member, spans } = this.query;
    if (member !== EVERYBODY && !membersOf(measure).includes(member)) return;
    const index = lastFrom(spans, measure.start, ({ from }) => from);
    const span = spans[index];
    if (span && measure.end <= span.to) this.add(index, measure.value);
  }

  private add(index: number, value: string): void {
    this.totals[index] = add(this.totals[index] ?? ZERO, decimal(value));
  }
}
