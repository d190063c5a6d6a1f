import { createHistogram } from 'node:perf_hooks';
import type { Child } from '#test/bench/child.js';
import type { LogbookServer } from '#test/bench/logbook-server.js';
import { alternate, median, type Ratio, ratioOf } from '#test/bench/measure.js';
import type { Effort, Lab, Sample, Scenario, Side } from '#test/bench/scenario.js';
import { Cleanup } from '#test/support/cleanup.js';
import { Sources } from './sources.js';
import { type StageTimes, stageTimes } from './stages.js';
import { meanUsage, readUsage, rests, type UsagePerCall, usagePerCall } from './usage.js';

/** What an operation costs on one side. */
export type Cost = Readonly<{
  perSecond: number;
  /** Milliseconds; of all calls of all rounds. */
  latencyMs: Readonly<{ p50: number; p99: number; p999: number }>;
  /** Share of the calls that were answered before what they promise could be read, 0 to 1. */
  late: number;
  usage: UsagePerCall;
}>;

/** A row of the profile. */
export type ProfileRow = Readonly<{
  name: string;
  reference: string;
  ratio: Ratio;
  logbook: Cost;
  bare: Cost;
  /** Of the main thread of Logbook. */
  stages: StageTimes;
}>;

type Measured = Readonly<{ sample: Sample; calls: number; usage: UsagePerCall }>;

/** A side that says what its process used for a call, with what came of it after the answers. */
const withUsage = (side: Side, { pid }: Child, names: () => Promise<Readonly<Record<number, string>>>, kept: Measured[]): Side => {
  return async () => {
    const before = readUsage(pid);
    const sample = await side();
    if (!(await rests(pid))) console.error(`process ${pid} still works a minute after the load; the rest of it is missing here`);
    const calls = sample.calls ?? 0;
    kept.push({ sample, calls, usage: usagePerCall(before, readUsage(pid), await names(), calls) });
    return sample;
  };
};

const costOf = (slices: readonly Measured[]): Cost => {
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

/** Whose servers a scenario has started. @throws when it has not started both */
const sidesOf = async (scenario: Scenario, effort: Effort, cleanup: Cleanup) => {
  const started: { server?: LogbookServer; reference?: Child } = {};
  const lab: Lab = {
    effort,
    cleanup,
    environment: {}, // what Logbook does by default: chain, audit index and history
    onServer: (server) => {
      started.server = server;
    },
    onReference: (reference) => {
      started.reference = reference;
    },
  };
  const sides = await scenario.prepare(lab);
  const { server, reference } = started;
  if (!server || !reference) throw new Error(`${scenario.name} has no servers`);
  return { sides, server, reference };
};

/** @param keep is given the CPU profile of the main thread */
export const measureRow = async (
  scenario: Scenario,
  effort: Effort,
  signal: AbortSignal,
  keep: (profile: object) => void,
): Promise<ProfileRow> => {
  const cleanup = new Cleanup();
  try {
    const { sides, server, reference } = await sidesOf(scenario, effort, cleanup);
    const [logbook, bare]: [Measured[], Measured[]] = [[], []];
    const measured = {
      logbook: withUsage(sides.logbook, server, () => server.threadNames(), logbook),
      reference: withUsage(sides.reference, reference, async () => ({ [reference.pid]: 'main' }), bare),
    };
    const rounds = await alternate(measured, effort, signal);
    const counted = (slices: readonly Measured[]) => slices.slice(-effort.rounds);
    const profile = await server.profile(sides.logbook);
    keep(profile);
    const cost = costOf(counted(logbook));
    return {
      name: scenario.name.replace(/^embedded: /, ''),
      reference: scenario.reference,
      ratio: ratioOf(rounds, undefined),
      logbook: cost,
      bare: costOf(counted(bare)),
      stages: stageTimes(profile, new Sources(), cost.usage.threads.get('main') ?? 0),
    };
  } finally {
    await cleanup.run();
  }
};
