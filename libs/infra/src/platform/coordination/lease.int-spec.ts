import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { directAccess, Lease, LeaseLost, parseHolder, seemsAlive } from './lease.js';

type Holder = Readonly<{ node: string; released: boolean }>;
const KEY = { name: 'test.lease', collection: 'lease', key: 'holder' } as const;
/** For those who wait until a holder is silent. */
const SILENCE_MS = 400;

describe('a lease', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let store: ReadStore;
  let abort: AbortController;

  beforeEach(async () => {
    directory = temporaryDirectory();
    store = await openDocumentStore({ path: directory.path });
    abort = new AbortController();
  });
  afterEach(async () => {
    abort.abort();
    await store.close();
    directory.remove();
  });

  const acquire = (
    node: string,
    onHeld: (held: Holder | null, hasBeaten: boolean) => void = () => undefined,
    silenceMs = LONGEST_MS,
  ): Promise<Lease<Holder>> =>
    Lease.acquire<Holder>(directAccess(store), KEY, () => ({ holder: { node, released: false } }), {
      isFree: ({ released }) => released,
      onHeld,
      silenceMs,
      pollMs: 20,
      signal: abort.signal,
    });
  const holder = async (): Promise<Holder | null> => parseHolder<Holder>(await store.view(KEY.name).get(KEY.collection, KEY.key));

  it('goes to exactly one of those who want it at once', async () => {
    const winners: string[] = [];
    for (const node of ['one', 'two', 'three'])
      void acquire(node, (_held, hasBeaten) => {
        if (!hasBeaten) throw new Error('held');
      }).then(
        () => winners.push(node),
        () => undefined,
      );
    await until(async () => winners.length > 0);
    expect(winners).toEqual([(await holder())?.node]);
  });

  it('stays with a holder that beats for longer than the silence, and tells the others so', async () => {
    const pass = stopClock();
    const first = await acquire('one');
    const seen: boolean[] = [];
    let second: Lease<Holder> | undefined;
    const onHeld = (held: Holder | null, hasBeaten: boolean) => {
      expect(held?.node).toBe('one');
      seen.push(hasBeaten);
    };
    const waiting = acquire('two', onHeld, SILENCE_MS).then((lease) => {
      second = lease;
    });
    await until(() => seen.length > 0);
    for (let beat = 0; beat < 5; beat++) {
      pass(SILENCE_MS / 2);
      await first.beat({ node: 'one', released: false });
      const looks = seen.length;
      await until(() => seen.length > looks + 1); // the one under way may have begun before the beat
    }
    expect(second).toBeUndefined();
    expect(new Set(seen)).toEqual(new Set([false, true]));
    pass(SILENCE_MS);
    await waiting;
  });

  it('is taken from a silent holder, whose next beat then fails with LeaseLost', async () => {
    const first = await acquire('one');
    await acquire('two', undefined, SILENCE_MS);
    await expect(first.beat({ node: 'one', released: false })).rejects.toBeInstanceOf(LeaseLost);
    expect(await holder()).toEqual({ node: 'two', released: false });
  });

  it('goes to the next one at once when it is given back, however seldom that looks', async () => {
    const first = await acquire('one');
    const looks: (Holder | null)[] = [];
    const waiting = Lease.acquire<Holder>(directAccess(store), KEY, () => ({ holder: { node: 'two', released: false } }), {
      isFree: ({ released }) => released,
      onHeld: (held) => looks.push(held),
      silenceMs: 1_000_000,
      pollMs: 1_000_000,
      signal: abort.signal,
    });
    await until(async () => looks.length > 0);
    await first.beat({ node: 'one', released: false });
    await first.release({ node: 'one', released: true });
    await waiting;
    expect(await holder()).toEqual({ node: 'two', released: false });
  });

  it('is taken without a wait once its holder has given it back, by its last words or by deleting itself', async () => {
    for (const last of [{ node: 'one', released: true }, undefined]) {
      const lease = await acquire('one');
      await lease.release(last);
      expect(await holder()).toEqual(last ?? null);
      const onHeld = (): void => {
        throw new Error('it was not given back');
      };
      await (await acquire('two', onHeld)).release();
    }
  });

  it('cannot be given back by a holder that has lost it', async () => {
    const first = await acquire('one');
    await acquire('two', undefined, SILENCE_MS);
    await first.release();
    expect(await holder()).toEqual({ node: 'two', released: false });
  });

  it('stores further changes in the step of a beat', async () => {
    const lease = await acquire('one');
    await lease.beat({ node: 'one', released: false }, [{ kind: 'put', collection: 'other', key: 'k', value: 'v' }]);
    expect((await store.view(KEY.name).get('other', 'k'))?.toString()).toBe('v');
  });

  it('is waited for until the signal', async () => {
    await acquire('one');
    const waiting = acquire('two', () => abort.abort());
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the holder of a lease', () => {
  it.each([
    ['has just beaten', 1_000, true],
    ['has beaten less than the silence ago', 501, true],
    ['has beaten by a clock that is a little ahead', 1_499, true],
    ['has not beaten for the silence', 500, false],
    ['has beaten by a clock that is far ahead', 1_500, false],
  ])('seems to be alive when it %s (at %i of 1,000 ms, silence 500 ms): %s', (_what, beatAt, alive) => {
    expect(seemsAlive({ beatAt }, 500, 1_000)).toBe(alive);
  });
});
