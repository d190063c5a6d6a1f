type Waiting = { readonly since: number; readonly expire: () => void };

/**
 * One time limit for many calls with a single timer: a timer per call would cost more than the call. A call may last up to a quarter longer
 * than the limit.
 */
export class TimeLimits {
  /** In the order of their start. */
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limitMs: number) {}

  /** Number of calls in progress. */
  get size(): number {
    return this.waiting.size;
  }

  /** Calls `expire` at the limit, unless the returned function was called before. */
  start(expire: () => void): () => void {
    const waiting: Waiting = { since: performance.now(), expire };
    this.waiting.add(waiting);
    // The timer does not keep the process alive: the connection does.
    this.timer ??= setInterval(() => this.look(), this.limitMs / 4).unref();
    return () => this.waiting.delete(waiting);
  }

  private look(): void {
    const limit = performance.now() - this.limitMs;
    for (const waiting of this.waiting) {
      if (waiting.since > limit) break;
      this.waiting.delete(waiting);
      waiting.expire();
    }
    if (this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
