import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { scenarios } from '#test/bench/scenarios/index.js';
import { Cleanup } from '#test/support/cleanup.js';
import { alternate } from './measure.js';
import { machine, type Result, resultOf, tableHead, tableRow } from './report.js';
import type { Effort, Scenario } from './scenario.js';

const USAGE = `npm run bench -- [options] [pattern ...]

Compares Logbook with the references of design.md section 9 and prints ratios: the median of the rounds, with the smallest and the
largest. Only ratios of one run on one machine mean something. "CPU µs" is what the processes of Logbook and of the reference spent on
one request, event or append: other programs disturb it less than they do times.

  pattern       run the scenarios whose name contains one of these, in any letter case
  --quick       fewer and shorter slices, smaller logs: shows that everything works, and rough ratios
  --json FILE   write all slices to a file
  --profile DIR write a CPU profile (.cpuprofile) of each of Logbook's servers to a directory; the ratios suffer
  --strict      exit code 1 when a target is missed, not only when a scenario fails
  --list        name the scenarios and end
  --help        this text

EVENTSTORE_URL and REDIS_URL name servers to use instead of the test servers; they should be empty, and data stay behind in them.
EVENTSTORE_COMMAND starts an empty EventStoreDB for each scenario (see test/support/eventstoredb/real-server.ts).`;

const thorough: Effort = { warmUps: 3, rounds: 5, sliceSeconds: 2, manyEvents: 100_000 };
const quick: Effort = { warmUps: 1, rounds: 3, sliceSeconds: 1, manyEvents: 10_000 };

/** As shells report a program that Ctrl-C ended. */
const INTERRUPTED = 130;

const readArguments = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      profile: { type: 'string' },
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

const measure = async (scenario: Scenario, effort: Effort, profiles: string | undefined, signal: AbortSignal): Promise<Result> => {
  const cleanup = new Cleanup();
  try {
    return resultOf(scenario, await alternate(await scenario.prepare({ effort, cleanup, profiles }), effort, signal));
  } finally {
    await cleanup.run();
  }
};

type Outputs = Readonly<{ json?: string; profile?: string }>;

/** The results, and how many scenarios gave none because something went wrong. */
const run = async (chosen: readonly Scenario[], effort: Effort, { json, profile }: Outputs, signal: AbortSignal) => {
  const at = new Date().toISOString();
  const before = machine();
  console.log(`${before.cpu}, ${before.cores} cores, Node ${before.node}, load ${before.load[0]?.toFixed(1)}\n\n${tableHead()}`);
  const results: Result[] = [];
  for (const scenario of chosen) {
    try {
      const result = await measure(scenario, effort, profile, signal);
      results.push(result);
      console.log(tableRow(result));
    } catch (error) {
      if (signal.aborted) break;
      console.error(`${scenario.name} failed:`, error);
    }
    if (json) writeFileSync(json, JSON.stringify({ at, machine: before, effort, results }, undefined, 1));
  }
  return { results, failed: chosen.length - results.length };
};

type Options = ReturnType<typeof readArguments>['values'];

/** Scenarios whose name contains one of the patterns; all of them if there are no patterns. */
const scenariosLike = (patterns: readonly string[]): readonly Scenario[] => {
  const lowered = patterns.map((pattern) => pattern.toLowerCase());
  return lowered.length === 0 ? scenarios : scenarios.filter(({ name }) => lowered.some((pattern) => name.toLowerCase().includes(pattern)));
};

/** Runs the scenarios. Returns the exit code. */
const bench = async (chosen: readonly Scenario[], options: Options): Promise<number> => {
  const signal = untilInterrupted();
  const { results, failed } = await run(chosen, options.quick ? quick : thorough, options, signal);
  if (signal.aborted) return INTERRUPTED;
  const missed = results.filter(({ met }) => met === false);
  if (missed.length > 0) console.log(`\n${missed.length} missed: ${missed.map(({ name }) => name).join('; ')}`);
  return failed > 0 || (options.strict && missed.length > 0) ? 1 : 0;
};

/** Returns the exit code. */
const main = async (): Promise<number> => {
  const { values, positionals } = readArguments();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const chosen = scenariosLike(positionals);
  if (chosen.length === 0) {
    console.error(`no scenario has ${positionals.join(' or ')} in its name; --list shows them`);
    return 1;
  }
  if (!values.list) return bench(chosen, values);
  console.log(chosen.map(({ name }) => name).join('\n'));
  return 0;
};

process.exitCode = await main();
