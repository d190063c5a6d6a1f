import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { type Installation, install, type Stores } from '#test/bench/installation.js';
import type { LoadRequest } from '#test/bench/load.js';
import { type MixedWorld, mixedRequests, openMixedWorld, PROJECT } from '#test/bench/mixed-world.js';
import { PacedLoad } from '#test/bench/paced-load.js';
import { cpuMicrosOf, readUsage, rests, usagePerCall } from '#test/bench/profile/usage.js';
import type { Lab } from '#test/bench/scenario.js';
import { addBacklog } from '#test/bench/scenarios/messaging-traffic.js';
import type { Child } from '#test/bench/servers/child.js';
import type { LogbookServer } from '#test/bench/servers/logbook-server.js';
import { storeSizes } from '#test/bench/store-sizes.js';
import { Cleanup } from '#test/support/cleanup.js';
import { type CapacityStep, type Costs, type Day, STEPS, type StepCost } from './model.js';
import { withResults } from './steps.js';

type World = MixedWorld<CapacityStep>;
type RequestsOf = (connection: number) => readonly LoadRequest[];

/** Nothing here goes by rounds. */
const labOf = (cleanup: Cleanup): Lab => ({
  cleanup,
  effort: { warmUps: 0, rounds: 0, sliceSeconds: 0, manyEvents: 0 },
  environment: {},
});

const openWorld = async (lab: Lab, stores: Stores, serve: (installation: Installation) => Promise<LogbookServer>) => {
  const installation = await install(lab, stores);
  const { server, world, tenants } = await openMixedWorld(installation, () => serve(installation));
  const [tenant] = tenants;
  if (!tenant) throw new Error('there are no tenants');
  return { installation, server, world: await withResults(world, server, tenant) };
};

/** Seconds of the load of a step to warm up, and of the one that counts. */
export type Seconds = Readonly<{ warmUp: number; measured: number }>;

/** Resolves when a load is to end. */
type Until = (signal: AbortSignal) => Promise<unknown>;

const secondsLater =
  (seconds: number): Until =>
  (signal) =>
    sleep(seconds * 1_000, undefined, { signal }).catch(() => {});

const MERGE_LOOK_MS = 250;
/** A merged part of a past is of 64 MiB, and takes a tenth of that. */
const MERGED_BYTES = 2 ** 25;
const MOST_LOOKS = 2_400;

/** Until a part of the past of documents has been merged: from one merge to the next, what stays unmerged is the same. @throws Error none within ten minutes */
const merged =
  (directory: string): Until =>
  async (signal) => {
    const held = (): number => storeSizes(directory).get('documents')?.held ?? 0;
    let before = held();
    for (let looks = 0; looks < MOST_LOOKS && !signal.aborted; looks += 1) {
      await sleep(MERGE_LOOK_MS);
      const now = held();
      if (now < before - MERGED_BYTES) return;
      before = now;
    }
    if (!signal.aborted) throw new Error('no part of the past was merged within ten minutes');
  };

/** Loads a server as fast as it goes. Returns how many requests were answered. @throws when an answer is not as it must be */
const loadUntil = async (until: Until, { url }: Child, requestsOf: RequestsOf, calls?: number) => {
  const load = new PacedLoad(url, requestsOf, calls === undefined ? {} : { calls });
  const over = new AbortController();
  await Promise.all([load.done().finally(() => over.abort()), until(over.signal).finally(() => load.stop())]);
  const figures = load.take();
  if (figures.failures.length > 0) throw new Error(figures.failures[0]);
  return figures;
};

/** Runs a step, as a default as long as a step is measured. Returns how often it was done. */
type Run = (until?: Until) => Promise<number>;

/**
 * Runs each step alone, after all of them have warmed up: in use none has the code for itself. `around` is given what does it, and says what it cost.
 */
