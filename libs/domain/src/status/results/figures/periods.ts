import type { Figures } from '#domain/status/results/results.js';
import { asFigure, NO_FIGURE } from './figures.js';

/** Availability and reliability, in per cent or -1. Other {@link Figures} are present if the level has them. */
export type Measures = Pick<Figures, 'availability' | 'reliability'> & Partial<Figures>;

/** Accumulates the days of one period in order of date. It keeps only sums, so memory does not grow with the days. */
export type Sum<Value extends Measures> = Readonly<{ add(day: Value): void; result(): Value }>;

/**
 * Figures of a month or range of an endpoint group, service or endpoint (results contract 9). The order of the 64-bit operations is part of the
 * contract, because clients compare the digits. Days on which everything is unknown count, so a month of them has 0, not -1.
 */
export const sumOfFigures = (): Sum<Figures> => {
  const sums = { days: 0, unknown: 0, uptime: 0, downtime: 0 };
  return {
    add: (day) => {
      sums.days++;
      sums.unknown += day.unknown;
      sums.uptime += day.uptime;
      sums.downtime += day.downtime;
    },
    result: () => {
      const [unknown, uptime, downtime] = [sums.unknown / sums.days, sums.uptime / sums.days, sums.downtime / sums.days];
      const known = 1.00000001 - unknown;
      const availability = asFigure((uptime / known) * 100);
      return { availability, reliability: asFigure((uptime / (known - downtime)) * 100), unknown, uptime, downtime };
    },
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

/** Figures of a group of groups: for each measure, the mean over the days that have it, -1 without any (results contract 9). */
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
