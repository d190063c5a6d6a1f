import { createHistogram } from 'node:perf_hooks';
import { median } from '#test/bench/measure.js';
import type { Sample } from '#test/bench/scenario.js';
import { meanUsage, type UsagePerCall } from './usage.js';

/** What an operation costs on one side. */
export type Cost = Readonly<{
  perSecond: number;
  /** Milliseconds; of all calls of all rounds. */
  latencyMs: Readonly<{ p50: number; p99: number; p999: number }>;
  /** Share of the calls that were answered before what they promise could be read, 0 to 1. */
  late: number;
  usage: UsagePerCall;
}>;

/** One slice, with what its calls used. */
export type Measured = Readonly<{ sample: Sample; calls: number; usage: UsagePerCall }>;

/** Of slices of the same operation. */
export const costOf = (slices: readonly Measured[]): Cost => {
  const all = createHistogram();
  for (const { sample } of slices) if (sample.latencies) all.add(sample.latencies);
  const ms = (percentile: number): number => all.percentile(percentile) / 1_000;
  return {
    perSecond: median(slices.map(({ sample }) => sample.perSecond)),
    latencyMs: { p50: ms(50), p99: ms(99), p999: ms(99.9) },
    late: slices.reduce((sum, { sample }) => sum + (sample.late ?? 0), 0) / slices.reduce((sum, { calls }) => sum + calls, 0),
    usage: meanUsage(slices),
  };
};
