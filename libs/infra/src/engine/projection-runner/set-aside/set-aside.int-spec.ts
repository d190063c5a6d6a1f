import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { type Change, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { forAny } from '#test/support/for-any.js';
import { LEDGER, LedgerLab } from '#test/support/projections/ledger-lab.js';
import { ledgerLogs } from '#test/support/projections/ledger-log.js';
import type { Failing, LedgerEvent } from '#test/support/projections/ledger-projection.js';
import { ofSeveralWriters, overStore } from '#test/support/projections/runner-lab.js';
import { SHORT_TIMING } from '#test/support/projections/timing.js';
import { runs } from '#test/support/test-runs.js';
import { turns } from '#test/support/turns.js';

const entered = (owner: string, failing?: Failing, by = 1): LedgerEvent => ({
  type: 'Entered',
  data: { owner, by, ...(failing && { failing }) },
});
const many = (owner: string, count: number): LedgerEvent[] => Array.from({ length: count }, () => entered(owner));
const partitionsOf = (models: ReadModels): readonly string[] =>
  [...models.setAside(LEDGER).groups.values()].flatMap(({ partitions }) => [...partitions.keys()]);

let ledger: LedgerLab;

describe.each(['embedded', 'redis'] as const)('partitions whose events fail, on %s', (kind) => {
  beforeEach(async () => {
    ledger = await LedgerLab.open(kind);
  });
  afterEach(() => ledger.dispose());

  it('leave the documents of all others as if the log were without them, whatever fails when, and come back as if nothing had failed', async () => {
    const actions = fc.array(fc.constantFrom('nothing', 'restart', 'resume', 'skip', 'skip-alike'), { minLength: 12, maxLength: 12 });
    const attempts = fc.record({
      stretches: ledgerLogs(),
      actions,
      maxBatch: fc.integer({ min: 1, max: 7 }),
      ending: fc.constantFrom('mend', 'skip'),
    });
    const count = kind === 'embedded' ? runs(30, 8) : runs(8, 2);
    await forAny(count, attempts, async ({ stretches, actions: planned, maxBatch, ending }) => {
      await ledger.dispose();
      ledger = await LedgerLab.open(kind);
      let models = ledger.start(ledger.inBatchesOf(maxBatch));
      for (const [index, stretch] of stretches.entries()) {
        await ledger.append(...stretch);
        await ledger.caughtUp(models);
        await ledger.expectConsistent(models);
        const action = planned[index];
        if (action === 'restart') {
          await ledger.stopAll();
          models = ledger.start(ledger.inBatchesOf(maxBatch));
        } else if (action === 'resume') await ledger.resumeAll(models);
        else if (action === 'skip') {
          const [first] = await ledger.groups(models);
          if (first) await ledger.skip(first);
          await ledger.resumeAll(models);
        } else if (action === 'skip-alike') {
          const [first] = await ledger.groups(models);
          if (first) await ledger.skipAlike(models, first);
        }
        await ledger.settled(models);
        await ledger.expectConsistent(models);
      }
      ledger.mended = ending === 'mend';
      await (ledger.mended ? ledger.resumeAll(models) : ledger.skipAll(models));
      await until(() => models.setAside(LEDGER).isEmpty);
      await ledger.expectClean();
      await models.rebuild(LEDGER);
      await ledger.expectClean();
    });
  }, 600_000);

  it.each(['decode', 'reads', 'apply', 'encode', 'type'] as const)(
    'are set aside at the very event, also in the midst of a batch: %s',
    async (failing) => {
      const models = ledger.start();
      await ledger.append(entered('a'), entered('b'), entered('a', failing), entered('a'), entered('b'), entered('a'));
      await ledger.caughtUp(models);
      const [group, ...others] = await ledger.groups(models);
      expect(others).toEqual([]);
      expect(group).toMatchObject({
        id: 'owner:a',
        waiting: 3,
        failure: { position: ledger.log[2]?.position, eventId: ledger.log[2]?.id, type: 'Entered' },
      });
      expect(models.state(LEDGER)).toBe('live');
      await ledger.expectConsistent(models);
    },
  );

  it('come back by themselves when a process takes over that knows the type of the event, and only then', async () => {
    const [unknown, broken] = ['owner:a', 'owner:b'];
    const models = ledger.start();
    await ledger.append(entered('a', 'type'), entered('a'), entered('b', 'apply'), entered('c'));
    await ledger.caughtUp(models);
    expect(partitionsOf(models)).toEqual([unknown, broken]);
    await ledger.stopAll();
    const again = ledger.start();
    await ledger.caughtUp(again);
    await ledger.settled(again);
    expect(partitionsOf(again)).toEqual([unknown, broken]);
    await ledger.stopAll();
    ledger.mended = true;
    const newer = ledger.start();
    await until(async () => (await ledger.groups(newer)).length === 0); // the rebuild tries all partitions again
    await ledger.caughtUp(newer);
    await ledger.expectClean();
  });

  it('do not hold up writers, and are reported only to writers of the partition', async () => {
    const models = ledger.start();
    await ledger.append(entered('a', 'apply'));
    const position = await ledger.append(entered('a'), entered('b'));
    expect(await models.applied('test.ledger', position, LONGEST_MS)).toBe(true);
    const [, ofA, ofB] = ledger.log;
    expect([ofA, ofB].map((event) => event && models.shows([event]))).toEqual([false, true]);
    expect(models.isDegraded).toBe(true);
    ledger.mended = true;
    await ledger.resumeAll(models);
    await until(() => ofA !== undefined && models.shows([ofA]));
    expect(models.isDegraded).toBe(false);
  });

  it('are not set aside by unreadable events of known types that the projection does not handle', async () => {
    const handled = ledger.projection();
    const { store } = ledger.lab;
    // The checkpoint is stored before the commit returns; only then does the process know the set-aside state.
    let mayReturn = Promise.resolve();
    const slow = overStore(store, {
      committing: async (commit) => {
        await commit();
        await mayReturn;
      },
    });
    const ofHandled = { ...handled, handles: new Set([...handled.handles].filter((type) => type !== 'Joined')) };
    const models = ledger.start({ store: slow }, ofHandled);
    const afterJoined = async (failing: Failing) => {
      let goOn = (): void => undefined;
      mayReturn = new Promise((resolve) => {
        goOn = resolve;
      });
      const position = await ledger.append({ type: 'Joined', data: { owner: 'a', club: 'c', failing } }, entered('a'));
      const known = models.applied(LEDGER, position, LONGEST_MS).then((isApplied) => isApplied && partitionsOf(models)); // at that moment
      await until(async () => ((await store.standing(LEDGER))?.checkpoint ?? 0n) >= position);
      await turns();
      goOn();
      return known;
    };
    expect(await afterJoined('decode')).toEqual([]);
    expect(await afterJoined('type')).toEqual(['owner:a']);
  });

  it('come back while others continue', async () => {
    const models = ledger.start();
    await ledger.append(entered('a', 'apply'), ...many('a', 700), ...many('b', 700));
    await ledger.caughtUp(models);
    ledger.mended = true;
    const resumed = ledger.resumeAll(models);
    do {
      const position = await ledger.append(entered('b'), entered('a'));
      expect(await models.applied('test.ledger', position, LONGEST_MS)).toBe(true);
    } while (!models.setAside(LEDGER).isEmpty);
    await resumed;
    await ledger.caughtUp(models);
    await ledger.expectClean();
  });

  it('lose nothing and count nothing twice when commits fail before or after they were written', async () => {
    let calls = 0;
    const { store } = ledger.lab;
    const failing = overStore(store, {
      committing: async (commit) => {
        calls += 1;
        if (calls % 3 === 1) throw new ReadStoreUnavailable('lost before');
        await commit();
        if (calls % 3 === 2) throw new ReadStoreUnavailable('lost after');
      },
    });
    // The lease of a rebuild that cannot be released expires soon.
    const models = ledger.start({ store: failing, timing: SHORT_TIMING, ...ledger.inBatchesOf(3) });
    await ledger.append(entered('a'), entered('a', 'encode'), ...many('a', 20), ...many('b', 20), entered('b', 'apply'), ...many('b', 3));
    await ledger.caughtUp(models);
    await ledger.expectConsistent(models);
    await ledger.resumeAll(models);
    await ledger.expectConsistent(models);
    const [first] = await ledger.groups(models);
    if (first) await ledger.skip(first);
    ledger.mended = true;
    await ledger.resumeAll(models);
    await until(() => models.setAside(LEDGER).isEmpty);
    await ledger.expectClean();
  });

  it('are set aside at an event whose documents the store refuses, and at no other', async () => {
    const { store } = ledger.lab;
    const refuses = (changes: readonly Change[]): boolean =>
      changes.some((change) => change.kind === 'put' && change.key.startsWith('bad'));
    const picky = overStore(store, {
      committing: async (commit, _namespace, changes) => {
        if (!ledger.mended && refuses(changes)) throw new TypeError('it cannot be sealed');
        await commit();
      },
    });
    const models = ledger.start({ store: picky });
    await ledger.append(...many('a', 5), entered('bad'), ...many('b', 5), entered('bad'), entered('c'));
    await ledger.caughtUp(models);
    expect(await ledger.groups(models)).toMatchObject([{ id: 'owner:bad', waiting: 2, failure: { message: 'it cannot be sealed' } }]);
    await ledger.expectConsistent(models);
    await ledger.resumeAll(models); // its build sets them aside again
    await ledger.expectConsistent(models);
    expect(await ledger.groups(models)).toMatchObject([{ id: 'owner:bad', waiting: 2, failure: { message: 'it cannot be sealed' } }]);
    ledger.mended = true;
    await ledger.resumeAll(models);
    await until(() => models.setAside(LEDGER).isEmpty);
    await ledger.expectClean();
  });

  it('leave out all events that fail for the same reason, in one rebuild', async () => {
    const models = ledger.start();
    await ledger.append(entered('a'), entered('a', 'apply'), entered('a', 'apply'), entered('b', 'apply'), entered('a'));
    await ledger.append(entered('a', 'encode'), entered('a', 'apply'), entered('a'));
    await ledger.caughtUp(models);
    const [first] = await ledger.groups(models);
    if (!first) throw new Error('nothing is set aside');
    await ledger.skipAlike(models, first);
    expect(await ledger.groups(models)).toMatchObject([
      { id: 'owner:a', waiting: 3, failure: { position: ledger.log[5]?.position } },
      { id: 'owner:b', waiting: 1 },
    ]);
    await ledger.expectConsistent(models);
    await ledger.resumeAll(models); // what is skipped stays so
    await ledger.expectConsistent(models);
  });

  it('are tried again by a start that finds rows of release 1.0.0', async () => {
    const { store } = ledger.lab;
    await ledger.append(entered('a', 'apply'), entered('a'), entered('b'));
    await ledger.caughtUp(ledger.start());
    await ledger.stopAll();
    const served = await store.served(LEDGER);
    if (!served) throw new Error('nothing is served');
    const row = JSON.parse(String(await store.documents(served).get('$set-aside', 'owner:a')));
    const { waiting: _, ...earlier } = { ...row, asked: '1' };
    const { checkpoint } = await store.progress(served);
    const put: Change = { kind: 'put', collection: '$set-aside', key: 'owner:a', value: JSON.stringify(earlier) };
    const changes = [put, { ...put, collection: '$waiting', value: '2' }];
    await store.commit(served, changes, checkpoint, checkpoint, undefined, 'of 1.0.0');
    const again = ledger.start();
    await until(async () => (await ledger.groups(again)).some(({ isEarlier }) => !isEarlier));
    await ledger.caughtUp(again);
    await ledger.expectConsistent(again);
    expect(partitionsOf(again)).toEqual(['owner:a']);
    ledger.mended = true;
    await ledger.resumeAll(again);
    await ledger.expectClean();
  });

  ofSeveralWriters(kind)('are known to every process, and any one brings them back', async () => {
    const elsewhere = await ledger.lab.openStore();
    const [one, other] = [ledger.start({ timing: SHORT_TIMING }), ledger.start({ timing: SHORT_TIMING, store: elsewhere })];
    await ledger.append(entered('a', 'apply'), entered('a'), entered('b'));
    await Promise.all([one, other].map((models) => ledger.caughtUp(models)));
    await until(() => [one, other].every((models) => partitionsOf(models).length === 1));
    const position = await ledger.append(entered('a'), entered('b'));
    expect(await Promise.all([one, other].map((models) => models.applied('test.ledger', position, LONGEST_MS)))).toEqual([true, true]);
    const last = ledger.log.at(-2);
    expect([one, other].map((models) => last && models.shows([last]))).toEqual([false, false]);
    ledger.mended = true;
    await ledger.resumeAll(other);
    await until(() => [one, other].every((models) => models.setAside(LEDGER).isEmpty));
    await ledger.append(entered('a'), entered('b'));
    await Promise.all([one, other].map((models) => ledger.caughtUp(models)));
    await ledger.expectClean();
  });

  it('are not set aside by a new version of the projection that can apply the event; a version that cannot sets them aside only beside what is served', async () => {
    const older = ledger.start();
    await ledger.append(entered('a', 'apply'), entered('a'), entered('b'));
    await ledger.caughtUp(older);
    await ledger.stopAll();
    const same = ledger.start({}, ledger.projection({ version: 2 }));
    await until(async () => (await ledger.lab.store.served(LEDGER))?.version === 2);
    await ledger.caughtUp(same);
    await ledger.expectConsistent(same);
    expect(partitionsOf(same)).toEqual(['owner:a']);
    await ledger.stopAll();
    ledger.mended = true;
    const newer = ledger.start({}, ledger.projection({ version: 3 }));
    await until(async () => (await ledger.lab.store.served(LEDGER))?.version === 3);
    await ledger.caughtUp(newer);
    await until(() => newer.setAside(LEDGER).isEmpty);
    await ledger.expectClean();
  });
});
