import { setTimeout as pause } from 'node:timers/promises';
import { COUNTERS_PROJECTION, counterCollections as collections, type TopicCounters } from '#projections/messaging/counter-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** What is waited for: a message of the topic behind the offset `beyond`, as long as the subscription with this key is there to get it. */
export type Awaited = Readonly<{ topicId: string; subscription: string; beyond: number }>;

type Waiter = Awaited & Readonly<{ done: () => void }>;

/** Looks at the counters at most this often, however many publish: milliseconds. */
const BETWEEN_LOOKS = 5;

/**
 * Lets consumers wait for messages, whichever node they are published to: they are woken when the counters of the topic show enough of them.
 * Waiting costs nothing as long as nobody publishes; then one lookup for all topics that somebody waits for.
 */
export class TopicWatch {
  private readonly waiting = new Set<Waiter>();
  private readonly stopListening: () => void;
  private looking = false;
  private news = false;
  private closed = false;

  constructor(private readonly store: ReadStore) {
    this.stopListening = store.onCommit(COUNTERS_PROJECTION, () => this.look());
  }

  /** Resolves when the message is there or cannot come any more, after so many milliseconds, on the signal, or when the server ends. */
  until(awaited: Awaited, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.closed || signal.aborted || milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiting.delete(waiter);
        resolve();
      };
      const waiter: Waiter = { ...awaited, done };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done, { once: true });
      this.waiting.add(waiter);
      this.look(); // it may be there already
    });
  }

  /** Nobody waits any longer, now and later. Called by Nest when the server ends, before it waits for requests under way. */
  onModuleDestroy(): void {
    this.closed = true;
    this.stopListening();
    for (const { done } of [...this.waiting]) done();
  }

  private look(): void {
    this.news = true;
    if (this.looking || this.waiting.size === 0) return;
    this.looking = true;
    void this.lookWhileNews();
  }

  /** A store that fails wakes nobody: they look for themselves when their time is over. */
  private async lookWhileNews(): Promise<void> {
    while (this.news && this.waiting.size > 0) {
      this.news = false;
      await this.wake().catch(() => {});
      await pause(BETWEEN_LOOKS);
    }
    this.looking = false;
  }

  private async wake(): Promise<void> {
    const view = this.store.view(COUNTERS_PROJECTION);
    const topicIds = [...new Set([...this.waiting].map(({ topicId }) => topicId))];
    const waiters = [...this.waiting];
    const [topics, subscriptions] = await Promise.all([
      view.getMany(collections.topics, topicIds),
      view.getMany(
        collections.subscriptions,
        waiters.map(({ subscription }) => subscription),
      ),
    ]);
    const counts = new Map(topicIds.map((id, index) => [id, messagesIn(topics[index])]));
    for (const [index, { topicId, beyond, done }] of waiters.entries())
      if (!subscriptions[index] || (counts.get(topicId) ?? 0) > beyond) done();
  }
}

/** More than any offset where the topic is gone: nothing will come. */
const messagesIn = (bytes: Buffer | null | undefined): number => {
  const topic = bytes ? (JSON.parse(bytes.toString('utf8')) as TopicCounters) : undefined;
  return topic && !topic.deleted ? topic.messages : Number.POSITIVE_INFINITY;
};
