import { setTimeout as pause } from 'node:timers/promises';
import { COUNTERS_PROJECTION, counterCollections, type TopicCounters } from '#projections/messaging/counter-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';

type Waiter = Readonly<{ topicId: string; beyond: number; done: () => void }>;

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

  /** Resolves when the topic has a message behind the offset `beyond`, after so many milliseconds, on the signal, or when the server ends. */
  until(topicId: string, beyond: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.closed || signal.aborted || milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiting.delete(waiter);
        resolve();
      };
      const waiter: Waiter = { topicId, beyond, done };
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
    const topicIds = [...new Set([...this.waiting].map(({ topicId }) => topicId))];
    const found = await this.store.view(COUNTERS_PROJECTION).getMany(counterCollections.topics, topicIds);
    const counts = new Map(topicIds.map((id, index) => [id, messagesIn(found[index])]));
    for (const { topicId, beyond, done } of [...this.waiting]) if ((counts.get(topicId) ?? 0) > beyond) done();
  }
}

const messagesIn = (bytes: Buffer | null | undefined): number =>
  bytes ? (JSON.parse(bytes.toString('utf8')) as TopicCounters).messages : 0;
