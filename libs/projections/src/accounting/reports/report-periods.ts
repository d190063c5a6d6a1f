import type { Instant } from '#domain/accounting/metrics/instants.js';
import type { CapacityDocument } from '#projections/accounting/capacities/codec.js';
import type { Span } from './span-sums.js';

/** A stretch of a report with the capacity in force all through it, as text, if there is one. */
export type ReportPeriod = Span & Readonly<{ capacity: string | undefined }>;

/**
 * A report's range cut at the capacities of one definition (accounting contract 6.3): one registered before the range counts as long as no
 * later one replaces it; one registered at its end or after it does not count. A range without length has no periods.
 */
export const cutPeriods = (from: Instant, to: Instant, capacities: readonly CapacityDocument[]): readonly ReportPeriod[] => {
  const sorted = [...capacities].sort((a, b) => (a.registered_on < b.registered_on ? -1 : 1));
  const inForce = sorted.findLast(({ registered_on }) => registered_on <= from);
  const later = sorted.filter(({ registered_on }) => registered_on > from && registered_on < to);
  const starts = [
    { from, capacity: inForce?.value },
    ...later.map(({ registered_on, value }) => ({ from: registered_on, capacity: value })),
  ];
  return starts
    .map(({ from, capacity }, index) => ({ from, to: starts[index + 1]?.from ?? to, capacity }))
    .filter((period) => period.from < period.to);
};
