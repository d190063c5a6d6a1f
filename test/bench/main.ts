import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { scenarios } from '#test/bench/scenarios/index.js';
import { profiled } from '#test/bench/scenarios/profiled.js';
import { Cleanup } from '#test/support/cleanup.js';
import { runCapacity } from './capacity/run-capacity.js';
import { writeTargets } from './figures/figures.js';
import { runBreadth } from './growth/run-breadth.js';
import { runGrowth } from './growth/run-growth.js';
import { alternate, requireReadable } from './measure.js';
import { asJson, thisMachine, whereMeasured } from './profile/circumstances.js';
import { runProfile } from './profile/run-profile.js';
import { type Result, resultOf, tableHead, tableRow } from './report.js';
import { runScenarios } from './run-scenarios.js';
import type { Effort, Scenario } from './scenario.js';
import { runSoak } from './soak/run-soak.js';

const USAGE = `npm run bench -- [options] [pattern ...]

Compares Logbook with the references of design.md section 9 and prints ratios: the median of the rounds, with the smallest and the
largest. Only ratios of one run on one machine mean something. "CPU µs" is what the processes of Logbook and of the reference spent on
one request, event or append: other programs disturb it less than they do times. A bare route is one of Fastify that does no more than
its name says, on LMDB or Redis; a bare client has 64 calls in flight on the same server.

  pattern       run the scenarios whose name contains one of these, in any letter case
  --quick       fewer and shorter slices, smaller logs: shows that everything works, and rough ratios
  --json FILE   write all slices to a file
  --cpu-prof DIR write a CPU profile (.cpuprofile) of each of Logbook's servers to a directory; the ratios suffer
  --profile     what each operation costs on the embedded stores, with chain, audit index and history: CPU by thread and by stage of
                the main thread, bytes given to files, times of answers, beside a bare reference. Linux only
  --peers       with --profile: the same operations of Emmett on PostgreSQL, Nest with PostgreSQL and Redis Streams, too, as far as
                Debian's postgresql and redis-server are installed; npm packages go into the system's temporary directory
  --capacity    what steps of callers cost on embedded and on distributed stores, the machines that installations of three sizes need,
                and a simulated day of the middle one: exit code 1 unless it takes what the model says, within 25 %. Linux only
  --growth      logs of three years with --events N,M,… (default 100000,1000000,10000000) events of all services: start, memory, reads of the past,
                rebuild, verification, backup and files, and how each grows. Linux only
  --breadth     many subscriptions, streams, topics, tenants, endpoints, each in an installation of its own (or those whose name has a pattern):
                start, memory, CPU at rest, calls, and the longest turn of the main thread. Linux only
  --write       put the figures into docs/figures and docs/performance.md; not with --soak. Targets that were not measured keep their figures
  --soak        the mixed load of the profile at 70 % of the measured maximum for --minutes N (default 30), with a rebuild and a backup on
                the way: exit code 1 unless memory, times and files stay within bounds. Linux only
  --strict      exit code 1 when a target is missed, not only when a scenario fails
  --list        name the scenarios and end
  --help        this text

EVENTSTORE_URL and REDIS_URL name servers to use instead of the test servers; they should be empty, and data stay behind in them.
EVENTSTORE_COMMAND starts an empty EventStoreDB for each scenario (see test/support/eventstoredb/real-server.ts).`;

const thorough: Effort = { warmUps: 3, rounds: 5, sliceSeconds: 2, manyEvents: 100_000 };
const quick: Effort = { warmUps: 1, rounds: 3, sliceSeconds: 1, manyEvents: 10_000 };

/** Of the profile: each slice also waits for what follows it, and the first calls of a new server may take longer than a second. */
const quickProfile: Effort = { ...quick, rounds: 2, sliceSeconds: 2 };

/** Shorter than that a soak has too few intervals to compare. */
const LEAST_MINUTES = 3;

/** As shells report a program that Ctrl-C ended. */
const INTERRUPTED = 130;

const readArguments = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      'cpu-prof': { type: 'string' },
      profile: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      capacity: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      breadth: { type: 'boolean', default: false },
      events: { type: 'string', default: '100000,1000000,10000000' },
      soak: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '30' },
      strict: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });

/** A first Ctrl-C ends what was started and then this process, after the round under way; a second one does not wait. */
const untilInterrupted = (): AbortSignal => {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  return interrupted.signal;
};

/** Neither chain nor history, which the scenarios of the past measure. */
const ENVIRONMENT = { LOGBOOK_CHAIN: 'off', LOGBOOK_HISTORY: 'off' };

