import type { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { Leases } from '#domain/messaging/deliveries/leases.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import type { Server } from './delivery-gateway.js';

/** What is waited for: messages of a subscription that is served here. */
type ServedHere = Readonly<{ by: Server; leases: Leases; room: number; ended: AbortSignal }>;

/**
 * Why one that waited should look: a message came back or is not blocked any more, one was published, or something else happened, after which none may come
 * at all.
 */
export type Wake = 'ready' | 'published' | 'over';

/**
 * Those who wait for messages of one subscription. However many there are, one of them is woken for what there is, and sees to the next when it has looked:
 * nothing that becomes of a message costs a look of everybody.
 */
export class AwaitedMessages {
  private readonly waiters = new Waiters<Wake>();
  /** Of the look whether messages were published; there is one as long as somebody waits and there is room. */
  private watch: AbortController | undefined;
  /** The next offset of the topic, as far as is known. */
  private head = 0;
  /** Where the log was looked at last because of that: if nothing came up there, the topic is looked up again. */
  private lookedAt = -1;

  constructor(
    private readonly served: ServedHere,
    private readonly arrivals: Pick<MessageArrivals, 'wait'>,
  ) {}

  /** How many wait. */
  get count(): number {
    return this.waiters.size;
  }

  /** Resolves when there may be a message, and with nothing after so many milliseconds or on the signal. Whoever is woken has to look. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<Wake | undefined> {
    const woken = this.waiters.wait(timeoutMs, signal);
    this.offer();
    const reason = await woken;
    if (reason === undefined) this.offer(); // nobody may be left to watch for
    return reason;
  }

  /** Wakes one of those who wait if there is something for it. To be called after every change and after every look. */
  offer(): void {
    const { leases, room, ended } = this.served;
    if (this.waiters.size === 0) this.unwatch();
    else if (ended.aborted) this.end();
    else if (leases.isReady(performance.now())) this.waiters.wakeOne('ready');
    else if (room > 0 && !this.wakeForKnown()) this.watch ??= this.begin();
  }

  /** Nobody is to wait any longer. */
  end(): void {
    this.unwatch();
    this.waiters.wakeAll('over');
  }

  /** Wakes one who waits if the next message is known to be there: it needs no look at the topic. */
  private wakeForKnown(): boolean {
    const { next } = this.served.leases;
    if (this.head <= next || this.lookedAt === next) return false;
    this.lookedAt = next;
    this.waiters.wakeOne('published');
    return true;
  }

  private begin(): AbortController | undefined {
    const { by, leases } = this.served;
    const { topicId } = by.subscription;
    if (topicId === null) return undefined;
    const watch = new AbortController();
    const awaited = { topicId, subscription: by.subscription, after: leases.next };
    void this.arrivals.wait(awaited, LONGEST_TIMER_MS, watch.signal).then((head) => {
      if (this.watch !== watch) return;
      this.watch = undefined;
      if (head === undefined) return this.waiters.wakeAll('over');
      this.head = head;
      this.lookedAt = awaited.after;
      this.waiters.wakeOne('published');
    });
    return watch;
  }

  private unwatch(): void {
    this.watch?.abort();
    this.watch = undefined;
  }
}
