import { setTimeout as pause } from 'node:timers/promises';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { RESOURCES_PROJECTION, resourceCollections, resourceKey } from '#projections/messaging/resources/resource-documents.js';
import type { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** What is waited for: a message of the topic behind the offset `beyond`, as long as the subscription is there to get it. */
export type Awaited = Readonly<{ topicId: string; subscription: Readonly<{ projectId: string; subscriptionId: string }>; beyond: number }>;

type Waiter = Awaited & Readonly<{ done: () => void }>;
/** Those who wait for a topic, and how many messages it had when it was looked at last. */
type Watched = { readonly waiters: Set<Waiter>; messages: number };

/** Milliseconds between two looks, however many publish; and between two at whether subscriptions are still there. */
const BETWEEN_LOOKS = 5;
const BETWEEN_CHECKS = 250;
/** After a look, so many times as long as it took: many who wait must not keep the process busy. */
const REST = 4;
/** Documents that are looked up at once. */
const TOGETHER = 256;

/**
 * Lets consumers wait for messages, whichever node they are published to: they are woken, in slices, when the counters of the topic show enough of
 * them. Waiting costs nothing as long as nobody publishes; then one lookup for all topics that somebody waits for.
 */
export class TopicWatch {
  private readonly topics = new Map<string, Watched>();
  /** Those whose topic has not been looked at since they came. */
  private fresh: Waiter[] = [];
  private readonly stopListening: readonly (() => void)[];
  private looking = false;
  private published = false;
  private changed = false;
  private checkedAt = 0;
  private closed = false;

  constructor(
    private readonly store: ReadStore,
    private readonly offsets: OffsetQueries,
  ) {
    this.stopListening = [
      offsets.onCommit(() => {
        this.published = true;
        this.look();
      }),
      store.onCommit(RESOURCES_PROJECTION, () => {
        this.changed = true;
        this.look();
      }),
    ];
  }

  /** Resolves when the message is there or cannot come any more, after so many milliseconds, on the signal, or when the server ends. */
  until(awaited: Awaited, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.closed || signal.aborted || milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.forget(waiter);
        resolve();
      };
      const waiter: Waiter = { ...awaited, done };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done, { once: true });
      const watched = this.topics.get(waiter.topicId) ?? { waiters: new Set(), messages: 0 };
      this.topics.set(waiter.topicId, watched);
      watched.waiters.add(waiter);
      this.fresh.push(waiter); // it may be there already
      this.look();
    });
  }

  /** Nobody waits any longer, now and later. Called by Nest when the server ends, before it waits for requests under way. */
  onModuleDestroy(): void {
    this.closed = true;
    for (const stop of this.stopListening) stop();
    for (const { waiters } of [...this.topics.values()]) for (const { done } of [...waiters]) done();
  }

  private forget(waiter: Waiter): void {
    const watched = this.topics.get(waiter.topicId);
    watched?.waiters.delete(waiter);
    if (watched?.waiters.size === 0) this.topics.delete(waiter.topicId);
  }

  private look(): void {
    if (this.looking || this.topics.size === 0) return;
    this.looking = true;
    void this.lookWhileNews();
  }

  /** A store that fails wakes nobody: they look for themselves when their time is over. */
  private async lookWhileNews(): Promise<void> {
    while ((this.published || this.changed || this.fresh.length > 0) && this.topics.size > 0) {
      const start = performance.now();
      await this.lookOnce(start).catch(() => {});
      await pause(Math.max(BETWEEN_LOOKS, REST * (performance.now() - start)));
    }
    this.looking = false;
  }

  private async lookOnce(now: number): Promise<void> {
    const slice = new TimeSlice();
    const { fresh, published } = this;
    this.fresh = [];
    this.published = false;
    const topicIds = published ? [...this.topics.keys()] : [...new Set(fresh.map(({ topicId }) => topicId))];
    for (const some of inGroups(topicIds)) await this.wakeOf(some, slice);
    await this.wakeIf(fresh, ({ topicId, beyond }) => (this.topics.get(topicId)?.messages ?? 0) > beyond, slice);
    if (!this.changed || now - this.checkedAt < BETWEEN_CHECKS) return;
    this.changed = false;
    this.checkedAt = now;
    await this.wakeForsaken(slice);
  }

  /** Wakes those who wait for messages of these topics that are there now. */
  private async wakeOf(topicIds: readonly string[], slice: TimeSlice): Promise<void> {
    const found = await this.offsets.nextOffsets(topicIds);
    for (const [index, topicId] of topicIds.entries()) {
      const watched = this.topics.get(topicId);
      const messages = found[index] ?? Number.POSITIVE_INFINITY; // the topic is gone: nothing will come
      if (!watched || watched.messages === messages) continue;
      watched.messages = messages;
      await this.wakeIf(watched.waiters, ({ beyond }) => messages > beyond, slice);
    }
    if (slice.isOver) await slice.next();
  }

  /** Wakes those whose subscription is not there any more. */
  private async wakeForsaken(slice: TimeSlice): Promise<void> {
    const bySubscription = new Map<string, Waiter[]>();
    for (const { waiters } of this.topics.values()) {
      for (const waiter of waiters) {
        const key = resourceKey(waiter.subscription.projectId, waiter.subscription.subscriptionId);
        const others = bySubscription.get(key);
        if (others) others.push(waiter);
        else bySubscription.set(key, [waiter]);
      }
    }
    const view = this.store.view(RESOURCES_PROJECTION);
    for (const keys of inGroups([...bySubscription.keys()])) {
      const found = await view.getMany(resourceCollections.subscriptionsById, keys);
      for (const [index, key] of keys.entries()) if (!found[index]) await this.wakeIf(bySubscription.get(key) ?? [], () => true, slice);
      if (slice.isOver) await slice.next();
    }
  }

  /** One after the other: what each does at once counts as work of the slice. */
  private async wakeIf(waiters: Iterable<Waiter>, isDue: (waiter: Waiter) => boolean, slice: TimeSlice): Promise<void> {
    for (const waiter of waiters) {
      if (!isDue(waiter)) continue;
      waiter.done();
      await Promise.resolve();
      if (slice.isOver) await slice.next();
    }
  }
}

const inGroups = (keys: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / TOGETHER) }, (_, index) => keys.slice(index * TOGETHER, (index + 1) * TOGETHER));
