import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { type Change, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { EMPTY } from '#test/support/event-stores/restorable-log.js';
import { cardIndex, cardSubject } from '#test/support/projections/card-index.js';
import { SnapshotLab, snapshotStores } from '#test/support/projections/snapshot-lab.js';

const MAIL = 'ada@example.org';
const COLLECTIONS = ['states', 'subjects', 'keys', 'uses'];

describe.each(snapshotStores)('snapshots of $log in $documents', (kinds) => {
  let lab: SnapshotLab;
  beforeEach(async () => {
    lab = await SnapshotLab.open(kinds);
  });
  afterEach(() => lab.close());

  /** A stream of about 650 events with a snapshot. */
  const given = async () => {
    const first = await lab.start();
    await first.send({ type: 'File', name: 'ada', mail: MAIL });
    await first.send({ type: 'File', name: 'bob', mail: 'bob@example.org' });
    await first.send({ type: 'Tear', name: 'bob' });
    for (let n = 0; n < 13; n += 1) await first.send({ type: 'Count', times: 50 }, `key ${n}`);
    await first.settled();
    await first.send({ type: 'Count', times: 5 });
    await first.processor.close();
    return first;
  };
  it('let a process that starts read only what came later', async () => {
    await given();
    const { ask, counting } = await lab.start();
    expect(await ask({ type: 'File', name: 'ada', mail: 'x' })).toBe('CARD_TAKEN');
    expect(counting.read).toBeLessThan(300);
    expect(counting.reads).toBe(2);
    expect(await ask({ type: 'Tear', name: 'bob' })).toBe('CARD_NOT_FOUND');
    expect(await ask({ type: 'Count', times: 1 })).toBe(1);
    expect(await lab.total()).toBe(656);
  });

  it('are not looked for where a stream is empty or short: its first command waits for one read', async () => {
    const first = await lab.start();
    expect([await first.ask({ type: 'File', name: 'ada', mail: MAIL }), first.counting.reads]).toEqual([1, 1]);
    const next = await lab.start();
    expect([await next.ask({ type: 'Tear', name: 'bob' }), next.counting.reads]).toEqual(['CARD_NOT_FOUND', 1]);
    expect([await next.ask({ type: 'Tear', name: 'ada' }), next.counting.reads]).toEqual([1, 1]);
  });

  it('are of no use to a decider of another version, which takes its own', async () => {
    await given();
    const decider = cardIndex({ version: 2 });
    const { ask, counting, settled, processor } = await lab.start({ decider });
    expect(await ask({ type: 'Count', times: 1 })).toBe(1);
    expect(counting.read).toBeGreaterThan(650);
    await settled();
    await processor.close();
    const next = await lab.start({ decider });
    expect(await next.ask({ type: 'Tear', name: 'bob' })).toBe('CARD_NOT_FOUND');
    expect(next.counting.read).toBeLessThan(300);
  });

  it('of another log, or of a future that was lost, are ignored', async () => {
    const empty = await lab.start();
    await empty.send({ type: 'Count', times: 120 });
    await empty.processor.close();
    const backup = await lab.log.backup();
    await given();
    await lab.log.restore(backup);
    const { ask, send, settled } = await lab.start();
    await send({ type: 'Count', times: 600 });
    expect(await ask({ type: 'File', name: 'ada', mail: MAIL })).toBe(1);
    await settled();
    await lab.log.restore(EMPTY);
    const other = await lab.start();
    for (const times of [700, 20]) await other.send({ type: 'Count', times });
    expect(await lab.total()).toBe(720);
    expect(await other.ask({ type: 'Tear', name: 'ada' })).toBe('CARD_NOT_FOUND');
  });

  it('that are damaged, exchanged or incomplete are ignored', async () => {
    await given();
    const [head, part] = await lab.documentsOf('states');
    if (!head || !part) throw new Error('there is no snapshot');
    const put = (key: string, value: string): Change => ({ kind: 'put', collection: 'states', key, value });
    const text = head.value.toString();
    const sealed = part.value.toString();
    const damages: readonly Change[] = [
      put(part.key, `${sealed.startsWith('x') ? 'y' : 'x'}${sealed.slice(1)}`),
      put(part.key, sealed.slice(0, -1)),
      put(head.key, text.replace(/"revision":"\d+"/, '"revision":"300"')),
      put(head.key, 'no JSON'),
      { kind: 'delete', collection: 'states', key: part.key },
    ];
    for (const damage of damages) {
      await lab.change(damage);
      const { ask, counting, processor } = await lab.start();
      expect(await ask({ type: 'File', name: 'ada', mail: 'x' })).toBe('CARD_TAKEN');
      expect(counting.read).toBeGreaterThan(650);
      await processor.close();
      await lab.change(put(head.key, text), put(part.key, sealed));
    }
  });

  it('hold nothing in the open that the log seals, and go when its subject is erased', async () => {
    const { keys } = await given();
    const texts = await Promise.all(COLLECTIONS.map((name) => lab.documentsOf(name)));
    expect(
      texts
        .flat()
        .map(({ value }) => value.toString())
        .join('\n'),
    ).not.toContain(MAIL);
    expect(await lab.documentsOf('subjects')).toHaveLength(1);
    await keys.destroy(cardSubject('bob')); // the state holds no card of his
    expect(await lab.documentsOf('states')).not.toHaveLength(0);
    await keys.destroy(cardSubject('ada'));
    expect([await lab.documentsOf('states'), await lab.documentsOf('subjects')]).toEqual([[], []]);
    const { send, settled } = await lab.start();
    expect((await send({ type: 'Copy', name: 'ada', as: 'copy' })).events).toMatchObject([{ data: { mail: 'erased' } }]);
    await settled();
    expect(await lab.documentsOf('states')).not.toHaveLength(0);
  });

  it('are not written with data of a subject that another process has erased meanwhile', async () => {
    const { ask, send, settled } = await lab.start();
    await send({ type: 'File', name: 'ada', mail: MAIL });
    const { keys } = await lab.start();
    await keys.destroy(cardSubject('ada'));
    await send({ type: 'Count', times: 150 });
    await settled();
    expect(await lab.documentsOf('subjects')).toEqual([]);
    expect(await lab.documentsOf('states')).not.toHaveLength(0);
    expect(await ask({ type: 'File', name: 'ada', mail: 'x' })).toBe('CARD_TAKEN');
  });

  it('of an erased subject that were being written just then are refused', async () => {
    let keys: SubjectKeys | undefined;
    const late = Object.assign(Object.create(lab.store) as ReadStore, {
      commit: async (...args: Parameters<ReadStore['commit']>) => {
        const destroying = keys;
        keys = undefined;
        await destroying?.destroy(cardSubject('ada'));
        return lab.store.commit(...args);
      },
    });
    const { send, settled } = await lab.start({ on: late });
    keys = (await lab.start()).keys;
    await send({ type: 'File', name: 'ada', mail: MAIL });
    await send({ type: 'Count', times: 150 });
    await settled();
    expect(keys).toBeUndefined();
    expect(await lab.documentsOf('subjects')).toEqual([]);
  });

  it('of an erased subject go, too, if they are written while it is erased', async () => {
    let arrived = () => {};
    let letGo = () => {};
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const on = (commit: ReadStore['commit']): ReadStore => Object.assign(Object.create(lab.store) as ReadStore, { commit });
    const writer = await lab.start({
      on: on(async (...args) => {
        arrived();
        await isLetGo;
        return lab.store.commit(...args);
      }),
    });
    const { keys } = await lab.start({
      on: on(async (...args) => {
        letGo();
        await writer.settled();
        return lab.store.commit(...args);
      }),
    });
    await writer.send({ type: 'File', name: 'ada', mail: MAIL });
    await writer.send({ type: 'Count', times: 150 });
    await hasArrived;
    await keys.destroy(cardSubject('ada'));
    expect(await lab.documentsOf('subjects')).toEqual([]);
  });

  it('are removed again if a node of 1.0.0, which changes the token alone, has erased something meanwhile', async () => {
    const first = await lab.start();
    await first.send({ type: 'Count', times: 150 });
    await first.settled();
    expect(await lab.documentsOf('states')).not.toHaveLength(0);
    let isErased = false;
    const late = Object.assign(Object.create(lab.store) as ReadStore, {
      commit: async (...args: Parameters<ReadStore['commit']>) => {
        const [namespace, , from] = args;
        if (!isErased) await lab.store.commit(namespace, [], from, from, undefined, 'of 1.0.0');
        isErased = true;
        return lab.store.commit(...args);
      },
    });
    const { send, settled } = await lab.start({ on: late });
    await send({ type: 'Count', times: 150 });
    await settled();
    expect([isErased, await lab.documentsOf('states')]).toEqual([true, []]);
  });

  it('may be lost, and neither they nor the store that keeps them trouble a command', async () => {
    const down = Object.assign(Object.create(lab.store) as ReadStore, {
      served: () => Promise.reject(new ReadStoreUnavailable('down')),
      view: () => {
        throw new ReadStoreUnavailable('down');
      },
    });
    await given();
    for (const on of [down, lab.store]) {
      if (on === lab.store)
        await lab.change(
          { kind: 'delete-prefix', collection: 'states', prefix: '' },
          { kind: 'delete-prefix', collection: 'keys', prefix: '' },
        );
      const { ask, snapshots, settled, processor } = await lab.start({ on });
      expect(await ask({ type: 'Count', times: 3 }, 'key 3')).toBe('repeated');
      expect(await ask({ type: 'Count', times: 150 })).toBe(150);
      await settled();
      expect(snapshots.metrics).toMatchObject(on === down ? { written: 0 } : { failed: 0 });
      await processor.close();
    }
    const { ask, counting } = await lab.start();
    expect(await ask({ type: 'Tear', name: 'bob' })).toBe('CARD_NOT_FOUND');
    expect(counting.read).toBeLessThan(300);
  });

  /** It counts as eleven values. */
  const longName = (n: number): string => `card ${n} `.padEnd(640, 'x');

  it('of a state of some thousand values are written as it is, without reading the log', async () => {
    const { send, settled, processor, counting } = await lab.start();
    await Promise.all(Array.from({ length: 1_200 }, (_, n) => send({ type: 'File', name: longName(n), mail: null })));
    await settled();
    await send({ type: 'Count', times: 1_500 });
    await settled();
    await processor.close();
    expect(counting.read).toBe(0);
    const { ask, counting: after } = await lab.start();
    expect(await ask({ type: 'File', name: longName(1_199), mail: null })).toBe('CARD_TAKEN');
    expect(after.read).toBeLessThan(300);
  });

  it('of a state that is large are read from the log once more, while commands go on', async () => {
    const { send, settled, processor } = await lab.start();
    const name = longName;
    for (let n = 0; n < 8; n += 1)
      await Promise.all(Array.from({ length: 250 }, (_, m) => send({ type: 'File', name: name(n * 250 + m), mail: null })));
    await settled();
    await send({ type: 'Count', times: 600 });
    const settling = settled();
    await Promise.all(Array.from({ length: 20 }, (_, n) => send({ type: 'Tear', name: name(n) })));
    await settling;
    await processor.close();
    const { ask, counting } = await lab.start();
    expect(await ask({ type: 'Tear', name: name(19) })).toBe('CARD_NOT_FOUND');
    expect(await ask({ type: 'Tear', name: name(20) })).toBe(1);
    expect(counting.read).toBeLessThan(1_500);
  });
});