const eachStep = async <Cost>(
  { server, world, seconds, signal }: Readonly<{ server: Child; world: World; seconds: Seconds; signal: AbortSignal }>,
  around: (run: Run, step: CapacityStep, requests: number) => Promise<Cost>,
): Promise<ReadonlyMap<CapacityStep, Cost>> => {
  const costs = new Map<CapacityStep, Cost>();
  const backlog = await addBacklog(server, PROJECT); // with other clients a pull would soon find less than 100 messages
  const load = (step: CapacityStep, length: number): Readonly<{ requests: number; run: Run }> => {
    signal.throwIfAborted();
    const requestsOf: RequestsOf = (connection) =>
      step === 'pull and acknowledge' ? backlog(connection) : world.requests(step, connection);
    const requests = requestsOf(0).length;
    const run: Run = async (until = secondsLater(length)) => (await loadUntil(until, server, requestsOf)).calls / requests;
    return { requests, run };
  };
  for (const step of STEPS) await load(step, seconds.warmUp).run();
  for (const step of STEPS) {
    const { run, requests } = load(step, seconds.measured);
    costs.set(step, await around(run, step, requests));
  }
  return costs;
};

type Embedded = Readonly<{ server: LogbookServer; directory: string }>;

/** What some work uses of a server on embedded stores, until it rests again. `work` returns how many calls it made. */
const usageOf = async ({ server, directory }: Embedded, work: () => Promise<number>) => {
  const micros = (): number => cpuMicrosOf(server.pid);
  await rests(micros);
  const [before, held] = [await readUsage(server), storeSizes(directory)];
  const calls = await work();
  await rests(micros);
  const { threads, ...usage } = usagePerCall(before, await readUsage(server), await server.threadNames(), 1);
  const keptBytes = new Map([...storeSizes(directory)].map(([name, size]) => [name, size.held - (held.get(name)?.held ?? 0)] as const));
  return { calls, mainMicros: threads.get('main') ?? 0, keptBytes, ...usage };
};

/** Costs of a node that does everything on embedded stores. */
export const measureEmbedded = async (
  seconds: Seconds,
  signal: AbortSignal,
  shown: (step: CapacityStep, cost: StepCost) => void,
): Promise<Costs> => {
  const cleanup = new Cleanup();
  try {
    const { installation, server, world } = await openWorld(labOf(cleanup), 'embedded', ({ serve }) => serve());
    const embedded = { server, directory: installation.directory };
    return await eachStep({ server, world, seconds, signal }, async (run, step, requests) => {
      const until = step === 'publish' ? merged(installation.directory) : undefined;
      if (until) await run(until); // those of the year are published to a past that is merged all the time
      const { calls, micros, mainMicros, writtenBytes, keptBytes } = await usageOf(embedded, () => run(until));
      const each = (sum: number): number => Math.max(0, sum / calls); // what is read may free some pages
      const cost: StepCost = {
        requests,
        cpuMicros: each(micros),
        mainMicros: each(mainMicros),
        writtenBytes: each(writtenBytes),
        keptBytes: new Map([...keptBytes].map(([name, bytes]) => [name, each(bytes)])),
      };
      shown(step, cost);
      return cost;
    });
  } finally {
    await cleanup.run();
  }
};

/** Nodes of an installation on EventStoreDB and Redis; the last one answers. */
const ROLES = ['projector,push', 'history', 'api'] as const;

const serveRoles = async ({ serve, directory }: Installation, nodes: Map<string, LogbookServer>): Promise<LogbookServer> => {
  let last: LogbookServer | undefined;
  for (const roles of ROLES) {
    last = await serve({ LOGBOOK_ROLES: roles, LOGBOOK_DATA_DIR: `${directory}/${roles}` });
    nodes.set(roles, last);
  }
  if (!last) throw new Error('there are no nodes');
  return last;
};

