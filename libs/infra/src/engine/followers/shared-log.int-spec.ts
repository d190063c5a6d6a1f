import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { until } from '#test/support/eventually.js';
import { newTallyEvent } from '#test/support/projections/tally-projection.js';
import { type Following, followLog } from './follow-log.js';
import { PAGE_EVENTS, SharedLog } from './shared-log.js';

/** Interrupts on request, and counts its reads and open subscriptions. */
class WatchedLog extends DelegatingEventStore {
  readonly listeners = new Set<() => void>();
  pages = 0;
  subscriptions = 0;

  override onInterruption(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  override readAll(...given: Parameters<EventStore['readAll']>) {
    this.pages += 1;
    return super.readAll(...given);
  }

  override async *subscribeAll(...given: Parameters<EventStore['subscribeAll']>): AsyncGenerator<EventBatch> {
    this.subscriptions += 1;
    try {
      for await (const batch of super.subscribeAll(...given)) {
        this.pages += 1;
        yield batch;
      }
    } finally {
      this.subscriptions -= 1;
    }
  }
}

describe('a log that followers share', () => {
  let directory: string;
  let watched: WatchedLog;
  let log: SharedLog;
  let started: Following[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logbook-shared-log-'));
    watched = new WatchedLog(openEmbeddedEventStore({ path: join(directory, 'log') }));
    log = new SharedLog(watched);
  });
  afterEach(async () => {
    await Promise.all(started.map((one) => one.stop()));
    started = [];
    await watched.close();
    await rm(directory, { recursive: true });
  });

  const append = async (count: number): Promise<Position> => {
    const events = Array.from({ length: count }, () => newTallyEvent({ type: 'Counted', data: { name: 'a', by: 1 } }));
    return (await log.append('test.tally-1', events, 'any')).position;
  };

  /** Follows from a position, and keeps the events taken. `take` may fail or wait. */
  const follow = (after: Position, take: () => Promise<void> | void = () => undefined) => {
    const taken: RecordedEvent[] = [];
    const seen = { taken, begun: 0, failures: 0, caughtUp: false };
    const following = followLog({
      events: log,
      subscription: { maxBatch: PAGE_EVENTS },
      pauseMs: () => 1,
      begin: async () => {
        seen.begun += 1;
        return {
          after: taken.at(-1)?.position ?? after,
          take: async ({ events, caughtUp }) => {
            await take();
            taken.push(...events);
            seen.caughtUp = caughtUp;
          },
        };
      },
      trouble: () => {
        seen.failures += 1;
      },
    });
    started.push(following);
    return seen;
  };

  const allTaken = ({ taken }: { taken: readonly RecordedEvent[] }, count: number) => until(async () => taken.length === count);
  const positionsOf = ({ taken }: { taken: readonly RecordedEvent[] }) => taken.map(({ position }) => Number(position));
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it('is read once for all who are at its head, and each has every event once', async () => {
    const seen = [follow(0n), follow(0n), follow(0n)];
    await until(async () => seen.every(({ caughtUp }) => caughtUp));
    const before = watched.pages;
    for (let count = 1; count <= 5; count++) {
      await append(2);
      for (const one of seen) await allTaken(one, 2 * count);
    }
    for (const one of seen) expect(positionsOf(one)).toEqual(numbers(10));
    expect(watched.pages - before).toBe(5);
    expect(seen[1]?.taken[3]).toBe(seen[0]?.taken[3]);
  });

  it('is followed from a position of its own by each, and tells all when they are at its head', async () => {
    await append(2_500);
    const seen = [follow(0n), follow(1_200n), follow(2_500n)];
    await until(async () => seen.every(({ caughtUp }) => caughtUp));
    await append(1);
    await allTaken(seen[2] as never, 1);
    for (const [index, after] of [0, 1_200, 2_500].entries()) {
      await allTaken(seen[index] as never, 2_501 - after);
      expect(positionsOf(seen[index] as never)).toEqual(numbers(2_501).slice(after));
    }
  });

  it('is read in larger pages by one that is behind and takes more at a time', async () => {
    await append(2_500);
    const ending = new AbortController();
    const sizes: number[] = [];
    for await (const { events, caughtUp } of log.subscribeAll({ after: 0n, maxBatch: 2_000, signal: ending.signal })) {
      sizes.push(events.length);
      if (caughtUp) ending.abort();
    }
    expect(sizes).toEqual([2_000, 500]);
  });

  it('keeps no subscription after the last one has left', async () => {
    const { signal } = new AbortController();
    for await (const { caughtUp } of log.subscribeAll({ after: await append(1), maxBatch: PAGE_EVENTS, signal })) {
      expect([caughtUp, watched.subscriptions]).toEqual([true, 1]);
      break;
    }
    await until(() => watched.subscriptions === 0);
  });

  it('does not wait for one that stands still, which loses nothing', async () => {
    let goOn = (): void => undefined;
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow = follow(0n, () => mayGoOn);
    const quick = follow(0n);
    for (let count = 1; count <= 8; count++) {
      await append(2);
      await allTaken(quick, 2 * count);
    }
    expect(slow.taken).toEqual([]);
    goOn();
    await allTaken(slow, 16);
    expect(positionsOf(slow)).toEqual(numbers(16));
  });

  it('goes on for the others when one fails, which takes up again where it stopped', async () => {
    let isFailing = true;
    const failing = follow(0n, () => {
      if (isFailing) throw new Error('no room');
    });
    const other = follow(0n);
    await append(3);
    await allTaken(other, 3);
    await until(async () => failing.failures > 2);
    expect(other.failures).toBe(0);
    isFailing = false;
    await allTaken(failing, 3);
    await append(2);
    await allTaken(failing, 5);
    expect(positionsOf(failing)).toEqual(numbers(5));
  });

  it('is compared again by all when it may have been replaced, and read anew', async () => {
    const seen = [follow(0n), follow(0n)];
    await until(async () => seen.every(({ caughtUp }) => caughtUp));
    await append(1);
    for (const one of seen) await allTaken(one, 1);
    for (const interrupted of [...watched.listeners]) interrupted();
    await until(async () => seen.every(({ begun }) => begun === 2));
    await append(1);
    for (const one of seen) await allTaken(one, 2);
    expect(seen.map(({ failures }) => failures)).toEqual([0, 0]);
  });
});
