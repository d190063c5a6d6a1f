import type { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { Leases } from '#domain/messaging/deliveries/leases.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import type { SubscriptionServer } from './delivery-gateway.js';

/** Subscription that is served here, with room for more messages. */
type ServedHere = Readonly<{ by: SubscriptionServer; leases: Leases; room: number; ended: AbortSignal }>;

/**
 * Reason to wake a waiter: a message came back or is not blocked any more; one was published; or something else happened, after which there
 * may be no more messages.
 */
export type WakeReason = 'ready' | 'published' | 'over';

/**
 * Callers that wait for messages of one subscription. Only one of them is woken at a time; after its look it wakes the next. So no change
 * of a message costs a look by every waiter.
 */
export class AwaitedMessages {
  private readonly waiters = new Waiters<WakeReason>();
  /** Ends the watch for published messages, which runs while somebody waits and there is room. */
  private watch: AbortController | undefined;
  /** Next offset of the topic, as far as it is known. */
  private head = 0;
  /** Offset of the last look into the log because of `head`. If the look found nothing, the topic is looked up again. */
  private lookedAt = -1;

  constructor(
    private readonly served: ServedHere,
    private readonly arrivals: Pick<MessageArrivals, 'wait'>,
  ) {}

  get count(): number {
    return this.waiters.size;
  }

  /** Resolves when there may be a message; with `undefined` after the timeout or on the signal. A woken caller has to look. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<WakeReason | undefined> {
    const woken = this.waiters.wait(timeoutMs, signal);
    this.offer();
    const reason = await woken;
    if (reason === undefined) this.offer(); // perhaps no waiter is left
    return reason;
  }

  /** Wakes one waiter if there is something for it. To be called after every change and after every look. */
  offer(): void {
    const { leases, room, ended } = this.served;
    if (this.waiters.size === 0) this.unwatch();
    else if (ended.aborted) this.end();
    else if (leases.isReady(performance.now())) this.waiters.wakeOne('ready');
    else if (room > 0 && !this.wakeForKnown()) this.watch ??= this.begin();
  }

  /** Wakes all waiters for good. */
  end(): void {
    this.unwatch();
    this.waiters.wakeAll('over');
  }

  /** Wakes one waiter if the next message is known to be there: it need not look up the topic. */
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
