import { isDeepStrictEqual } from 'node:util';
import { describe, it } from '@jest/globals';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { Slice } from '#projections/shared/pages.js';
import { type Random, randomFrom } from '#test/faults/random.js';
import { PointsLab } from '#test/support/status/points/lab.js';
import { PointsModel } from '#test/support/status/points/model.js';
import { Questions, randomPlan } from '#test/support/status/points/questions.js';
import type { Question } from '#test/support/status/points/reads.js';
import { POINTS_SETS } from '#test/support/status/points/sets.js';
import { isFullRun, runs, SEED } from '#test/support/test-runs.js';

/** A slice that is over at every question, and one that never is. */
const SLICES: readonly Slice[] = [
  { isOver: true, next: async () => undefined },
  { isOver: false, next: async () => undefined },
];

/** The beginning of a value, and of a list from the first item that differs from the other list. */
const excerpt = (value: unknown, other: unknown): string => {
  const json = (one: unknown): string => String(JSON.stringify(one, (_, member) => (member instanceof Map ? [...member] : member)));
  if (!Array.isArray(value) || !Array.isArray(other)) return json(value).slice(0, 1_000);
  const first = value.findIndex((item, index) => !isDeepStrictEqual(item, other[index]));
  return `${value.length} items, from ${first}: ${json(value.slice(first, first + 2)).slice(0, 1_000)}`;
};

const itemsIn = (answer: unknown): number =>
  answer instanceof Map ? [...answer.values()].flat().length : Array.isArray(answer) ? answer.length : 0;

type LimitName = NonNullable<Question['limit']>;

const limitedTo = async (name: LimitName, value: number, run: () => Promise<void>): Promise<void> => {
  const limit: { value: number } = STATUS_LIMITS[name];
  const usual = limit.value;
  limit.value = value;
  try {
    await run();
  } finally {
    limit.value = usual;
  }
};

const SIZE = isFullRun ? 2 : 1;
type SetName = keyof typeof POINTS_SETS;
const NAMES = Object.keys(POINTS_SETS) as readonly SetName[];
const REDIS_SETS = isFullRun ? NAMES : (['hostile'] as const);

/** Compares reads with the model. */
class Comparison {
  private readonly questions: Questions;

  constructor(
    private readonly lab: PointsLab,
    private readonly random: Random,
  ) {
    const { points } = lab;
    const plans = [randomPlan(random, points, 0.9), randomPlan(random, points, 0.9), randomPlan(random, points, 0.3), new Map(), undefined];
    this.questions = new Questions(random, points, plans);
  }

  async ofNow(count: number): Promise<void> {
    const { lab } = this;
    const [reads, model] = [await lab.now(), new PointsModel(lab, lab.head)];
    for (let index = 0; index < count; index++) {
      const { text, ask, expected } = this.questions.next('now');
      await this.compare(`now: ${text}`, (slice) => ask(reads, slice), expected(model));
    }
  }

  async asOf(count: number): Promise<void> {
    const position = this.position();
    const { reads, model } = await this.at(position);
    for (let index = 0; index < count; index++) {
      const { text, ask, expected } = this.questions.next('past');
      await this.compare(`as of ${position}: ${text}`, (slice) => ask(reads, slice), expected(model));
    }
  }

  /** Of points as of one position, to which those as of a later one are added. */
  async inTwoSteps(): Promise<void> {
    const [one, other] = [this.position(), this.position()];
    const [first, second] = one < other ? [one, other] : [other, one];
    const [before, after] = [await this.at(first), await this.at(second)];
    const { text, ask, expected } = this.questions.twoSteps();
    await this.compare(
      `as of ${first} and ${second}: ${text}`,
      (slice) => ask(before.reads, after.reads, slice),
      expected(before.model, after.model),
    );
  }

