import { Gauge, type Registry } from 'prom-client';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** What was counted holds so long, in milliseconds: every subscription has to be looked at. */
const KEEP_MS = 30_000;
/** With more subscriptions than this the messages that wait are not counted: `NaN`. */
const MOST_SUBSCRIPTIONS = 50_000;

/** Subscriptions and the messages that wait in them, over all projects. Returns how to bring both up to date. @throws (the result) the errors of the read store */
export const messageBacklog = (registry: Registry, store: ReadStore): (() => Promise<void>) => {
  const [attached, offsets] = [new AttachedSubscriptions(store), new OffsetQueries(store)];
  const gauge = (name: string, help: string) => new Gauge({ name: `logbook_${name}`, help, registers: [registry] });
  const subscriptions = gauge('subscriptions', 'Subscriptions of all projects');
  const waiting = gauge(
    'messages_waiting',
    'Messages behind the cursors of all subscriptions, at most 30 s old; NaN beyond 50,000 subscriptions',
  );
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  const count = async (): Promise<void> => {
    let [all, messages] = [0, 0];
    for await (const page of attached.pages(new TimeSlice())) {
      all += page.all;
      if (all <= MOST_SUBSCRIPTIONS) messages += await offsets.waiting(page.attached);
    }
    subscriptions.set(all);
    waiting.set(all <= MOST_SUBSCRIPTIONS ? messages : Number.NaN);
    countedAt = performance.now();
  };
  return async () => {
    if (performance.now() - countedAt < KEEP_MS) return;
    counting ??= count().finally(() => {
      counting = undefined;
    });
    await counting;
  };
};
