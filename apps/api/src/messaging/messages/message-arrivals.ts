import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';

/**
 * A message of the topic after which its next offset is greater than `after`, as long as the subscription exists. `cursor`: offset of the
 * subscription's cursor, as it was seen: any other one ends the wait, too. Default: the cursor is not looked at.
 */
export type AwaitedMessage = Readonly<{ topicId: string; subscription: SubscriptionRef; after: number; cursor?: number }>;

type Waiter = AwaitedMessage & Readonly<{ wake: () => void }>;
/** Waiters for a topic, and its next offset at the last lookup. */
type WaitedTopic = { readonly waiters: Set<Waiter>; nextOffset: number };

/** Next offset of a topic that is deleted, or whose project is set aside: it wakes all its waiters. */
const GONE = Number.POSITIVE_INFINITY;
/**
 * Minimum time between two lookups of topics, however often messages are published, and pause after one, as a multiple of its duration: many
 * waiters must not keep the process busy.
 */
const LOOKUPS = { intervalMs: 5, pauseFactor: 4 };
const PATIENT_LOOKUPS = { intervalMs: 100, pauseFactor: 19 };
/** Minimum time between two lookups of subscriptions and cursors. */
const CHECK_INTERVAL_MS = 250;
/** Pause between two lookups in the log, while the counters are withheld, and after a failure of the store. */
const WITHHELD_INTERVAL_MS = 1_000;
/** Documents of one lookup. */
const LOOKUP_SIZE = 256;

/**
 * Lets pulls and other consumers wait for messages that are published to any node. Waiters are woken, in slices, when the counters of their
 * topic show the message. While nothing is published waiting costs nothing; then one lookup covers all topics with waiters, and another one,
 * now and then, the cursors. While the counters are withheld, the log is looked up once a second. What cannot be looked up is looked up later.
 */
@Injectable()
export class MessageArrivals {
  protected readonly lookups = LOOKUPS;
  private readonly topics = new Map<string, WaitedTopic>();
  /** Waiters whose topic has not been looked up since they arrived. */
  private fresh: Waiter[] = [];
  /** Waiters that a move of their cursor wakes, too. */
  private readonly withCursor = new Set<Waiter>();
  private readonly unsubscribe: readonly (() => void)[];
  private looking = false;
  private published = false;
  private changed = false;
  /** Some cursor may have moved. */
  private moved = false;
  /** The counters show the end of a topic that the resources still show: its waiters would find it there. */
  private isAhead = false;
  private checkedAt = 0;
  private closed = false;

  constructor(
    private readonly offsets: OffsetQueries,
    private readonly resources: ResourceQueries,
  ) {
    this.unsubscribe = [
      offsets.onCommit(() => {
        this.published = true;
        this.look();
      }),
      resources.onCommit(() => {
        this.changed = true;
        this.published ||= this.isAhead;
        this.look();
      }),
    ];
  }

