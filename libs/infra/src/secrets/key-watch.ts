import type { EventStore } from '#domain/shared/event-store.js';
import { OutageRetry, type RetryTiming } from '#infra/coordination/outage-retry.js';
import type { Logger } from '#infra/logging/logger.js';
import { DESTROYED, SUBJECT_KEYS_CATEGORY } from './key-events.js';
import type { SubjectKeys } from './subject-keys.js';

export type KeyWatchDependencies = Readonly<{
  events: EventStore;
  keys: Pick<SubjectKeys, 'noteDestroyed' | 'forgetAll'>;
  log: Pick<Logger, 'warn'>;
  timing: RetryTiming;
}>;

const CATEGORIES = [SUBJECT_KEYS_CATEGORY];

/** Follows the log from its head so that this process learns at once of keys that others destroy. */
export class KeyWatch {
  private readonly abort = new AbortController();
  private readonly retry: OutageRetry;
  private done: Promise<void> = Promise.resolve();

  constructor(private readonly dependencies: KeyWatchDependencies) {
    const { log, timing } = dependencies;
    this.retry = new OutageRetry(timing, this.abort.signal, (error, attempt) =>
      log.warn({ attempt, err: error }, 'keys that are destroyed elsewhere are noticed late: the log cannot be followed'),
    );
  }

  /** Call it once; it works in the background. */
  start(): void {
    this.done = this.retry.repeat(() => this.follow());
  }

  /** Stops for good. */
  async stop(): Promise<void> {
    this.abort.abort();
    await this.done;
  }

  private async follow(): Promise<void> {
    const { events, keys } = this.dependencies;
    const { signal } = this.abort;
    const after = await events.end(); // not that of the category: a search for it may go through the whole log
    keys.forgetAll(); // one of those in memory may have been destroyed before
    for await (const batch of events.subscribeAll({ after, categories: CATEGORIES, rare: true, signal })) {
      this.retry.reset();
      for (const { type, data } of batch.events) if (type === DESTROYED) keys.noteDestroyed(String(data.subject));
    }
  }
}
