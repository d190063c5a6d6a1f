import { add, type Decimal, decimal, ZERO } from '#domain/accounting/decimal.js';
import { type Instant, lastDayBefore } from '#domain/accounting/instants.js';
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

/** What is known of a query so far: the sums of its spans, and what has to be looked at more closely, as `<key>/<last unit>`. */
export type Judged = Readonly<{ totals: readonly Decimal[]; open: readonly string[] }>;

/**
 * Adds up the buckets that lie inside a span as a whole. Those of which a part may lie inside one are left open: their metrics began or ended
 * in a unit that a span has not all of.
 */
export const judgeBuckets = (
  spans: readonly Span[],
  before: readonly Decimal[],
  documents: readonly KeyedBuckets[],
  unit: Unit,
): Judged => {
  const totals = [...before];
  const open: string[] = [];
  const bounds = spans.map((span) => inUnits(span, unit));
  for (const { key, buckets } of documents) {
    const first = key.slice(-unit);
    for (const [last, { sum }] of Object.entries(buckets)) {
      const touched = bounds.findIndex((span) => span.first <= first && last <= span.last);
      const span = bounds[touched];
      if (!span) continue;
      const inside = (span.first < first || span.wholeFirst) && (last < span.last || span.wholeLast);
      if (inside) totals[touched] = add(totals[touched] ?? ZERO, decimal(sum));
      else open.push(`${key}/${last}`);
    }
  }
  return { totals, open };
};

/** Adds up metrics one by one. */
export const judgeMeasures = (
  { spans, member }: SumQuery,
  before: readonly Decimal[],
  measures: readonly Measure[],
): readonly Decimal[] => {
  const totals = [...before];
  for (const measure of measures) {
    if (member !== EVERYBODY && !membersOf(measure).includes(member)) continue;
    const index = spans.findIndex(({ from, to }) => from <= measure.start && measure.end <= to);
    if (index >= 0) totals[index] = add(totals[index] ?? ZERO, decimal(measure.value));
  }
  return totals;
};
