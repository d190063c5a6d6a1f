import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Job } from '#infra/engine/jobs/job.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { Namespace } from '#projections/shared/read-store.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { LEDGER, LedgerLab } from '#test/support/projections/ledger-lab.js';
import { ledgerProjection } from '#test/support/projections/ledger-projection.js';
import { overEvents, overStore } from '#test/support/projections/runner-lab.js';
import { LogReplaced } from './rebuild.js';
import { exclusiveFor, REBUILD, RebuildKind } from './rebuild-kind.js';

describe.each(['embedded', 'redis'] as const)('rebuilds as jobs on %s', (kind) => {
  let ledger: LedgerLab;
  let running: Jobs[];
  beforeEach(async () => {
    ledger = await LedgerLab.open(kind);
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((jobs) => jobs.stop()));
    await ledger.dispose();
  });

  /** Rebuilds of one process. */
  class Rebuilds {
    constructor(private readonly jobs: Jobs) {}
    begin = (projection: string, id: string) => this.jobs.begin(REBUILD, id, { projection }, { exclusive: exclusiveFor(projection) });
    get = (id: string) => this.jobs.get(REBUILD, id);
    list = () => this.jobs.list(REBUILD);
    cancel = (id: string) => this.jobs.cancel(REBUILD, id);
    isUnderWay = async (projection: string) => (await this.jobs.underWay(exclusiveFor(projection))) !== null;
    start = () => this.jobs.start();
    stop = () => this.jobs.stop();
  }
  const jobsOver = (readModels: Pick<ReadModels, 'rebuild' | 'names'>, dependencies: Partial<RunnerDependencies> = {}): Rebuilds => {
    const { store, now, log } = { ...ledger.lab.dependencies, ...dependencies };
    const jobs = new Jobs({ store, now, log, silenceMs: LONGEST_MS, beatMs: 20, lookMs: 20 });
    jobs.register(new RebuildKind(readModels, async () => undefined));
    running.push(jobs);
    return new Rebuilds(jobs);
  };
  const ended = async (jobs: Rebuilds, id: string): Promise<Job | null> => {
    await until(async () => (await jobs.get(id))?.endedAt != null);
    return jobs.get(id);
  };
  const fill = async (events = 1_000): Promise<ReadModels> => {
    const models = ledger.start();
    await ledger.append(...Array.from({ length: events }, () => ({ type: 'Entered', data: { owner: 'a', by: 1 } }) as const));
    await ledger.caughtUp(models);
    return models;
  };
  /** A log read in pages, of which only some are returned before `release`. */
  const slowLog = (pages: number) => {
    const { events } = ledger.lab;
    let left = pages;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = overEvents(events, {
      readAll: async (options: Parameters<typeof events.readAll>[0]) => {
        if (options.limit === 200 && left-- <= 0) await released;
        return events.readAll(options);
      },
    });
    return { slow, release: () => release() };
  };

  it('are done once, however often they are started, and report their result', async () => {
    const jobs = jobsOver(await fill());
    const before = (await ledger.lab.store.served(LEDGER))?.generation;
    await Promise.all([jobs.begin(LEDGER, 'one'), jobs.begin(LEDGER, 'one')]);
    expect(await ended(jobs, 'one')).toMatchObject({
      id: 'one',
      state: 'done',
      details: { projection: LEDGER, processed: 1_000, remainingSeconds: null },
      failure: null,
    });
    await jobs.begin(LEDGER, 'one');
    expect((await ledger.lab.store.served(LEDGER))?.generation).toBe((before ?? 0) + 1);
    expect((await jobs.list()).map(({ id, state }) => [id, state])).toEqual([['one', 'done']]);
    expect([await jobs.cancel('one'), await jobs.cancel('never'), await jobs.get('never')]).toEqual([false, false, null]);
    await ledger.expectClean();
  });

  it('can be cancelled, and then leave the served documents as they are', async () => {
    const models = await fill();
    const { slow, release } = slowLog(2);
    const before = (await ledger.lab.store.served(LEDGER))?.generation;
    const jobs = jobsOver(ledger.start({ events: slow }));
    await jobs.begin(LEDGER, 'one');
    await until(() => jobs.isUnderWay(LEDGER));
    expect(await jobs.cancel('one')).toBe(true);
    release();
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'cancelled', failure: null });
    expect((await ledger.lab.store.served(LEDGER))?.generation).toBe(before);
    expect(await jobs.isUnderWay(LEDGER)).toBe(false);
    await ledger.caughtUp(models);
    await ledger.expectClean();
  });

  it('are done when they are cancelled during the switch, because the new documents are served', async () => {
    const models = await fill();
    const { store } = ledger.lab;
    const before = (await store.served(LEDGER))?.generation ?? 0;
    const isCancelled: boolean[] = [];
    const serve: typeof store.serve = async (namespace, ...from) => {
      await store.serve(namespace, ...from);
      if (namespace.projection === LEDGER) isCancelled.push(await jobs.cancel('one'));
    };
    const jobs = jobsOver(ledger.start({ store: overStore(store, { serve }) }));
    await jobs.begin(LEDGER, 'one');
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'done', failure: null });
    expect(isCancelled).toEqual([true]);
    expect((await store.served(LEDGER))?.generation).toBe(before + 1);
    await ledger.caughtUp(models);
    await ledger.expectClean();
  });

  it('report why they failed', async () => {
    const models = await fill(3);
    const jobs = jobsOver({ names: [LEDGER], rebuild: () => Promise.reject(new LogReplaced('no room')) });
    await jobs.begin(LEDGER, 'one');
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'failed', failure: { message: 'no room' } });
    const others = jobsOver(models);
    await others.begin('test.gone', 'two');
    expect(await ended(others, 'two')).toMatchObject({ state: 'failed', failure: { message: 'there is no projection test.gone' } });
  });

  it('continue in another process from their last commit, when the process at work ends', async () => {
    await fill(5_000);
    const first = slowLog(12);
    const dying = jobsOver(ledger.start({ events: first.slow }));
    await dying.begin(LEDGER, 'one');
    const under = async (): Promise<Namespace | undefined> =>
      ((await dying.get('one'))?.resume as { namespace: Namespace } | null | undefined)?.namespace;
    await until(async () => {
      const built = await under();
      return built !== undefined && (await ledger.lab.store.checkpoint(built)) > 0n;
    });
    const stopping = dying.stop();
    first.release();
    await stopping;
    const left = await dying.get('one');
    expect(left).toMatchObject({ state: 'running', endedAt: null });
    const namespace = await under();
    const committed = namespace ? await ledger.lab.store.checkpoint(namespace) : 0n;
    expect(committed).toBeGreaterThan(0n);

    const reads: bigint[] = [];
    const { events } = ledger.lab;
    const watched = overEvents(events, {
      readAll: (options: Parameters<typeof events.readAll>[0]) => {
        if (options.limit === 200) reads.push(options.after ?? 0n);
        return events.readAll(options);
      },
    });
    const other = jobsOver(ledger.start({ events: watched, store: await ledger.lab.openStore() }));
    other.start();
    expect(await ended(other, 'one')).toMatchObject({ state: 'done', details: { processed: 5_000 } });
    expect(reads[0]).toBe(committed);
    expect((await ledger.lab.store.served(LEDGER))?.generation).toBe(namespace?.generation);
    await ledger.expectClean();
  });

  it('keep what they have set aside when they continue', async () => {
    const models = ledger.start();
    await ledger.append({ type: 'Entered', data: { owner: 'bad', by: 1, failing: 'apply' } });
    await ledger.append(
      ...Array.from({ length: 3_000 }, (_, index) => ({ type: 'Entered', data: { owner: `o${index % 50}`, by: 1 } }) as const),
    );
    await ledger.append({ type: 'Entered', data: { owner: 'bad', by: 1 } });
    await ledger.caughtUp(models);
    const first = slowLog(12);
    const dying = jobsOver(ledger.start({ events: first.slow }));
    await dying.begin(LEDGER, 'one');
    await until(async () => Number((await dying.get('one'))?.details.processed) > 0);
    const stopping = dying.stop();
    first.release();
    await stopping;
    const other = jobsOver(ledger.start({ store: await ledger.lab.openStore() }));
    other.start();
    await ended(other, 'one');
    await until(async () => (await ledger.groups(models)).length === 1);
    await ledger.expectConsistent(models);
  });

  it('start from the beginning if what was built is of another version, or gone', async () => {
    await fill(3);
    const { store } = ledger.lab;
    const gone = await store.prepare(LEDGER, 1);
    await store.prepare(LEDGER, 1);
    const models = ledger.start(
      { store: overStore(store, {}) },
      ledgerProjection(() => true),
    );
    const done = await models.rebuild(LEDGER, { begun: { namespace: gone, countedTo: 2n }, processed: 2 });
    expect(done.state).toBe('done');
    const again = await models.rebuild(LEDGER, { begun: { namespace: { ...gone, version: 7 }, countedTo: 2n } });
    expect(again.state).toBe('done');
    await ledger.expectClean();
  });
});