  /**
   * Resolves when the message is there or cannot come any more, after the timeout, on the signal, or when the server ends. The result is
   * the next offset of the topic if the message is known to be there.
   */
  wait(awaited: AwaitedMessage, timeoutMs: number, signal: AbortSignal): Promise<number | undefined> {
    if (this.closed || signal.aborted || timeoutMs <= 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        const { nextOffset = 0 } = this.topics.get(waiter.topicId) ?? {};
        this.remove(waiter);
        resolve(nextOffset > waiter.after && nextOffset !== GONE ? nextOffset : undefined);
      };
      const waiter: Waiter = { ...awaited, wake };
      const timer = setTimeout(wake, timeoutMs);
      signal.addEventListener('abort', wake, { once: true });
      getOrInsert(this.topics, waiter.topicId, () => ({ waiters: new Set(), nextOffset: 0 })).waiters.add(waiter);
      this.fresh.push(waiter); // the message may be there already
      if (waiter.cursor !== undefined) {
        this.withCursor.add(waiter);
        this.moved = true; // likewise
      }
      this.look();
    });
  }

  /** Ends all waiting, now and later. Called by Nest when the server ends, before it waits for open requests. */
  onModuleDestroy(): void {
    this.closed = true;
    for (const stop of this.unsubscribe) stop();
    for (const { waiters } of [...this.topics.values()]) for (const { wake } of [...waiters]) wake();
  }

  private remove(waiter: Waiter): void {
    const topic = this.topics.get(waiter.topicId);
    topic?.waiters.delete(waiter);
    this.withCursor.delete(waiter);
    if (topic?.waiters.size === 0) this.topics.delete(waiter.topicId);
  }

  private look(): void {
    if (this.looking || this.topics.size === 0) return;
    this.looking = true;
    void this.lookWhileChanged();
  }

  private get isDue(): boolean {
    return this.published || this.changed || this.moved || this.fresh.length > 0 || this.offsets.isWithheld;
  }

  private async lookWhileChanged(): Promise<void> {
    const { offsets, lookups } = this;
    while (this.isDue && this.topics.size > 0) {
      const start = performance.now();
      const { isWithheld } = offsets;
      this.published ||= isWithheld;
      const isDone = await this.lookOnce(start);
      const shortest = isWithheld || !isDone ? WITHHELD_INTERVAL_MS : lookups.intervalMs;
      await pause(Math.max(shortest, lookups.pauseFactor * (performance.now() - start)), undefined, { ref: false });
      this.published ||= isWithheld; // no commit says that the counters are shown again
    }
    this.looking = false;
  }

  /** Resolves with `false` if the store failed. Then everything is looked up again, because some wait for no time. */
  private async lookOnce(now: number): Promise<boolean> {
    const slice = new TimeSlice();
    const { fresh, published } = this;
    this.fresh = [];
    this.published = false;
    try {
      await this.wakeForMessages(fresh, published, slice);
      if (now - this.checkedAt >= CHECK_INTERVAL_MS) await this.check(now, slice);
      return true;
    } catch {
      this.published = this.changed = this.moved = true;
      this.fresh = [...fresh, ...this.fresh].filter((waiter) => this.topics.get(waiter.topicId)?.waiters.has(waiter));
      return false;
    }
  }

  private async wakeForMessages(fresh: readonly Waiter[], published: boolean, slice: TimeSlice): Promise<void> {
    if (published) this.isAhead = false;
    this.moved ||= published && this.withCursor.size > 0;
    const topicIds = published ? [...this.topics.keys()] : [...new Set(fresh.map(({ topicId }) => topicId))];
    for (const some of inGroups(topicIds)) await this.wakeForTopics(some, slice);
    await this.wakeIf(fresh, ({ topicId, after }) => (this.topics.get(topicId)?.nextOffset ?? 0) > after, slice);
  }

  private async check(now: number, slice: TimeSlice): Promise<void> {
    if (this.changed || this.moved) this.checkedAt = now;
    if (this.changed) {
      this.changed = false;
      await this.wakeForDeleted(slice);
    }
    if (this.moved && !this.offsets.isWithheld) {
      this.moved = false;
      await this.wakeForMoved(slice);
    }
  }

  /** Wakes the waiters of these topics whose messages have arrived. */
  private async wakeForTopics(topicIds: readonly string[], slice: TimeSlice): Promise<void> {
    const found = await readAll(topicIds, (some) => this.offsets.nextOffsets(some), GONE);
    for (const [index, topicId] of topicIds.entries()) {
      const topic = this.topics.get(topicId);
      const nextOffset = found[index] ?? GONE;
      if (!topic || topic.nextOffset === nextOffset) continue;
      if (found[index] === undefined && (await this.isShown(topicId, topic))) continue;
      topic.nextOffset = nextOffset;
      await this.wakeIf(topic.waiters, ({ after }) => nextOffset > after, slice);
    }
    if (slice.isOver) await slice.next();
  }

  private async isShown(topicId: string, { waiters }: WaitedTopic): Promise<boolean> {
    this.isAhead = true; // first: the resources may change while they are read
    const [waiter] = waiters;
    if (!waiter) return false;
    const { projectId } = waiter.subscription;
    const [topic] = await readAll([topicId], async ([id = '']) => [await this.resources.topicById(projectId, id)], undefined);
    return topic !== undefined;
  }

  private bySubscription(): readonly (readonly Waiter[])[] {
    const groups = new Map<string, Waiter[]>();
    for (const { waiters } of this.topics.values()) {
      for (const waiter of waiters) {
        const { subscriptionId } = waiter.subscription;
        getOrInsert(groups, subscriptionId, () => []).push(waiter);
      }
    }
    return [...groups.values()];
  }

  /** Wakes the waiters whose subscription is deleted. */
  private async wakeForDeleted(slice: TimeSlice): Promise<void> {
    for (const some of inGroups(this.bySubscription())) {
      const subscriptions = some.flatMap(([waiter]) => waiter?.subscription ?? []);
      const exist = await readAll(subscriptions, (wanted) => this.resources.areThere(wanted), false);
      for (const [index, waiters] of some.entries()) if (!exist[index]) await this.wakeIf(waiters, () => true, slice);
      if (slice.isOver) await slice.next();
    }
  }

  /** Wakes the waiters whose cursor has moved since they saw it. */
  private async wakeForMoved(slice: TimeSlice): Promise<void> {
    for (const some of inGroups([...this.withCursor])) {
      const subscriptions = some.map(({ subscription }) => subscription);
      const found = await readAll<SubscriptionRef, Cursor | undefined>(subscriptions, (wanted) => this.offsets.cursors(wanted), undefined);
      const moved = some.filter(({ cursor }, index) => found[index]?.offset !== cursor);
      await this.wakeIf(moved, () => true, slice);
      if (slice.isOver) await slice.next();
    }
  }

  /** Runs one after the other, so that synchronous reactions of a waiter count as work of the slice. */
  private async wakeIf(waiters: Iterable<Waiter>, isDue: (waiter: Waiter) => boolean, slice: TimeSlice): Promise<void> {
    for (const waiter of waiters) {
      if (!isDue(waiter)) continue;
      waiter.wake();
      await Promise.resolve();
      if (slice.isOver) await slice.next();
    }
  }
}

/**
 * For consumers of which thousands wait for days, such as idle push workers: they have waited for longer than their lookups take, and must not make
 * pulls wait for these. While nothing else was published, a message wakes as soon as with {@link MessageArrivals}.
 */
@Injectable()
export class PatientArrivals extends MessageArrivals {
  protected override readonly lookups = PATIENT_LOOKUPS;
}

const inGroups = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / LOOKUP_SIZE) }, (_, index) => items.slice(index * LOOKUP_SIZE, (index + 1) * LOOKUP_SIZE));

/**
 * Reads in one call. `instead` stands for what belongs to a project that is set aside, which fails the calls that include it: its waiters are woken, and
 * their own reads say why.
 */
const readAll = async <Item, Result>(
  items: readonly Item[],
  read: (items: readonly Item[]) => Promise<readonly Result[]>,
  instead: Result,
): Promise<readonly Result[]> => {
  try {
    return await read(items);
  } catch (error) {
    if (!(error instanceof PartitionSetAside)) throw error;
    if (items.length === 1) return [instead];
    const middle = Math.ceil(items.length / 2);
    return [...(await readAll(items.slice(0, middle), read, instead)), ...(await readAll(items.slice(middle), read, instead))];
  }
};
