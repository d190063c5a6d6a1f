import type { Registry } from 'prom-client';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Milliseconds between counts, each of which checks every subscription. */
const KEEP_MS = 30_000;
/** Maximum duration of counting in one call, in milliseconds; the next call continues. */
const AT_ONCE_MS = 500;

type BacklogTiming = Readonly<{ keepMs?: number; atOnceMs?: number }>;

type Count = { readonly pages: ReturnType<AttachedSubscriptions['pages']>; subscriptions: number; messages: number };

/**
 * Subscriptions and their waiting messages, over all projects: counts of the last complete pass, which may take several calls. Returns a
 * function that continues the count. @throws (the result) the errors of the read store
 */
export const messageBacklog = (
  registry: Registry,
  store: ReadStore,
  { keepMs = KEEP_MS, atOnceMs = AT_ONCE_MS }: BacklogTiming = {},
): (() => Promise<void>) => {
  const [attached, offsets] = [new AttachedSubscriptions(store), new OffsetQueries(store)];
  const setSubscriptions = lookedUpGauge(registry, 'subscriptions', 'Subscriptions of all projects, when they were last counted');
  const setWaiting = lookedUpGauge(
    registry,
    'messages_waiting',
    'Messages behind the cursors of all subscriptions, when they were last counted',
  );
  const setAge = lookedUpGauge(registry, 'messages_waiting_age_seconds', 'Time since they were last counted');
  let countedAt: number | undefined;
  let current: Count | undefined;
  const goOn = async (count: Count): Promise<void> => {
    const end = performance.now() + atOnceMs;
    do {
      const { done, value: page } = await count.pages.next();
      if (done) {
        setSubscriptions(count.subscriptions);
        setWaiting(count.messages);
        countedAt = performance.now();
        current = undefined;
        return;
      }
      count.subscriptions += page.all;
      count.messages += await offsets.waiting(page.attached);
    } while (performance.now() < end);
  };
  return async () => {
    try {
      if (current || countedAt === undefined || performance.now() - countedAt >= keepMs) {
        current ??= { pages: attached.pages(new TimeSlice()), subscriptions: 0, messages: 0 };
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
