import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Job } from '#infra/engine/jobs/job.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { exclusiveFor } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import type { Change } from '#projections/shared/read-store.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { LEDGER, LedgerLab } from '#test/support/projections/ledger-lab.js';
import { decodeLedger } from '#test/support/projections/ledger-projection.js';
import { overEvents, overStore } from '#test/support/projections/runner-lab.js';
import { VERIFICATION, VerificationKind } from './verification-kind.js';

describe.each(['embedded', 'redis'] as const)('verifications on %s', (kind) => {
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

  const jobsOver = (models: ReadModels, given: Partial<RunnerDependencies> = {}, projection = ledger.projection()): Jobs => {
    const dependencies = { ...ledger.lab.dependencies, decode: decodeLedger(() => ledger.mended), ...given };
    const jobs = new Jobs({ ...dependencies, silenceMs: LONGEST_MS, beatMs: 20, lookMs: 20 });
    jobs.register(new VerificationKind(dependencies, models, [projection]));
    running.push(jobs);
    return jobs;
  };
  const begin = (jobs: Jobs, id: string) => jobs.begin(VERIFICATION, id, { projection: LEDGER }, { exclusive: exclusiveFor(LEDGER) });
  const ended = (jobs: Jobs, id: string): Promise<Job | null> => jobs.ended(VERIFICATION, id, () => undefined, 10);
  const fill = async (events = 1_000): Promise<ReadModels> => {
    const models = ledger.start();
    await ledger.append(
      ...Array.from({ length: events }, (_, index) => ({ type: 'Entered', data: { owner: `o${index % 300}`, by: 1 } }) as const),
    );
    await ledger.caughtUp(models);
    return models;
  };
  /** Changes served documents, as a fault would. */
  const tamper = async (...changes: readonly Change[]): Promise<void> => {
    const { store } = ledger.lab;
    const served = await store.served(LEDGER);
    if (!served) throw new Error('nothing is served');
    const checkpoint = await store.checkpoint(served);
    await store.commit(served, changes, checkpoint, checkpoint);
  };

  it('find what is served right, and leave nothing behind', async () => {
    const models = await fill();
    const jobs = jobsOver(models);
    await begin(jobs, 'one');
    const documents = Object.keys(await ledger.served()).length;
    const { position } = (await models.status(LEDGER)) ?? {};
    expect(await ended(jobs, 'one')).toMatchObject({
      state: 'done',
      failure: null,
      details: { equal: true, differenceCount: 0, differences: [], position: `${position}`, compared: documents, processed: 1_000 },
    });
    await ledger.append({ type: 'Entered', data: { owner: 'after', by: 1 } });
    await ledger.caughtUp(models);
    await ledger.expectClean();
  });

  it('say how many events there are to read, and at the end how many were read', async () => {
    const models = await fill(10);
    const { events } = ledger.lab;
    const told = async () => (await jobs.get(VERIFICATION, 'one'))?.details as { total: number | null };
    const counted = overEvents(events, {
      readAll: async (options: Parameters<typeof events.readAll>[0]) => {
        await until(async () => (await told()).total === 12);
        return events.readAll(options);
      },
    });
    const jobs = jobsOver(models, { events: counted, count: async () => 12 });
    await begin(jobs, 'one');
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'done', details: { processed: 10, total: 10 } });
  });

  it('say nothing of another build than the one that was served when they were asked for', async () => {
    const models = await fill(10);
    const jobs = jobsOver(models);
    await jobs.begin(VERIFICATION, 'right', { projection: LEDGER, build: await models.build(LEDGER) });
    expect(await ended(jobs, 'right')).toMatchObject({ state: 'done' });
    await jobs.begin(VERIFICATION, 'wrong', { projection: LEDGER, build: '0.0' });
    const failure = { message: expect.stringContaining('another build') };
    expect(await ended(jobs, 'wrong')).toMatchObject({ state: 'failed', failure, details: { differenceCount: null } });
  });

  it('find what is missing, what is too much, and which members differ', async () => {
    const models = await fill(10);
    const [collection = '', key = ''] = (Object.keys(await ledger.served())[0] ?? '').split('/');
    const [second = '', secondKey = ''] = (Object.keys(await ledger.served())[1] ?? '').split('/');
    await tamper(
      { kind: 'delete', collection, key },
      { kind: 'put', collection: 'strange', key: 'more', value: '{"a":1}' },
      { kind: 'put', collection: second, key: secondKey, value: '{"tampered":1}' },
    );
    const jobs = jobsOver(models);
    await begin(jobs, 'one');
    const { details } = (await ended(jobs, 'one')) ?? {};
    expect(details).toMatchObject({ equal: false, differenceCount: 3 });
    expect(details?.differences).toEqual(
      expect.arrayContaining([
        { collection, key, kind: 'missing', members: [] },
        { collection: 'strange', key: 'more', kind: 'extra', members: [] },
        expect.objectContaining({ collection: second, key: secondKey, kind: 'different', members: expect.arrayContaining(['/tampered']) }),
      ]),
    );
  });

  it('leave out collections whose events may have left the log', async () => {
    const models = await fill(10);
    await tamper({ kind: 'put', collection: 'strange', key: 'more', value: '1' });
    const jobs = jobsOver(models, {}, { ...ledger.projection(), expiring: ['strange'] });
    await begin(jobs, 'one');
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'done', details: { equal: true, differenceCount: 0 } });
  });

  it('keep no write waiting, and compare each page as of its own position', async () => {
    const models = await fill();
    const { store } = ledger.lab;
    let pages = 0;
    const paused = overStore(store, {
      documents: (namespace) => {
        const view = store.documents(namespace);
        const range: typeof view.range = async (...asked) => {
          if (pages++ % 3 === 0) {
            await ledger.append({ type: 'Entered', data: { owner: `o${pages % 300}`, by: 1 } });
            await ledger.caughtUp(models);
          }
          return view.range(...asked);
        };
        return namespace.projection === LEDGER ? Object.assign(Object.create(view), { range }) : view;
      },
    });
    const jobs = jobsOver(models, { store: paused });
    await begin(jobs, 'one');
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'done', details: { equal: true, differences: [] } });
    expect(pages).toBeGreaterThan(6);
  });

  it('end when the store has lost documents since they began', async () => {
    const models = await fill();
    const { store } = ledger.lab;
    let asked = 0;
    const losing = overStore(store, {
      checkpoint: async (namespace) => (namespace.projection === LEDGER && ++asked > 3 ? 1n : store.checkpoint(namespace)),
    });
    const jobs = jobsOver(models, { store: losing });
    await begin(jobs, 'one');
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'failed', failure: { message: expect.stringContaining('less than before') } });
  });

  it('agree about partitions that are set aside', async () => {
    const models = await fill(10);
    await ledger.append(
      { type: 'Entered', data: { owner: 'bad', by: 1, failing: 'apply' } },
      { type: 'Entered', data: { owner: 'bad', by: 2 } },
    );
    await ledger.caughtUp(models);
    const jobs = jobsOver(models);
    await begin(jobs, 'one');
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'done', details: { equal: true } });
    expect(await ledger.groups(models)).toHaveLength(1);
    await ledger.append({ type: 'Entered', data: { owner: 'bad', by: 3 } });
    await ledger.caughtUp(models);
    await ledger.expectConsistent(models);
  });

  it('go on in another process, and count no event twice', async () => {
    const models = await fill(5_000);
    const { events } = ledger.lab;
    let pages = 12;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = overEvents(events, {
      readAll: async (options: Parameters<typeof events.readAll>[0]) => {
        if (options.limit === 200 && pages-- <= 0) await released;
        return events.readAll(options);
      },
    });
    const dying = jobsOver(models, { events: slow });
    await begin(dying, 'one');
    await until(async () => Number((await dying.get(VERIFICATION, 'one'))?.details.processed) > 0);
    const stopping = dying.stop();
    release();
    await stopping;
    const before = Number((await dying.get(VERIFICATION, 'one'))?.details.processed);
    const other = jobsOver(models, { store: await ledger.lab.openStore() });
    other.start();
    const done = await ended(other, 'one');
    expect(before).toBeGreaterThan(0);
    expect(done).toMatchObject({ state: 'done', details: { equal: true, processed: 5_000 } });
  });

  it('can be cancelled', async () => {
    const models = await fill(3_000);
    const jobs = jobsOver(models);
    await begin(jobs, 'one');
    expect(await jobs.cancel(VERIFICATION, 'one')).toBe(true);
    expect(await ended(jobs, 'one')).toMatchObject({ state: 'cancelled', details: { equal: null } });
    await ledger.append({ type: 'Entered', data: { owner: 'after', by: 1 } });
    await ledger.caughtUp(models);
    await ledger.expectClean();
  });
});
