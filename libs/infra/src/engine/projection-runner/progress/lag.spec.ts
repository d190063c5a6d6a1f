import { describe, expect, it } from '@jest/globals';
import { type EventBatch, type EventStore, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { turns } from '#test/support/turns.js';
import { type Behind, LagLook, LevelLook } from './lag.js';

const by = (events: number): Behind => ({ head: 9n, lag: { events, seconds: 1 } });

it('makes one look of simultaneous ones while the documents are not level with the log', async () => {
  const look = new LagLook();
  let looks = 0;
  const answers: ((found: Behind) => void)[] = [];
  const ask = () =>
    look.behind(1n, () => {
      looks += 1;
      return new Promise((resolve) => {
        answers.push(resolve);
      });
    });
  const first = [ask(), ask()];
  expect(looks).toBe(1);
  answers[0]?.(by(3));
  expect(await Promise.all(first)).toEqual([by(3), by(3)]);
  const next = ask();
  expect(looks).toBe(2);
  answers[1]?.(by(1));
  expect(await next).toEqual(by(1));
});

it('does not look again soon at documents that are far behind', async () => {
  const look = new LagLook();
  const found = await look.behind(1n, async () => by(1_000));
  expect(await look.behind(1n, async () => by(2))).toBe(found);
});

it('looks again once the documents are beyond the head that was found: a position is at most the head', async () => {
  const look = new LagLook();
  await look.behind(1n, async () => by(1_000));
  const later = { head: 12n, lag: { events: 2, seconds: 1 } };
  let looks = 0;
  const again = async (): Promise<Behind> => {
    looks += 1;
    return later;
  };
  expect(await Promise.all([look.behind(10n, again), look.behind(10n, again)])).toEqual([later, later]);
  expect(looks).toBe(1);
});

it('looks again after a failure', async () => {
  const look = new LagLook();
  await expect(look.behind(1n, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await look.behind(1n, async () => by(2))).toEqual(by(2));
});

/** A log whose reads are answered one by one. */
const slowLog = () => {
  const log: RecordedEvent[] = [];
  const reads: { after: bigint; answer: () => void; fail: () => void }[] = [];
  const readAll: EventStore['readAll'] = ({ after = 0n, categories, limit }) =>
    new Promise<EventBatch>((resolve, reject) => {
      const wanted = () => log.filter(({ position, stream }) => position > after && categories?.includes(stream.split('-')[0] ?? ''));
      const answer = (): void => {
        const events = wanted().slice(0, limit);
        const caughtUp = events.length === wanted().length;
        resolve({ events, caughtUp, position: caughtUp ? BigInt(log.length) : (events.at(-1)?.position ?? after) });
      };
      reads.push({ after, answer, fail: () => reject(new EventStoreUnavailable('away')) });
    });
  const listeners: (() => void)[] = [];
  const onInterruption = (listener: () => void) => listeners.push(listener);
  const events = { readAll, end: async () => BigInt(log.length), head: async () => 0n, onInterruption } as unknown as EventStore;
  const append = (stream: string): void => {
    log.push({ stream, position: BigInt(log.length + 1), recordedAt: 1_000 * (log.length + 1) } as RecordedEvent);
  };
  const interrupt = (): void => {
    for (const listener of listeners) listener();
  };
  return { events, reads, append, interrupt };
};

const shown = { checkpoint: 0n, last: 0n };
const documents = (category: string, position: bigint) => ({
  name: category,
  categories: [category],
  position,
  shown,
  again: async () => position,
});

describe('Documents that were level', () => {
  it('are looked at together, by one read that begins after the calls', async () => {
    const { events, reads, append } = slowLog();
    const look = new LevelLook(events, () => 10_000);
    for (const stream of ['a-1', 'b-1', 'a-2', 'c-1']) append(stream);
    const first = look.behind(documents('a', 1n));
    const later = [look.behind(documents('a', 3n)), look.behind(documents('b', 1n)), look.behind(documents('a', 1n))];
    expect(reads.length).toBe(1);
    reads[0]?.answer();
    expect(await first).toEqual({ head: 3n, lag: { events: 1, seconds: 7 } });
    append('b-2');
    await turns();
    expect(reads.length).toBe(2);
    reads[1]?.answer();
    expect(await Promise.all(later)).toEqual([
      { head: 3n, lag: { events: 0, seconds: 0 } },
      { head: 5n, lag: { events: 2, seconds: 8 } },
      { head: 3n, lag: { events: 1, seconds: 7 } },
    ]);
    await turns();
    expect(reads.length).toBe(2);
  });

  it('are not behind by what is applied meanwhile', async () => {
    const { events, reads, append } = slowLog();
    append('a-1');
    const behind = new LevelLook(events, () => 0).behind({ ...documents('a', 0n), again: async () => 1n });
    reads[0]?.answer();
    expect(await behind).toEqual({ head: 1n, lag: { events: 0, seconds: 0 } });
  });

  it('read on by themselves behind many events of others', async () => {
    const { events, reads, append } = slowLog();
    const look = new LevelLook(events, () => 10_000_000);
    void look.behind(documents('x', 0n));
    for (let count = 0; count < 1_200; count++) append('a-1');
    append('b-1');
    const both = [look.behind(documents('a', 0n)), look.behind(documents('b', 0n))];
    for (let next = 0; next < 4; next++) {
      reads[next]?.answer();
      await turns();
    }
    expect(reads.map(({ after }) => after)).toEqual([0n, 0n, 1_000n]);
    expect(await Promise.all(both)).toEqual([
      { head: 1_201n, lag: { events: 1_000, seconds: 9_999 } },
      { head: 1_201n, lag: { events: 1, seconds: 8_799 } },
    ]);
  });

  it('are looked at from where the last look found nothing, unless they have moved or another log may answer', async () => {
    const { events, reads, append, interrupt } = slowLog();
    const look = new LevelLook(events, () => 10_000);
    const behind = (position: bigint) => {
      const answer = look.behind(documents('a', position));
      reads.at(-1)?.answer();
      return answer;
    };
    for (const stream of ['a-1', 'b-1', 'b-2']) append(stream);
    expect(await behind(1n)).toEqual({ head: 1n, lag: { events: 0, seconds: 0 } });
    await turns();
    append('a-2');
    expect(await behind(1n)).toEqual({ head: 4n, lag: { events: 1, seconds: 6 } });
    await turns();
    await behind(2n);
    await turns();
    interrupt();
    await behind(1n);
    expect(reads.map(({ after }) => after)).toEqual([0n, 3n, 0n, 0n]);
  });

  it('are looked at again after a failure', async () => {
    const { events, reads } = slowLog();
    const look = new LevelLook(events, () => 0);
    const asked = [look.behind(documents('a', 0n)), look.behind(documents('b', 0n))];
    reads[0]?.answer();
    await turns();
    reads[1]?.fail();
    await expect(asked[1]).rejects.toThrow(EventStoreUnavailable);
    const next = look.behind(documents('b', 0n));
    reads[2]?.answer();
    expect(await next).toEqual({ head: 0n, lag: { events: 0, seconds: 0 } });
  });
});
