import type { EventStore } from '#domain/shared/event-store.js';
import { Alarm, LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry, type RetryTiming } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';

/** Nobody knows that the log answers again before the next attempt: short pauses, in milliseconds. An attempt costs one small read. */
const ATTEMPTS: RetryTiming = { firstRetryMs: 20, longestRetryMs: 250 };

/**
 * Finds out when the log answers again after its reads were interrupted, once for all read models of a process: whatever answers may be another log, so
 * none of them may be shown from then on before it was examined.
 */
export class LogWatch {
  private readonly abort = new AbortController();
  private readonly listeners = new Set<() => void>();
  private readonly waiting = new Set<Alarm>();
  private isAway = false;
  private count = 0;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly events: Pick<EventStore, 'end' | 'onInterruption'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** How often reads of the log have been interrupted. */
  get interruptions(): number {
    return this.count;
  }

  start(): void {
    this.stopListening ??= this.events.onInterruption(() => this.interrupted(), 'reads');
  }

  stop(): void {
    this.stopListening?.();
    this.abort.abort();
  }

  /** Calls `listener` when the log answers again, before anybody who waits for `answers` goes on. Returns how to stop. */
  onReturn(listener: () => void): () => void {
    const added = (): void => listener();
    this.listeners.add(added);
    return () => this.listeners.delete(added);
  }

  /** Resolves when the log has answered since the last interruption. @throws the reason of the signal */
  async answers(signal: AbortSignal): Promise<void> {
    while (this.isAway) {
      const alarm = new Alarm();
      this.waiting.add(alarm);
      try {
        await alarm.pause(LONGEST_TIMER_MS, signal);
      } finally {
        this.waiting.delete(alarm);
      }
    }
  }

  private interrupted(): void {
    this.count += 1;
    if (this.isAway) return;
    this.isAway = true;
    void this.untilItAnswers();
  }

  private async untilItAnswers(): Promise<void> {
    const retry = new OutageRetry(ATTEMPTS, this.abort.signal, (error, attempt) => {
      if (isLogged(attempt)) this.log.warn({ attempt, err: error }, 'read models wait for the log');
    });
    try {
      await retry.retryUntilAvailable(() => this.events.end());
    } catch {
      return; // the process ends
    }
    this.isAway = false;
    for (const listener of [...this.listeners]) listener();
    for (const { ring } of [...this.waiting]) ring();
  }
}
