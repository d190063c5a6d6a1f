/** How long a call is tried while an outage lasts, in milliseconds: long enough for one attempt. */
const IN_OUTAGE_MS = 1_000;

/**
 * How long calls are tried again. The first ones of an outage wait it out for a while; those that come later give up soon, so that callers who queue
 * behind others are answered in time too. All times are those of the monotonic clock, in milliseconds: the wall clock may be set meanwhile.
 */
export class Patience {
  private failingSince: number | undefined;

  constructor(private readonly retryMs: number) {}

  succeeded(): void {
    this.failingSince = undefined;
  }

  /** @param since when the attempt began that failed, on the monotonic clock */
  failed(since: number): void {
    this.failingSince ??= since;
  }

  /** Until when a call that begins now is tried, on the monotonic clock. */
  until(): number {
    const now = performance.now();
    if (this.failingSince === undefined) return now + this.retryMs;
    return Math.max(now + Math.min(IN_OUTAGE_MS, this.retryMs), this.failingSince + this.retryMs);
  }

  /** How long to wait for one answer: `ms`, but in an outage no longer than until then. */
  waitFor(ms: number, until: number): number {
    return this.failingSince === undefined ? ms : Math.min(ms, Math.max(IN_OUTAGE_MS, until - performance.now()));
  }
}
