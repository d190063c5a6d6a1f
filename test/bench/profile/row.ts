import { alternate, type Ratio, ratioOf } from '#test/bench/measure.js';
import type { Effort, Lab, Scenario, Side } from '#test/bench/scenario.js';
import type { Child } from '#test/bench/servers/child.js';
import type { LogbookServer } from '#test/bench/servers/logbook-server.js';
import type { Turns } from '#test/bench/servers/server-preload.js';
import { Cleanup } from '#test/support/cleanup.js';
import { type Cost, costOf, type Measured } from './cost.js';
import { Sources } from './sources.js';
import { type StageTimes, stageTimes } from './stages.js';
import { causesOf, type TurnFigures, turnFigures } from './turns.js';
import { cpuMicrosOf, readUsage, rests, usagePerCall } from './usage.js';

/** A row of the profile. */
export type ProfileRow = Readonly<{
  name: string;
  reference: string;
  ratio: Ratio;
  logbook: Cost;
  bare: Cost;
  /** Of the main thread of Logbook. */
  stages: StageTimes;
  turns: TurnFigures;
}>;

/** A side that says what its process used for a call, with what came of it after the answers. */
const withUsage = (side: Side, child: Child, names: () => Promise<Readonly<Record<number, string>>>, kept: Measured[]): Side => {
  return async () => {
    const before = await readUsage(child);
    const sample = await side();
    if (!(await rests(() => cpuMicrosOf(child.pid))))
      console.error(`process ${child.pid} still works a minute after the load; the rest of it is missing here`);
    const calls = sample.calls ?? 0;
    kept.push({ sample, calls, usage: usagePerCall(before, await readUsage(child), await names(), calls) });
    return sample;
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
    const turns: Turns[] = [];
    const watched: Side = async () => {
      const slice = await server.turns(sides.logbook);
      turns.push(slice.turns);
      return slice.result;
    };
    const measured = {
      logbook: withUsage(watched, server, () => server.threadNames(), logbook),
      reference: withUsage(sides.reference, reference, async () => ({ [reference.pid]: 'main' }), bare),
    };
    const rounds = await alternate(measured, effort, signal);
    const counted = (slices: readonly Measured[]) => slices.slice(-effort.rounds);
    const { profile, result } = await server.profile(() => server.turns(sides.logbook));
    keep(profile);
    const cost = costOf(counted(logbook));
    const sources = new Sources();
    return {
      name: scenario.name.replace(/^embedded: /, ''),
      reference: scenario.reference,
      ratio: ratioOf(rounds, undefined),
      logbook: cost,
      bare: costOf(counted(bare)),
      stages: stageTimes(profile, sources, cost.usage.threads.get('main') ?? 0),
      turns: turnFigures(turns.slice(-effort.rounds), causesOf(profile, sources, result.turns)),
    };
  } finally {
    await cleanup.run();
  }
};
