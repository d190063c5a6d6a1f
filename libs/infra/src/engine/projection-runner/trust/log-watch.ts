import type { EventStore } from '#domain/shared/event-store.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry, type RetryTiming } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';

/** Short pauses in milliseconds, because only an attempt shows that the log answers again. An attempt costs one small read. */
const ATTEMPTS: RetryTiming = { firstRetryMs: 20, longestRetryMs: 250 };

/**
 * Detects, once for all read models of a process, that the log answers again after an interruption: it may then be another log, so no read
 * model may be shown before it was checked.
 */
export class LogWatch {
  private readonly abort = new AbortController();
  private readonly listeners = new Set<() => void>();
  private readonly waiting = new Waiters<void>();
  private isAway = false;
  private count = 0;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly events: Pick<EventStore, 'end' | 'onInterruption'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Number of interruptions of log reads. */
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

  /** Calls `listener` when the log answers again, before calls waiting in `answers` continue. Returns a function that removes it. */
  onReturn(listener: () => void): () => void {
    const added = (): void => listener();
    this.listeners.add(added);
    return () => this.listeners.delete(added);
  }

  /** Resolves once the log has answered since the last interruption. @throws the reason of the signal */
  async answers(signal: AbortSignal): Promise<void> {
    while (this.isAway) {
      await this.waiting.wait(LONGEST_TIMER_MS, signal);
      signal.throwIfAborted();
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
    this.waiting.wakeAll();
  }
}