  /** Answers with as many items as an answer may have, and with one more. Of an endpoint repeated points count, too, so only the latter. */
  async ofLimits(count: number): Promise<void> {
    const [reads, model] = [await this.lab.now(), new PointsModel(this.lab, this.lab.head)];
    for (let left = count; left > 0; ) {
      const { text, limit, ask, expected } = this.questions.next('now');
      const wanted = expected(model);
      const length = itemsIn(wanted);
      if (!limit || length === 0) continue;
      left--;
      const asked = (slice: Slice): Promise<unknown> => ask(reads, slice);
      if (limit === 'resultsPerAnswer') await limitedTo(limit, length, () => this.compare(`at its limit: ${text}`, asked, wanted));
      await limitedTo(limit, length - 1, async () => {
        const { message } = overLimit(limit);
        await this.compare(`beyond its limit: ${text}`, (slice) => asked(slice).catch((error: Error) => error.message), message);
      });
    }
  }

  private async at(position: bigint) {
    return { reads: await this.lab.asOf(position), model: new PointsModel(this.lab, position) };
  }

  /** That of an event, or the one before. */
  private position(): bigint {
    const { lab, random } = this;
    const { position } = random.chance(0.1) && lab.deletedTenants.length > 0 ? random.pick(lab.deletedTenants) : random.pick(lab.points);
    return random.chance(0.3) && position > 1n ? position - 1n : position;
  }

  private async compare(text: string, ask: (slice: Slice) => Promise<unknown>, expected: unknown): Promise<void> {
    const found = await ask(this.random.pick(SLICES)).catch((cause: unknown) => {
      throw new Error(text, { cause });
    });
    if (!isDeepStrictEqual(found, expected))
      throw new Error(`${text}\nfound: ${excerpt(found, expected)}\nwanted: ${excerpt(expected, found)}`);
  }
}

describe('reads of points', () => {
  it.each(NAMES)('of the set %s are those of a plain model, now and as of any position', async (name) => {
    const random = randomFrom(SEED + NAMES.indexOf(name));
    const lab = await PointsLab.open();
    const look = async (count: number): Promise<void> => {
      const comparison = new Comparison(lab, random);
      await comparison.ofNow(5 * count);
      for (let index = 0; index < count; index++) {
        await comparison.asOf(4);
        await comparison.inTwoSteps();
      }
    };
    try {
      const steps = POINTS_SETS[name](random.fork(), SIZE);
      const before = random.between(1, steps.length - 1);
      await lab.append(steps.slice(0, before));
      await lab.start();
      for (const step of steps.slice(before)) {
        await lab.append([step]);
        if (random.chance(0.1)) await lab.killed();
        if (random.chance(0.2)) await look(2);
      }
      await look(runs(30, 25));
      await lab.stop();
      await lab.start();
      await look(runs(10, 4));
    } finally {
      await lab.dispose();
    }
  });

  it.each(REDIS_SETS)('of the set %s are those of the model on Redis, too', async (name) => {
    const random = randomFrom(SEED + NAMES.indexOf(name));
    const lab = await PointsLab.open('redis');
    try {
      const steps = POINTS_SETS[name](random.fork(), SIZE);
      const before = random.between(1, steps.length - 1);
      await lab.append(steps.slice(0, before));
      await lab.start();
      for (const step of steps.slice(before)) {
        await lab.append([step]);
        if (random.chance(0.1)) await lab.killed();
        if (random.chance(0.1)) await new Comparison(lab, random).ofNow(15);
      }
      await new Comparison(lab, random).ofNow(runs(75, 45));
    } finally {
      await lab.dispose();
    }
  });

  it('are refused beyond the limits of an answer', async () => {
    const random = randomFrom(SEED);
    const lab = await PointsLab.open();
    try {
      await lab.append(POINTS_SETS.reports(random, 1));
      await lab.start();
      await new Comparison(lab, random).ofLimits(runs(75, 40));
    } finally {
      await lab.dispose();
    }
  });
});
