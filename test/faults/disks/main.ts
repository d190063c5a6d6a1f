import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Violation } from '#test/faults/history.js';
import { type Random, randomFrom } from '#test/faults/random.js';
import { type DiskShim, diskShim } from '#test/support/event-stores/failing-disk.js';
import { prepareData } from './embedded-node.js';
import { killOften } from './kills.js';
import { failNthCall, type NthCase, nthCases } from './nth-call.js';
import { losePowerOften, record } from './power-loss.js';

const USAGE = `npm run test:faults -- disks|power|kills [--rounds N] [--seconds N] [--seed S] [--at-once N] [--case "write 17 EIO 1 new"] [--logs]

One server on embedded stores with everything on, and a checker that compares what it shows with what clients were answered.
disks  the n-th call of the file system fails, for each n of a run, in random order; then a server starts on what is left. --case: only this one
power  power is lost at random moments: what was not flushed is lost, all or some of it
kills  SIGKILL at random moments
--rounds   at most so many (disks: all; power: 100; kills: 100)
--seconds  none begins after this time
--at-once  so many rounds beside each other (2)
The last line is a sum; the exit code is 1 when something was violated.`;

type Options = Readonly<{ seed: number; rounds: number; seconds: number; atOnce: number; only: string; logs: boolean }>;

const sum = { rounds: 0, hit: 0, ended: 0, endedByLmdb: 0, answered: 0, violated: 0 };
const tell = (what: string, violations: readonly Violation[], lines: readonly string[] = []): void => {
  sum.rounds++;
  if (violations.length === 0) return;
  sum.violated++;
  console.log(`${what}: ${violations.length} violations`);
  for (const { rule, detail } of violations.slice(0, 4)) console.log(`  ${rule}: ${detail.slice(0, 1_200)}`);
  for (const line of lines) console.log(`    | ${line.slice(0, 600)}`);
};

/** So many workers that take one thing after the other, until there is none or the time is over. */
const each = async <Item>(items: Iterator<Item>, { atOnce, seconds }: Options, work: (item: Item) => Promise<void>): Promise<void> => {
  const end = performance.now() + seconds * 1_000;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const item = items.next();
      if (item.done) return;
      await work(item.value);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

const textOf = ({ kind, n, error, times, isNew }: NthCase): string => `${kind} ${n} ${error} ${times}${isNew ? ' new' : ''}`;
const caseIn = (text: string): NthCase => {
  const [kind, n, error, times, isNew] = text.split(' ');
  return { kind, n: Number(n), error, times: Number(times), isNew: isNew === 'new' } as NthCase;
};

const inRandomOrder = <Item>(items: readonly Item[], random: Random): readonly Item[] =>
  items
    .map((item) => [random.fraction(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);

const disks = async (shim: DiskShim, folder: string, options: Options): Promise<void> => {
  const template = join(folder, 'template');
  await prepareData(template);
  const all = await nthCases(shim, template);
  const cases = options.only ? [caseIn(options.only)] : inRandomOrder(all, randomFrom(options.seed)).slice(0, options.rounds);
  console.log(`${cases.length} of ${all.length} cases`);
  await each(cases.values(), options, async (one) => {
    const { wasHit, hasEnded, isEndedByLmdb, done, violations, lines } = await failNthCall(shim, template, one);
    if (wasHit) sum.hit++;
    if (hasEnded) sum.ended++;
    if (isEndedByLmdb) sum.endedByLmdb++;
    sum.answered += done;
    tell(textOf(one), violations, options.logs ? lines : lines.slice(0, 1));
  });
};

/** All rounds, so many at most in each share. */
const shares = ({ rounds, seed }: Options, most: number): readonly Readonly<{ seed: number; count: number }>[] =>
  Array.from({ length: Math.ceil(rounds / most) }, (_, index) => ({ seed: seed + index, count: Math.min(most, rounds - index * most) }));

/** Of one recording. */
const LOSSES = 10;

const power = async (shim: DiskShim, options: Options): Promise<void> => {
  const end = performance.now() + options.seconds * 1_000;
  await each(shares(options, LOSSES).values(), options, async ({ seed, count }) => {
    const random = randomFrom(seed);
    const recording = await record(shim, random, random.between(3, 15));
    await losePowerOften(shim, recording, random, count, ({ at, kept, calls, violations }) => {
      sum.answered += calls;
      tell(`seed ${seed}, after ${(at / 1_000).toFixed(2)} s, ${kept} kept`, violations);
      return performance.now() < end;
    });
  });
};

/** In one directory. */
const KILLS = 25;

const kills = async (options: Options): Promise<void> => {
  await each(shares(options, KILLS).values(), options, async ({ seed, count }) => {
    const outcome = await killOften(randomFrom(seed), count);
    tell(`seed ${seed}`, outcome.violations);
    sum.rounds += outcome.kills - 1;
    sum.answered += outcome.done;
  });
};

/** @returns whether no rule was violated */
export const runDisks = async (what: string, args: readonly string[]): Promise<boolean> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
      'at-once': { type: 'string', default: '2' },
      case: { type: 'string', default: '' },
      logs: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return true;
  }
  const options: Options = {
    seed: Number(values.seed),
    rounds: Number(values.rounds ?? (what === 'disks' ? Number.POSITIVE_INFINITY : 100)),
    seconds: Number(values.seconds),
    atOnce: Number(values['at-once']),
    only: values.case,
    logs: values.logs,
  };
  const folder = await mkdtemp(join(tmpdir(), 'logbook-disks-'));
  const shim = diskShim(folder);
  try {
    console.log(`seed ${options.seed}`);
    if (what === 'kills') await kills(options);
    else if (!shim) throw new Error('this needs Linux and a C compiler');
    else if (what === 'disks') await disks(shim, folder, options);
    else await power(shim, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { rounds, hit, ended, endedByLmdb, answered, violated } = sum;
  const reached = what === 'disks' ? `, ${hit} faults, ${ended} processes ended by them (${endedByLmdb} in LMDB's opening)` : '';
  console.log(`${what}: ${rounds} rounds${reached}, ${answered} answered calls, ${violated} with violations`);
  return violated === 0;
};
