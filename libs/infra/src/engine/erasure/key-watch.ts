import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { type Following, followLog } from '#infra/engine/followers/follow-log.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import type { RetryTiming } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { DESTROYED, SUBJECT_KEYS_CATEGORY } from '#infra/stores/secrets/key-events.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';

type KeyWatchDependencies = Readonly<{
  events: EventStore;
  keys: Pick<SubjectKeys, 'noteDestroyed' | 'forgetAll'>;
  log: Pick<Logger, 'warn'>;
  timing: RetryTiming;
}>;

const CATEGORIES = [SUBJECT_KEYS_CATEGORY];

/** Follows the log from its head until it is stopped, so that this process immediately drops keys destroyed by other processes. */
export const watchKeys = ({ events, keys, log, timing }: KeyWatchDependencies): Following =>
  followLog({
    events,
    subscription: { categories: CATEGORIES },
    pauseMs: backOff(timing.firstRetryMs, timing.longestRetryMs),
    begin: async () => {
      const after = await events.end(); // not the end of the category, whose search may read the whole log
      keys.forgetAll(); // one of the cached keys may have been destroyed before
      const take = (batch: EventBatch): void => {
        for (const { type, data } of batch.events) if (type === DESTROYED) keys.noteDestroyed(String(data.subject));
      };
      return { after, take };
    },
    trouble: (error, attempt) => {
      if (isLogged(attempt))
        log.warn({ attempt, err: error }, 'keys that are destroyed elsewhere are noticed late: the log cannot be followed');
    },
  });
