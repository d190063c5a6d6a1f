import type { Instant } from '#domain/accounting/metrics/instants.js';
import type { CapacityDocument } from '#projections/accounting/capacities/codec.js';
import type { Span } from './span-sums.js';

/** Part of a report's range in which one capacity is in force. `capacity`: its value as text, `undefined` without one. */
export type ReportPeriod = Span & Readonly<{ capacity: string | undefined }>;

/**
 * Splits the range of a report where capacities of one definition begin (accounting contract 6.3). A capacity registered before the range is in force
 * until a later one replaces it. A capacity registered at the end of the range or later is ignored. An empty range has no periods.
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