const measure = async (scenario: Scenario, effort: Effort, profiles: string | undefined, signal: AbortSignal): Promise<Result> => {
  const cleanup = new Cleanup();
  try {
    const lab = { effort, cleanup, environment: ENVIRONMENT, ...(profiles !== undefined && { profiles }) };
    return resultOf(scenario, requireReadable(await alternate(await scenario.prepare(lab), effort, signal)));
  } finally {
    await cleanup.run();
  }
};

type Options = ReturnType<typeof readArguments>['values'];

/** How many scenarios failed, and the names of those that missed their targets. */
type Verdict = Readonly<{ failed: number; missed: readonly string[] }>;
type Run = (chosen: readonly Scenario[], effort: Effort, options: Options, signal: AbortSignal) => Promise<Verdict>;

/** Compares, and prints a line for each scenario. */
const compare: Run = async (chosen, effort, { json, write, 'cpu-prof': profiles }, signal) => {
  const measurement = thisMachine();
  console.log(`${whereMeasured(measurement)}.\n\n${tableHead()}`);
  const { results, failed } = await runScenarios(
    chosen,
    signal,
    (scenario) => measure(scenario, effort, profiles, signal),
    (result, all) => {
      console.log(tableRow(result));
      if (json) writeFileSync(json, asJson({ ...measurement, effort, results: all }));
    },
  );
  if (write) console.log(`\nwritten to ${writeTargets(scenarios, results, measurement)}`);
  return { failed, missed: results.filter(({ met }) => met === false).map(({ name }) => name) };
};

const profile: Run = async (chosen, effort, options, signal) => {
  const { json, write, peers } = options;
  const { failed } = await runProfile(chosen, effort, { profiles: options['cpu-prof'], json, write, peers }, signal);
  return { failed, missed: [] };
};

/** Scenarios whose name contains one of the patterns; all of them if there are no patterns. */
const scenariosLike = (all: readonly Scenario[], patterns: readonly string[]): readonly Scenario[] => {
  const lowered = patterns.map((pattern) => pattern.toLowerCase());
  return lowered.length === 0 ? all : all.filter(({ name }) => lowered.some((pattern) => name.toLowerCase().includes(pattern)));
};

/** Runs the scenarios. Returns the exit code. */
const bench = async (chosen: readonly Scenario[], options: Options): Promise<number> => {
  const signal = untilInterrupted();
  const effort = options.quick ? (options.profile ? quickProfile : quick) : thorough;
  const run = options.profile ? profile : compare;
  const { failed, missed } = await run(chosen, effort, options, signal);
  if (signal.aborted) return INTERRUPTED;
  if (missed.length > 0) console.log(`\n${missed.length} missed: ${missed.join('; ')}`);
  return failed > 0 || (options.strict && missed.length > 0) ? 1 : 0;
};

/** Returns the exit code. */
const untilEnd = async (run: (signal: AbortSignal) => Promise<boolean>): Promise<number> => {
  const signal = untilInterrupted();
  const passed = await run(signal).catch((error) => {
    if (signal.aborted) return false;
    throw error;
  });
  return signal.aborted ? INTERRUPTED : passed ? 0 : 1;
};

const soak = async ({ minutes, json }: Options): Promise<number> => {
  const length = Number(minutes);
  if (!(length >= LEAST_MINUTES)) {
    console.error(`--minutes must be a number from ${LEAST_MINUTES}`);
    return 1;
  }
  return untilEnd((signal) => runSoak({ minutes: length, json }, signal));
};

const growth = async ({ events, json, write }: Options): Promise<number> => {
  const sizes = events.split(',').map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size > 0)) {
    console.error('--events must be numbers of events with commas between them');
    return 1;
  }
  return untilEnd((signal) => runGrowth({ events: sizes, json, write }, signal));
};

/** Returns the exit code. */
const main = async (): Promise<number> => {
  const { values, positionals } = readArguments();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.soak) return soak(values);
  if (values.growth) return growth(values);
  if (values.breadth) return untilEnd((signal) => runBreadth({ ...values, only: positionals }, signal));
  if (values.capacity) return untilEnd((signal) => runCapacity(values, signal));
  const chosen = scenariosLike(values.profile ? profiled : scenarios, positionals);
  if (chosen.length === 0) {
    console.error(`no scenario has ${positionals.join(' or ')} in its name; --list shows them`);
    return 1;
  }
  if (!values.list) return bench(chosen, values);
  console.log(chosen.map(({ name }) => name).join('\n'));
  return 0;
};

process.exitCode = await main();
