import type { Registry } from 'prom-client';
import type { MessagingNow } from '#api/operations/messaging/messaging-now.js';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';

/** Subscriptions and their waiting messages over all projects, by the last pass over all of them. Returns the function that looks them up. */
export const messageBacklog = (registry: Registry, messaging: Pick<MessagingNow, 'newest'>): (() => Promise<void>) => {
  const setSubscriptions = lookedUpGauge(registry, 'subscriptions', 'Subscriptions of all projects, when they were last counted');
  const setWaiting = lookedUpGauge(registry, 'messages_waiting', 'Messages that wait in all subscriptions, when they were last counted');
  const setAge = lookedUpGauge(registry, 'messages_waiting_age_seconds', 'Time since they were last counted');
  const setPushFails = lookedUpGauge(registry, 'subscriptions_push_failing', 'Subscriptions whose push fails, when they were last counted');
  return async () => {
    const pass = await messaging.newest();
    setSubscriptions(pass?.subscriptions);
    setWaiting(pass?.waiting);
    setPushFails(pass?.failing.total);
    setAge(pass ? (Date.now() - pass.countedAt) / 1_000 : undefined);
  };
};
