import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import { type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { openRunnerLab, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { LeaseLost } from '../lease.js';
import { SeatBook } from './seat-book.js';
import { type Seat, Seats } from './seats.js';

const NAME = 'spec.seats';
/** For those who wait until another process is silent. */
const SILENCE_MS = 200;
const never = new AbortController().signal;

/** A store that a process cannot reach while `isAway`. `looks`: how often it has looked at the seats. */
class Reachable extends DelegatingReadStore {
  isAway = false;
  looks = 0;

  override checkpoint(...of: Parameters<ReadStore['checkpoint']>): ReturnType<ReadStore['checkpoint']> {
    this.looks += 1;
    return super.checkpoint(...of);
  }

  override commit(...commit: Parameters<ReadStore['commit']>): Promise<void> {
    return this.isAway ? Promise.reject(new ReadStoreUnavailable('away')) : super.commit(...commit);
  }
}

describe('seats on Redis', () => {
  let lab: RunnerLab;
  const nodes: Seats[] = [];
  beforeEach(async () => {
    lab = await openRunnerLab('redis');
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.close()));
    await lab.dispose();
  });

  const open = (node: string, store: ReadStore = lab.store, silenceMs = LONGEST_MS): Seats => {
    const seats = new Seats({
      store,
      name: NAME,
      node,
      log: { info: () => undefined, warn: () => undefined },
      now: Date.now,
      timing: { beatMs: 30, silenceMs, retryMs: 20 },
    });
    nodes.push(seats);
    return seats;
  };
  /** Who holds them, by the names of their nodes. */
  const holders = async (): Promise<Record<string, string>> => {
    const held = await SeatBook.holders(lab.store, NAME);
    return Object.fromEntries([...held].map(([seat, { node }]) => [seat, node]));
  };
  const beatsOf = async (name: string) =>
    [...(await SeatBook.holders(lab.store, NAME)).values()].find(({ node }) => node === name)?.beats ?? 0;
  const untilBeats = async (name: string, more: number): Promise<void> => {
    const before = await beatsOf(name);
    await until(async () => (await beatsOf(name)) >= before + more);
  };

  it('are taken at once when nobody has them, all of a process with one heart beat', async () => {
    const one = open('one');
    await Promise.all(['a', 'b', 'c'].map((seat) => one.take(seat, never)));
    await untilBeats('one', 3);
    expect([await holders(), (await new SeatBook(lab.store, NAME).read()).members.size]).toEqual([{ a: 'one', b: 'one', c: 'one' }, 1]);
  });

  it('stay with a process that beats, and go to another one at once when they are given back', async () => {
    const pass = stopClock();
    const store = new Reachable(await lab.openStore());
    const [one, two] = [open('one'), open('two', store, SILENCE_MS)];
    const seat = await one.take('a', never);
    await one.take('b', never);
    let taken: Seat | undefined;
    const waiting = two.take('a', never).then((given) => {
      taken = given;
    });
    await until(() => store.looks > 1);
    for (let silences = 0; silences < 2; silences += 0.5) {
      pass(SILENCE_MS / 2);
      await untilBeats('one', 1);
      const { looks } = store;
      await until(() => store.looks > looks + 1); // the one under way may have begun before the beat
    }
    expect(taken).toBeUndefined();
    seat.release();
    await waiting;
    expect(await holders()).toEqual({ a: 'two', b: 'one' });
    await one.close();
    await two.take('b', never);
    expect(await holders()).toEqual({ a: 'two', b: 'two' });
  });

  it('are taken from a process that shows no sign of life, which learns of it', async () => {
    const store = new Reachable(await lab.openStore());
    const [one, two] = [open('one', store), open('two', lab.store, SILENCE_MS)];
    const seat = await one.take('a', never);
    const other = await one.take('b', never);
    store.isAway = true;
    await two.take('a', never);
    store.isAway = false;
    await until(() => seat.lost.aborted);
    expect([seat.lost.reason, other.lost.aborted]).toEqual([expect.any(LeaseLost), false]);
    await untilBeats('one', 1);
    expect(await holders()).toEqual({ a: 'two', b: 'one' });
    const again = one.take('a', never);
    await two.close();
    await again;
    expect(await holders()).toEqual({ a: 'one', b: 'one' });
  });

  it('go to exactly one of those who want them at once', async () => {
    const taken: string[] = [];
    for (const node of ['one', 'two', 'three'])
      void open(node, await lab.openStore())
        .take('a', never)
        .then(() => taken.push(node));
    await until(() => taken.length > 0);
    await untilBeats(taken[0] ?? '', 5);
    expect(taken).toHaveLength(1);
  });

  it('can be given back and taken again by the same process, and are not kept by one that no longer wants them', async () => {
    const [one, two] = [open('one'), open('two')];
    for (let time = 0; time < 5; time++) (await one.take('a', never)).release();
    const kept = await one.take('a', never);
    const abort = new AbortController();
    const given = two.take('a', abort.signal);
    abort.abort();
    await expect(given).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    kept.release();
    await until(async () => Object.keys(await holders()).length === 0);
  });

  it('are taken again after the read store has lost everything', async () => {
    const one = open('one');
    const seat = await one.take('a', never);
    await lab.store.serve(await lab.store.prepare(NAME, 1), (await lab.store.served(NAME)) ?? undefined); // empty
    await until(() => seat.lost.aborted);
    await one.take('a', never);
    expect(await holders()).toEqual({ a: 'one' });
  });
});
