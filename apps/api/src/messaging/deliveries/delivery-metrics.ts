import type { Registry } from 'prom-client';
import { readGauge } from '#api/ops-kit/looked-up.js';
import type { ServedSubscription } from './served-subscription.js';

/** Metrics of the subscriptions that this process serves. They are computed at each scrape of `/metrics` (messaging contract 7.1, 7.2). */
export const deliveryMetrics = (registry: Registry, served: () => Iterable<ServedSubscription>): void => {
  const gauge = (name: string, help: string, of: (all: readonly ServedSubscription[]) => number): void =>
    readGauge(registry, `messaging_${name}`, help, () => of([...served()]));
  gauge('outstanding', 'Messages that are leased to consumers of this process', (all) =>
    all.reduce((sum, { leases }) => sum + leases.outstanding, 0),
  );
  gauge('oldest_unacknowledged_seconds', 'Time since the oldest message that is not acknowledged was first delivered', (all) => {
    const now = performance.now();
    return all.reduce((oldest, { leases }) => Math.max(oldest, now - (leases.oldestSince ?? now)), 0) / 1_000;
  });
  gauge(
    'full',
    'Subscriptions that get no more messages before some are acknowledged',
    (all) => all.filter(({ room }) => room === 0).length,
  );
  gauge(
    'dead_letters_kept',
    'Subscriptions with messages that stay because their dead letter topic is gone',
    (all) => all.filter(({ deadLetters }) => deadLetters.areBlocked).length,
  );
};