const appendsOf = async ({ url }: Child): Promise<number> =>
  Number(/^logbook_append_batches_total (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? 0);

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

type Distributed = NonNullable<StepCost['distributed']>;

/** Costs of nodes on EventStoreDB and Redis, one for each role. EventStoreDB's own are not among them. */
export const measureDistributed = async (
  seconds: Seconds,
  signal: AbortSignal,
  shown: (step: CapacityStep, cost: Distributed) => void,
): Promise<ReadonlyMap<CapacityStep, Distributed>> => {
  const cleanup = new Cleanup();
  try {
    const nodes = new Map<string, LogbookServer>();
    const lab = labOf(cleanup);
    const { installation, server, world } = await openWorld(lab, 'distributed', (made) => serveRoles(made, nodes));
    const redis = await createClient({ url: installation.redis?.url ?? '' }).connect();
    cleanup.defer(() => redis.close());
    const totals = async () => ({
      micros: new Map([...nodes].map(([roles, { pid }]) => [roles, cpuMicrosOf(pid)] as const)),
      redisBytes: Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]),
      appends: sumOf(await Promise.all([...nodes.values()].map(appendsOf))),
    });
    const rest = () => rests(() => sumOf([...nodes.values()].map(({ pid }) => cpuMicrosOf(pid))));
    return await eachStep({ server, world, seconds, signal }, async (run, step) => {
      await rest();
      const before = await totals();
      const calls = await run();
      await rest();
      const after = await totals();
      const cost: Distributed = {
        cpuMicros: new Map([...after.micros].map(([roles, micros]) => [roles, (micros - (before.micros.get(roles) ?? 0)) / calls])),
        redisBytes: Math.max(0, (after.redisBytes - before.redisBytes) / calls),
        appends: (after.appends - before.appends) / calls,
      };
      shown(step, cost);
      return cost;
    });
  } finally {
    await cleanup.run();
  }
};

/** What a simulated day, or the part of it that there was time for, has done and used. */
export type SimulatedDay = Readonly<{
  done: Day;
  seconds: number;
  cpuSeconds: number;
  writtenBytes: number;
  keptBytes: ReadonlyMap<string, number>;
}>;

/** Counts each time that the step is begun. */
const counting = (requests: readonly LoadRequest[], count: () => void): readonly LoadRequest[] => {
  const [first, ...others] = requests;
  if (!first) return [];
  const vary = () => {
    count();
    return { ...first.vary?.() };
  };
  return [{ ...first, vary }, ...others];
};

/** Does what a day has, evenly mixed, as fast as it goes, for at most so many seconds. @throws when an answer is not as it must be */
export const simulateDay = async (day: Day, warmUp: number, mostSeconds: number): Promise<SimulatedDay> => {
  const cleanup = new Cleanup();
  try {
    const { installation, server, world } = await openWorld(labOf(cleanup), 'embedded', ({ serve }) => serve());
    const counts = new Map<CapacityStep, number>();
    const counted: World = {
      requests: (step, connection) => counting(world.requests(step, connection), () => void counts.set(step, (counts.get(step) ?? 0) + 1)),
    };
    const steps = STEPS.filter((step) => day[step] > 0);
    const least = Math.min(...steps.map((step) => day[step]));
    const mix = Object.fromEntries(steps.map((step) => [step, Math.round(day[step] / least)]));
    const requestsOf = (connection: number) => mixedRequests(counted, mix, connection);
    await loadUntil(secondsLater(warmUp), server, requestsOf);
    counts.clear();
    const embedded = { server, directory: installation.directory };
    let seconds = 0;
    const { micros, ...used } = await usageOf(embedded, async () => {
      const calls = STEPS.reduce((sum, step) => sum + day[step] * world.requests(step, 0).length, 0);
      const figures = await loadUntil(secondsLater(mostSeconds), server, requestsOf, calls);
      seconds = figures.seconds;
      return figures.calls;
    });
    const done = Object.fromEntries(STEPS.map((step) => [step, counts.get(step) ?? 0])) as Day;
    return { done, seconds, cpuSeconds: micros / 1e6, writtenBytes: used.writtenBytes, keptBytes: used.keptBytes };
  } finally {
    await cleanup.run();
  }
};
