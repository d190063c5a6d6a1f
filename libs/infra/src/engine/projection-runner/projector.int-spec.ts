import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LOG_STREAM } from '#domain/operations/log-events.js';
import { type EventBatch, type EventStore, EventStoreUnavailable, type SubscribeOptions } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { NeededStreams } from '#projections/shared/projection.js';
import { until } from '#test/support/eventually.js';
import { openRunnerLab, overEvents, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { decodeTally, type TallyEvent } from '#test/support/projections/tally-projection.js';
import type { MailboxMember } from './mailbox.js';
import { Projector } from './projector.js';

const counted = (count: number): TallyEvent[] => Array.from({ length: count }, () => ({ type: 'Counted', data: { name: 'a', by: 1 } }));
const CATEGORIES = ['test.one', 'test.two'] as const;
const STREAMS = CATEGORIES.map((category) => `${category}-1`);

/** Records the batches it gets. `blocked`: a take waits for this promise. */
class Noting implements MailboxMember {
  processed: Position = 0n;
  readonly seen: bigint[] = [];
  batches = 0;
  blocked: Promise<void> = Promise.resolve();
  failure: Error | undefined;
  needed: NeededStreams | undefined;
  isFilling = false;

  constructor(
    readonly categories: readonly string[],
    private readonly projector: Projector,
  ) {}

  async take({ events, position }: EventBatch): Promise<void> {
    this.batches += 1;
    await this.blocked;
    if (this.failure) throw this.failure;
    const fresh = events.filter((event) => event.position > this.processed && event.stream !== LOG_STREAM);
    await this.projector.decode(fresh);
    this.seen.push(...fresh.map((event) => event.position));
    if (position > this.processed) this.processed = position;
  }

  pass(position: Position): boolean {
    this.processed = position;
    return true;
  }

  async rest(): Promise<void> {}
}

describe('the loop over the log', () => {
  let lab: RunnerLab;
  let projector: Projector;
  let newProjector: (neededMs?: number) => Projector;
  const ending: AbortController[] = [];
  const following: Promise<unknown>[] = [];
  let [subscriptions, decoded] = [0, 0];
  const after: Position[] = [];
  let readStream: EventStore['readStream'];
  beforeEach(async () => {
    lab = await openRunnerLab('embedded');
    [subscriptions, decoded] = [0, 0];
    after.length = 0;
    readStream = (...read) => lab.events.readStream(...read);
    const subscribeAll = (options: SubscribeOptions) => {
      subscriptions += 1;
      after.push(options.after);
      options.signal.addEventListener('abort', () => (subscriptions -= 1), { once: true });
      return lab.events.subscribeAll(options);
    };
    const decode: typeof decodeTally = (events) => {
      decoded += events.length;
      return decodeTally(events);
    };
    newProjector = (neededMs) =>
      new Projector(
        overEvents(lab.events, { subscribeAll, readStream: (...read) => readStream(...read) }),
        decode,
        [{ categories: CATEGORIES }],
        60_000,
        neededMs,
      );
    projector = newProjector();
  });
  afterEach(async () => {
    for (const each of ending.splice(0)) each.abort();
    await Promise.allSettled(following.splice(0));
    await lab.dispose();
  });

  const follow = (
    categories: readonly string[] = CATEGORIES,
    set: (member: Noting) => void = () => undefined,
  ): Readonly<{ member: Noting; followed: Promise<void> }> => {
    const member = new Noting(categories, projector);
    set(member);
    const signal = new AbortController();
    ending.push(signal);
    const followed = projector.follow(member, signal.signal);
    following.push(followed.catch(() => undefined));
    return { member, followed };
  };
  const append = (count: number, category: string = CATEGORIES[0]) => lab.append(counted(count), `${category}-1`);
  const level = (members: readonly Noting[], position: Position) => until(() => members.every(({ processed }) => processed >= position));

  it('has one subscription, wakes those whose events come, and decodes each event once', async () => {
    const [both, one, two] = [follow().member, follow(['test.one']).member, follow(['test.two']).member];
    const first = await append(3);
    await level([both, one, two], first);
    await until(() => subscriptions === 1);
    const before = [both.batches, one.batches, two.batches, decoded];
    const position = await append(1);
    await level([both, one, two], position);
    expect([both.batches, one.batches, two.batches, decoded].map((now, index) => now - (before[index] ?? 0))).toEqual([1, 1, 0, 1]);
    expect([both.seen, one.seen, two.seen].map(({ length }) => length)).toEqual([4, 4, 0]);
  });

  it('hands over each event once and in order to members that join while events are appended', async () => {
    const members: Noting[] = [];
    let last = 0n;
    for (let round = 0; round < 60; round++) {
      const appended = append(1 + (round % 7), CATEGORIES[round % 2]);
      if (round % 3 === 0) members.push(follow().member);
      if (round % 5 === 0) last = await appended;
    }
    last = await append(1);
    await level(members, last);
    const { events } = await lab.events.readAll({ categories: CATEGORIES, limit: 1_000 });
    for (const { seen } of members) expect(seen).toEqual(events.map(({ position }) => position));
  });

  it('does not wait for a member that stands still, which loses nothing', async () => {
    const [{ member: still }, { member: going }] = [follow(), follow()];
    await level([still, going], await append(1));
    let release = (): void => undefined;
    still.blocked = new Promise((resolve) => {
      release = resolve;
    });
    let last = 0n;
    for (let round = 0; round < 7; round++) last = await append(1_000);
    await level([going], last);
    expect([still.seen.length, going.seen.length]).toEqual([1, 7_001]);
    release();
    await level([still], last);
    expect(still.seen).toEqual(going.seen);
  });

  /** A needed member that stands still, and others: one that was at work before it came, and one that comes after it. */
  const overtaken = async () => {
    const position = await append(2_000);
    const releases: (() => void)[] = [];
    const blocked = (): Promise<void> =>
      new Promise((resolve) => {
        releases.push(resolve);
      });
    const { member: early } = follow(CATEGORIES, (member) => Object.assign(member, { blocked: blocked() }));
    await until(() => early.batches === 1);
    const { member: needed } = follow(CATEGORIES, (member) =>
      Object.assign(member, { blocked: blocked(), needed: { fixed: STREAMS }, isFilling: true }),
    );
    await until(() => needed.batches === 1);
    const { member: late } = follow();
    releases[0]?.();
    return { position, needed, others: [early, late], release: () => releases[1]?.() };
  };

  it('lets needed members catch up before the others', async () => {
    projector = newProjector(600_000);
    const { position, needed, others, release } = await overtaken();
    await until(() => (others[0]?.processed ?? 0n) > 0n);
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    expect(others.map(({ batches }) => batches)).toEqual([1, 0]);
    release();
    await level([needed, ...others], position);
    for (const { seen } of others) expect(seen).toEqual(needed.seen);
  });

  /** Streams that name each other: `test.one-1` the second, which is found by an event. */
  const named: NeededStreams = { fixed: ['test.one-1'], namedBy: ({ stream }) => (stream === 'test.one-1' ? 'test.two-1' : undefined) };

  const mixed = async (): Promise<Position> => {
    let position = 0n;
    for (let round = 0; round < 30; round++) position = await append(1 + round, ['test.one', 'test.other', 'test.two'][round % 3]);
    return position;
  };

  it('fills a needed member from its streams: the log is read only after the end that it had then', async () => {
    const position = await mixed();
    const { member: other } = follow();
    await level([other], position);
    after.length = 0;
    const { member } = follow(CATEGORIES, (one) => Object.assign(one, { needed: named, isFilling: true }));
    await level([member], position);
    expect(member.seen).toEqual(other.seen);
    expect(after).toEqual([position]);
    const next = await append(2);
    await level([member, other], next);
    expect(member.seen).toEqual(other.seen);
  });

  it('reads the streams of a needed member that most of the log is behind, and searches the log for one that is nearer to the end', async () => {
    const position = await mixed();
    for (const [processed, from] of [
      [position / 2n - 1n, position],
      [position / 2n + 1n, position / 2n + 1n],
    ] as const) {
      after.length = 0;
      const { member } = follow(CATEGORIES, (one) => Object.assign(one, { needed: named, processed }));
      await level([member], position);
      const { events } = await lab.events.readAll({ after: processed, categories: CATEGORIES, limit: 5_000 });
      expect(member.seen).toEqual(events.map((event) => event.position));
      expect(after[0]).toBe(from);
    }
  });

  it('goes on from its streams after a filling that was interrupted', async () => {
    await append(700);
    const position = await mixed();
    const { member, followed } = follow(CATEGORIES, (one) => {
      const take = one.take.bind(one);
      const failing = async (batch: EventBatch) => (one.batches < 1 ? take(batch) : Promise.reject(new Error('interrupted')));
      Object.assign(one, { needed: named, isFilling: true, take: failing });
    });
    await expect(followed).rejects.toThrow('interrupted');
    expect(member.seen).toHaveLength(500);
    after.length = 0;
    const { member: next } = follow(CATEGORIES, (one) => {
      Object.assign(one, { needed: named, isFilling: true, processed: member.processed });
    });
    await level([next], position);
    const { events } = await lab.events.readAll({ categories: CATEGORIES, limit: 5_000 });
    expect([...member.seen, ...next.seen]).toEqual(events.map((event) => event.position));
    expect(after[0]).toBe(position);
  });

  it('fills it by a search of the log where a stream hides its first events, which the log may have', async () => {
    const position = await mixed();
    await lab.events.truncate('test.two-1', 1n);
    const { member } = follow(CATEGORIES, (one) => Object.assign(one, { needed: named, isFilling: true }));
    await level([member], position);
    expect(after[0]).toBe(0n);
  });

  it('fills it by a search of the log where its streams cannot be read', async () => {
    const position = await mixed();
    readStream = () => Promise.reject(new EventStoreUnavailable('away'));
    const { member } = follow(CATEGORIES, (one) => Object.assign(one, { needed: named, isFilling: true }));
    await level([member], position);
    expect(member.seen).toHaveLength([...Array(30).keys()].filter((round) => round % 3 !== 1).reduce((sum, round) => sum + 1 + round, 0));
    expect(after[0]).toBe(0n);
  });

  it('fills it by a search where the events of its streams are large, of which a few are read at a time', async () => {
    const large = Array.from({ length: 20 }, (): TallyEvent => ({ type: 'Counted', data: { name: 'a'.repeat(2 ** 20), by: 1 } }));
    let position = 0n;
    for (const event of large) position = await lab.append([event], 'test.one-1');
    const lengths: number[] = [];
    readStream = async (...read) => {
      const page = await lab.events.readStream(...read);
      lengths.push(page.length);
      return page;
    };
    const { member } = follow(CATEGORIES, (one) => Object.assign(one, { needed: named, isFilling: true }));
    await level([member], position);
    expect([member.seen.length, after[0], Math.max(...lengths)]).toEqual([20, 0n, 1]);
  });

  it('does not wait for a needed member that stands still', async () => {
    projector = newProjector(0);
    const { position, needed, others, release } = await overtaken();
    await level(others, position);
    expect(needed.processed).toBe(0n);
    release();
    await level([needed], position);
  });

  it('throws the failure of a member to whoever follows with it; the others go on', async () => {
    const [{ member: failing, followed }, { member: going }] = [follow(), follow()];
    await level([failing, going], await append(1));
    failing.failure = new Error('this one');
    const position = await append(1);
    await expect(followed).rejects.toThrow('this one');
    await level([going], position);
  });

  it('tells all when the log is closed', async () => {
    const [one, other] = [follow(), follow()];
    await level([one.member, other.member], await append(1));
    await until(() => subscriptions === 1);
    await lab.events.close();
    for (const { followed } of [one, other]) await expect(followed).rejects.toThrow(EventStoreUnavailable);
  });
});
