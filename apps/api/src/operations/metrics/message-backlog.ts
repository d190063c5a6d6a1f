import type { Registry } from 'prom-client';
import type { WaitingInAll } from '#api/operations/messaging/waiting-in-all.js';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';
import { pushFails } from '#domain/messaging/push/push-state.js';
import { TimeSlice } from '#domain/shared/time-slice.js';

/** Milliseconds between counts, each of which checks every subscription. */
const KEEP_MS = 30_000;
/** Maximum duration of counting in one call, in milliseconds; the next call continues. */
const AT_ONCE_MS = 500;

type BacklogTiming = Readonly<{ keepMs?: number; atOnceMs?: number }>;

type Count = { readonly pages: ReturnType<WaitingInAll['pages']>; subscriptions: number; messages: number; pushFails: number };

/**
 * Subscriptions and their waiting messages, over all projects: counts of the last complete pass, which may take several calls. Returns a
 * function that continues the count. @throws (the result) the errors of {@link WaitingInAll}
 */
export const messageBacklog = (
  registry: Registry,
  waiting: Pick<WaitingInAll, 'pages'>,
  { keepMs = KEEP_MS, atOnceMs = AT_ONCE_MS }: BacklogTiming = {},
): (() => Promise<void>) => {
  const setSubscriptions = lookedUpGauge(registry, 'subscriptions', 'Subscriptions of all projects, when they were last counted');
  const setWaiting = lookedUpGauge(registry, 'messages_waiting', 'Messages that wait in all subscriptions, when they were last counted');
  const setAge = lookedUpGauge(registry, 'messages_waiting_age_seconds', 'Time since they were last counted');
  const setPushFails = lookedUpGauge(registry, 'subscriptions_push_failing', 'Subscriptions whose push fails, when they were last counted');
  let countedAt: number | undefined;
  let current: Count | undefined;
  const goOn = async (count: Count): Promise<void> => {
    const end = performance.now() + atOnceMs;
    do {
      const { done, value: page } = await count.pages.next();
      if (done) {
        setSubscriptions(count.subscriptions);
        setWaiting(count.messages);
        setPushFails(count.pushFails);
        countedAt = performance.now();
        current = undefined;
        return;
      }
      count.subscriptions += page.subscriptions;
      for (const { backlog, push } of page.items) {
        count.messages += backlog;
        if (pushFails(push?.state)) count.pushFails += 1;
      }
    } while (performance.now() < end);
  };
  return async () => {
    try {
      if (current || countedAt === undefined || performance.now() - countedAt >= keepMs) {
        current ??= { pages: waiting.pages(new TimeSlice()), subscriptions: 0, messages: 0, pushFails: 0 };
        await goOn(current);
      }
    } catch (error) {
      current = undefined;
      throw error;
    } finally {
      if (countedAt !== undefined) setAge((performance.now() - countedAt) / 1_000);
    }
  };
};
