type Waiting = { readonly since: number; readonly expire: () => void };

/**
 * One time limit for many calls with a single timer: a timer per call would cost more than the call. A call may last up to a quarter longer
 * than the limit. Time during which this process itself stood still does not count, because answers that came meanwhile are not read yet.
 */
export class TimeLimits {
  /** In the order of their start. */
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = 0;
  /** Milliseconds that do not count. */
  private stoodStill = 0;

  constructor(private readonly limitMs: number) {}

  /** Number of calls in progress. */
  get size(): number {
    return this.waiting.size;
  }

  /** Calls `expire` at the limit, unless the returned function was called before. */
  start(expire: () => void): () => void {
    if (!this.timer) {
      this.lookedAt = performance.now();
      // The timer does not keep the process alive: the connection does.
      this.timer = setInterval(() => this.look(), this.limitMs / 4).unref();
    }
    const waiting: Waiting = { since: performance.now() - this.stoodStill, expire };
    this.waiting.add(waiting);
    return () => this.waiting.delete(waiting);
  }

  private look(): void {
    const now = performance.now();
    const late = now - this.lookedAt - this.limitMs / 4;
    this.lookedAt = now;
    if (late > this.limitMs / 4) this.stoodStill += late;
    const limit = now - this.stoodStill - this.limitMs;
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
