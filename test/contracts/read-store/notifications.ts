import { expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import { PROJECTION, put, serveDocuments, type UsedReadStore } from './fixture.js';

/** The positions a listener heard, and a promise of its hearing of one, with this token if one is given. */
const hear = (
  store: ReadStore,
  projection = PROJECTION,
): Readonly<{ positions: readonly Position[]; reached(position: Position, token?: string): Promise<void>; stop(): void }> => {
  const positions: Position[] = [];
  const tokens: string[] = [];
  const waiting = new Set<() => void>();
  const stop = store.onCommit(projection, (checkpoint, token) => {
    positions.push(checkpoint);
    tokens.push(token);
    for (const look of [...waiting]) look();
  });
  const reached = (position: Position, token?: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!positions.some((one, index) => one === position && (token ?? tokens[index]) === tokens[index])) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { positions, reached, stop };
};

export const notificationsContract = (harness: UsedReadStore): void => {
  it('notifies of commits and switches with their tokens, by this process and by another one', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const [heard, heardThere] = [hear(store), hear(other)];
    const told = (checkpoint: Position, token: string) =>
      Promise.all([heard.reached(checkpoint, token), heardThere.reached(checkpoint, token)]);
    const namespace = await serveDocuments(store, []);
    await told(1n, '');
    await store.commit(namespace, [], 1n, 1n, undefined, 'one');
    await told(1n, 'one');
    await other.commit(namespace, [], 1n, 2n);
    await told(2n, 'one');
    await other.commit(namespace, [], 2n, 3n, undefined, 'two');
    await told(3n, 'two');
    const next = await store.prepare(PROJECTION, 2);
    expect((await store.progress(next)).token).toBe('');
    await store.commit(next, [], 0n, 4n, undefined, 'next');
    await store.serve(next);
    await told(4n, 'next');
    await expect(store.progress(namespace)).rejects.toBeInstanceOf(NamespaceGone);
    await expect(store.commit(namespace, [], 3n, 3n, undefined, 'three')).rejects.toBeInstanceOf(NamespaceGone);
    expect(heard.positions).toEqual([...heard.positions].sort((one, other) => Number(one - other)));
    heard.stop();
    heardThere.stop();
  });

  it('has notified of its own commit when that resolves', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, []);
    const heard = hear(store);
    for (let position = 2n; position <= 20n; position++) {
      await store.commit(namespace, [], position - 1n, position);
      expect(heard.positions).toContain(position);
    }
    heard.stop();
  });

  it('has notified of the commit of another process when its checkpoint is read', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const namespace = await serveDocuments(other, []);
    const heard = hear(store);
    for (let position = 2n; position <= 20n; position++) {
      await other.commit(namespace, [], position - 1n, position);
      const shown = position % 2n === 0n ? await store.checkpoint(namespace) : (await store.progress(namespace)).checkpoint;
      expect([1n, ...heard.positions]).toContain(shown); // at first perhaps what was there before
    }
    heard.stop();
  });

  it('does not notify again of a checkpoint that is read again', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const namespace = await serveDocuments(store, []);
    const heard = hear(store);
    // The first may be notified of twice: found when listening began, and by its message.
    for (const position of [2n, 3n]) {
      await other.commit(namespace, [], position - 1n, position);
      await heard.reached(position);
    }
    for (let times = 0; times < 5; times++) await store.progress(namespace);
    await other.commit(namespace, [], 3n, 4n);
    await heard.reached(4n);
    // A connection that was made anew in between may find it once more, but not each read.
    expect(heard.positions.filter((position) => position === 3n).length).toBeLessThanOrEqual(2);
    heard.stop();
  });

  it('never loses the last of many commits, and what it notified of can be read', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const namespace = await serveDocuments(store, []);
    const unread: string[] = [];
    const reads: Promise<void>[] = [];
    const stop = other.onCommit(PROJECTION, (checkpoint) => {
      const read = async (): Promise<void> => {
        const [newest] = await other.view(PROJECTION).range('log', { reverse: true, limit: 1 });
        if (Number(newest?.key ?? 1) < Number(checkpoint)) unread.push(`${checkpoint}: ${newest?.key}`);
      };
      reads.push(read());
    });
    const heard = hear(other);
    const last = 300n;
    for (let position = 2n; position <= last; position++) {
      await store.commit(namespace, [put(String(position).padStart(5, '0'), 'x', 'log')], position - 1n, position);
    }
    await heard.reached(last);
    await Promise.all(reads);
    expect(unread).toEqual([]);
    stop();
    heard.stop();
  });

  it('does not notify of builds that are not served, of other projections, or after the listener stopped', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, []);
    const stopped = hear(store);
    const elsewhere = hear(store, 'elsewhere');
    const heard = hear(store);
    stopped.stop();
    stopped.stop();
    const building = await store.prepare(PROJECTION, 2);
    await store.commit(building, [put('a', '1')], 0n, 77n);
    await store.commit(namespace, [put('a', '1')], 1n, 2n);
    await heard.reached(2n);
    expect(stopped.positions).toEqual([]);
    expect(elsewhere.positions).toEqual([]);
    expect(heard.positions.filter((position) => position > 2n)).toEqual([]);
    elsewhere.stop();
    heard.stop();
  });
};
