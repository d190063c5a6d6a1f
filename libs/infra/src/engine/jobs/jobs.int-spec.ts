import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import { type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { openRunnerLab, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { type Job, JobFailed, type JobKind, JobUnderWay, TooManyJobs } from './job.js';
import { jobView } from './job-run.js';
import { Jobs } from './jobs.js';

const DAY = 86_400_000;

type CountInput = Readonly<{ to: number }>;
/** Counting up to this number makes no step. */
const FOR_EVER = 1_000;

type CountDetails = Readonly<{ counted: number; by: readonly string[] }>;

/** Counts up to a number, one step per `step()`, and records which process counted. */
class Counting implements JobKind<CountInput, CountDetails> {
  readonly name = 'test.count';
  private steps = 0;

  constructor(
    private readonly by: string,
    private readonly fail: () => unknown = () => undefined,
  ) {}

  initial(): CountDetails {
    return { counted: 0, by: [] };
  }

  step(steps = 1): void {
    this.steps += steps;
  }

  async run(
    job: Job<CountInput, CountDetails>,
    { signal, report }: Parameters<JobKind<CountInput, CountDetails>['run']>[1],
  ): Promise<void> {
    let counted = Number(job.resume ?? 0);
    const by = [...job.details.by, this.by];
    report({ counted, by });
    for (;;) {
      signal.throwIfAborted();
      const error = this.fail();
      if (error) throw error;
      if (counted >= job.input.to) return;
      if (this.steps > 0 && job.input.to < FOR_EVER) {
        this.steps--;
        counted++;
        report({ counted, by }, counted);
      } else await sleep(5);
    }
  }
}

/** Work that ignores its signal, and ends on request. */
class Late extends Counting {
  finish: () => void = () => undefined;
  private readonly finished = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  override run(): Promise<void> {
    return this.finished;
  }
}

/** The store of a delayed process: between `hold` and `release` none of its calls arrive. */
class HeldUp extends DelegatingReadStore {
  private held: Promise<never> | null = null;
  release = (): void => undefined;

  hold(): void {
    this.held = new Promise((_resolve, reject) => {
      this.release = () => {
        this.held = null;
        reject(new ReadStoreUnavailable('it was held up'));
      };
    });
  }

  override served(...call: Parameters<ReadStore['served']>): ReturnType<ReadStore['served']> {
    return this.held ?? super.served(...call);
  }
}

describe.each(['embedded', 'redis'] as const)('jobs on %s', (kind) => {
  let lab: RunnerLab;
  let now: number;
  const running: Jobs[] = [];
  beforeEach(async () => {
    lab = await openRunnerLab(kind);
    now = Date.UTC(2026, 0, 1);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((jobs) => jobs.stop()));
    await lab.dispose();
  });

  const node = (
    counting: JobKind<CountInput, CountDetails>,
    {
      store = lab.store,
      isStopped = true,
      ...more
    }: Readonly<{ store?: ReadStore; isStopped?: boolean; mostEnded?: number; silenceMs?: number }> = {},
  ): Jobs => {
    const log = { warn: () => undefined, error: () => undefined };
    const jobs = new Jobs({
      store,
      now: () => now,
      log,
      silenceMs: LONGEST_MS,
      beatMs: 50,
      lookMs: 20,
      ...more,
    });
    jobs.register(counting);
    if (isStopped) running.push(jobs);
    return jobs;
  };
  const ended = (jobs: Jobs, id: string) => jobs.ended('test.count', id, () => undefined, 10);

  it('are done once, with what they reported last', async () => {
    const counting = new Counting('a');
    const jobs = node(counting);
    const begun = await Promise.all([jobs.begin('test.count', 'one', { to: 3 }), jobs.begin('test.count', 'one', { to: 3 })]);
    expect(begun.map(jobView)).toEqual(
      Array(2).fill({
        id: 'one',
        state: 'running',
        startedAt: '2026-01-01T00:00:00.000Z',
        endedAt: null,
        failure: null,
        counted: 0,
        by: [],
      }),
    );
    now += 1_000;
    counting.step(3);
    const done = await ended(jobs, 'one');
    expect(done && jobView(done)).toEqual({
      id: 'one',
      state: 'done',
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:00:01.000Z',
      failure: null,
      counted: 3,
      by: ['a'],
    });
    expect(await jobs.begin('test.count', 'one', { to: 9 })).toMatchObject({ state: 'done', input: { to: 3 } });
    expect([await jobs.cancel('test.count', 'one'), await jobs.cancel('test.count', 'two'), await jobs.get('other', 'one')]).toEqual([
      false,
      false,
      null,
    ]);
  });

  it('that may not run beside another are refused while that is under way, at once too', async () => {
    const counting = new Counting('a');
    const jobs = node(counting);
    const others = node(counting, { store: await lab.openStore() });
    const outcomes = await Promise.allSettled([
      jobs.begin('test.count', 'one', { to: 1 }, { exclusive: 'x' }),
      others.begin('test.count', 'two', { to: 1 }, { exclusive: 'x' }),
      jobs.begin('test.count', 'three', { to: 1 }, { exclusive: 'y' }),
    ]);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toEqual([expect.any(JobUnderWay)]);
    expect(outcomes[2]?.status).toBe('fulfilled');
    counting.step(2);
    const [first] = (await jobs.list('test.count')).filter(({ id }) => id !== 'three');
    await ended(jobs, first?.id ?? '');
    expect(await jobs.underWay('x')).toBeNull();
    counting.step();
    await jobs.begin('test.count', 'four', { to: 1 }, { exclusive: 'x' });
    expect(await ended(jobs, 'four')).toMatchObject({ state: 'done' });
  });

  it('are cancelled from any process', async () => {
    const jobs = node(new Counting('a'));
    const others = node(new Counting('b'), { store: await lab.openStore() });
    await jobs.begin('test.count', 'one', { to: 1 });
    expect(await others.cancel('test.count', 'one')).toBe(true);
    expect(await ended(others, 'one')).toMatchObject({ state: 'cancelled', failure: null });
    await others.begin('test.count', 'two', { to: 1 });
    expect(await others.cancel('test.count', 'two')).toBe(true);
    expect(await ended(jobs, 'two')).toMatchObject({ state: 'cancelled' });
  });

  it('are cancelled too when all their work is done by the time they notice', async () => {
    const late = new Late('a');
    const jobs = node(late);
    await jobs.begin('test.count', 'late', { to: 1 });
    expect(await jobs.cancel('test.count', 'late')).toBe(true);
    late.finish();
    expect(await ended(jobs, 'late')).toMatchObject({ state: 'cancelled', failure: null });
  });

  it.each(['held up', 'stopped'] as const)('are continued from what was stored last when their process is %s', async (how) => {
    const counting = new Counting('a');
    const store = new HeldUp(await lab.openStore());
    const dying = node(counting, { store, isStopped: how === 'stopped' });
    const counting2 = new Counting('b');
    const jobs = node(counting2, { silenceMs: how === 'stopped' ? LONGEST_MS : 400 });
    await dying.begin('test.count', 'one', { to: 3 });
    counting.step(2);
    await until(async () => (await jobs.get('test.count', 'one'))?.resume === 2);
    if (how === 'held up') store.hold();
    else await dying.stop();
    jobs.start();
    counting2.step();
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'done', details: { counted: 3, by: ['a', 'b'] } });
    if (how === 'held up') {
      store.release(); // it was only delayed, and finds that it no longer holds the job
      await dying.stop();
      expect(await jobs.get('test.count', 'one')).toMatchObject({ state: 'done', details: { by: ['a', 'b'] } });
    }
  });

  it('are continued at once when their process stops in order, by one that looks for abandoned ones only now and then', async () => {
    const [counting, counting2] = [new Counting('a'), new Counting('b')];
    const dying = node(counting, { store: await lab.openStore() });
    await dying.begin('test.count', 'one', { to: 3 });
    counting.step(2);
    await until(async () => (await lab.store.view('ops.jobs').get('jobs', 'one'))?.toString().includes('"resume":2') === true);
    const log = { warn: () => undefined, error: () => undefined };
    const jobs = new Jobs({ store: lab.store, now: () => now, log, lookMs: 1_000_000 });
    running.push(jobs);
    jobs.register(counting2);
    jobs.start();
    await jobs.list('test.count'); // its first check came before
    counting2.step();
    await dying.stop();
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'done', details: { counted: 3, by: ['a', 'b'] } });
  });

  it('are done by a process that works on their kind, at once, where the one that begins them does not', async () => {
    const log = { warn: () => undefined, error: () => undefined };
    const counting = new Counting('a');
    const [working, asked] = [lab.store, await lab.openStore()].map((store) => new Jobs({ store, now: () => now, log, lookMs: 1_000_000 }));
    if (!working || !asked) throw new Error('there are two processes');
    running.push(working, asked);
    working.register(counting);
    asked.register(new Counting('b'));
    working.start();
    await working.list('test.count'); // its first check came before
    asked.start([]);
    await asked.begin('test.count', 'one', { to: 3 });
    counting.step(3);
    expect(await ended(asked, 'one')).toMatchObject({ state: 'done', details: { counted: 3, by: ['a'] } });
  });

  it('say why they failed where that is for operators, and go on after outages', async () => {
    const errors = [new ReadStoreUnavailable('away'), new JobFailed('no room'), new Error('key=secret')];
    const jobs = node(new Counting('a', () => errors.shift()));
    await jobs.begin('test.count', 'one', { to: 1 });
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'failed', failure: { message: 'no room' } });
    await jobs.begin('test.count', 'two', { to: 1 });
    const { failure } = (await ended(jobs, 'two')) ?? {};
    expect(failure?.message).not.toContain('secret');
  });

  it('are listed newest first, 100 at most, for seven days after their end', async () => {
    const counting = new Counting('a');
    counting.step(120);
    const jobs = node(counting);
    for (let index = 0; index < 103; index++) {
      await jobs.begin('test.count', `job ${index}`, { to: index === 50 ? FOR_EVER : 1 });
      if (index !== 50) await ended(jobs, `job ${index}`); // a hundred at once would change the list all the time
    }
    const listed = (await jobs.list('test.count')).map(({ id }) => id);
    expect([listed.length, listed[0], listed[99]]).toEqual([100, 'job 102', 'job 3']);
    now += 8 * DAY;
    expect((await jobs.list('test.count')).map(({ id }) => id)).toEqual(['job 50']);
    expect(await jobs.get('test.count', 'job 3')).toBeNull();
  });

  it('are begun only while there is room, and only so many ended ones are kept', async () => {
    const counting = new Counting('a');
    counting.step(10);
    const jobs = node(counting, { mostEnded: 2 });
    const begin = (id: string, to: number) => jobs.begin('test.count', id, { to }, { most: 1 });
    await begin('long', FOR_EVER);
    await expect(begin('second', 1)).rejects.toThrow(TooManyJobs);
    expect((await begin('long', FOR_EVER)).id).toBe('long');
    await jobs.cancel('test.count', 'long');
    await ended(jobs, 'long');
    for (const id of ['b', 'c', 'd']) {
      await begin(id, 1);
      await ended(jobs, id);
    }
    await begin('e', FOR_EVER);
    expect((await jobs.list('test.count')).map(({ id }) => id)).toEqual(['e', 'd', 'c']);
    expect(await jobs.get('test.count', 'long')).toBeNull();
  });

  it('are begun only while their owner has room', async () => {
    const jobs = node(new Counting('a'));
    const begin = (id: string, owner: string) => jobs.begin('test.count', id, { to: FOR_EVER }, { most: 3, owner, mostOfOwner: 2 });
    await begin('a', 'ada');
    await begin('b', 'ada');
    await expect(begin('c', 'ada')).rejects.toThrow(TooManyJobs);
    await begin('d', 'grace');
    await expect(begin('e', 'grace')).rejects.toThrow(TooManyJobs);
    await jobs.cancel('test.count', 'a');
    await ended(jobs, 'a');
    expect((await begin('f', 'ada')).id).toBe('f');
  });
});
