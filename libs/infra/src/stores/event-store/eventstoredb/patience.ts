/** Time in milliseconds that a call is retried during an outage: long enough for one attempt. */
const IN_OUTAGE_MS = 1_000;

/**
 * Decides how long calls are retried. The first calls of an outage are retried for a while. Later ones give up soon, so that callers queued
 * behind others are answered in time, too. In a long outage one call now and then is retried as long as the first ones: a server that has become
 * slower would not be reached again otherwise. All times are milliseconds on the monotonic clock, because the wall clock may be set meanwhile.
 */
export class Patience {
  private failingSince: number | undefined;
  /** End of the newest long call of this outage. */
  private longUntil = 0;

  constructor(private readonly retryMs: number) {}

  succeeded(): void {
    this.failingSince = undefined;
    this.longUntil = 0;
  }

  /** @param since start of the failed attempt, on the monotonic clock */
  failed(since: number): void {
    this.failingSince ??= since;
  }

  /** Time until which a call that begins now is retried, on the monotonic clock. */
  until(): number {
    const now = performance.now();
    if (this.failingSince === undefined) return now + this.retryMs;
    if (now > Math.max(this.failingSince + this.retryMs, this.longUntil) + this.retryMs) {
      this.longUntil = now + this.retryMs;
      return this.longUntil;
    }
    return Math.max(now + Math.min(IN_OUTAGE_MS, this.retryMs), this.failingSince + this.retryMs);
  }

  /** Time to wait for one answer: `ms`, but during an outage no longer than `until`. */
  waitFor(ms: number, until: number): number {
    return this.failingSince === undefined ? ms : Math.min(ms, Math.max(IN_OUTAGE_MS, until - performance.now()));
  }

  /** Whether a call that is retried until `until` may replace a silent connection, rather than leave it to a longer call. */
  mayReplace(until: number): boolean {
    return until >= this.longUntil || performance.now() > this.longUntil;
  }
}
