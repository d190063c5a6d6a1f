import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#infra/logging/logger.js';
import type { Change, ReadStore } from '#projections/shared/read-store.js';
import { backOff } from './back-off.js';
import { directAccess, Lease, type LeaseKey, LeaseLost } from './lease.js';

/** All in milliseconds. */
export type LeadershipTiming = Readonly<{
  /** Between two heart beats. */
  beatMs: number;
  /** A leader that could not beat for this long stops; less than `silenceMs`. */
  graceMs: number;
  /** A leader that has not beaten for this long may be replaced. */
  silenceMs: number;
}>;

const DEFAULT_TIMING: LeadershipTiming = { beatMs: 500, graceMs: 1_500, silenceMs: 2_500 };

const retryPauseMs = backOff(500, 10_000);

type Holder = Readonly<{ id: string; released: boolean }>;

export type LeadershipDependencies = Readonly<{
  store: ReadStore;
  /** Of the namespace in which the lease is kept, and what the leader shows of its work. */
  name: string;
  /** What is done, for the log: `recomputations are run`. */
  what: string;
  log: Pick<Logger, 'warn'>;
  timing?: LeadershipTiming;
}>;

/** Stores a document for all nodes to see with the next beat; `null` removes it. */
export type Show = (key: string, document: object | null) => void;

/** What the leader does. `over` is aborted when another node may lead soon, or this one stops. */
export type LeaderWork = (over: AbortSignal, show: Show) => Promise<void>;

/** The collection of what the leader shows of its work. Emptied whenever a leader begins. */
const SHOWN = 'shown';
const LEASE_COLLECTION = 'lease';

/**
 * Work in the background that one node at a time does. A node that is stopped for a while (by its operating system, or a long turn of the event
 * loop) notices late that it leads no more: what must not be done twice has to be refused by its decider.
 */
export class Leadership {
  private readonly id = randomUUID();

  constructor(private readonly dependencies: LeadershipDependencies) {}

  /** Waits for the lead and does the work, again and again, until the signal is aborted. Never throws: failures are logged, and tried again. */
  async run(signal: AbortSignal, work: LeaderWork): Promise<void> {
    const { log, what } = this.dependencies;
    for (let failures = 0; !signal.aborted; ) {
      const started = performance.now();
      try {
        await this.lead(signal, work);
      } catch (error) {
        failures = performance.now() - started > 60_000 ? 1 : failures + 1;
        if (!signal.aborted) log.warn({ err: error }, `${what} later`);
      }
      await sleep(retryPauseMs(Math.max(failures, 1)), undefined, { signal }).catch(() => undefined);
    }
  }

  private async lead(signal: AbortSignal, work: LeaderWork): Promise<void> {
    const { store, name, timing = DEFAULT_TIMING } = this.dependencies;
    const { id } = this;
    const at: LeaseKey = { name, collection: LEASE_COLLECTION, key: 'holder' };
    const lease = await Lease.acquire<Holder>(
      directAccess(store),
      at,
      () => ({ holder: { id, released: false }, changes: [{ kind: 'delete-prefix', collection: SHOWN, prefix: '' }] }),
      {
        isFree: (holder) => holder.released || holder.id === id,
        onHeld: () => undefined,
        silenceMs: timing.silenceMs,
        pollMs: timing.beatMs,
        signal,
      },
    );
    const ending = new AbortController();
    const shown = new Map<string, Change>();
    const show: Show = (key, document) =>
      void shown.set(
        key,
        document === null
          ? { kind: 'delete', collection: SHOWN, key }
          : { kind: 'put', collection: SHOWN, key, value: JSON.stringify(document) },
      );
    const kept = this.keep(lease, ending, shown, timing);
    try {
      await work(AbortSignal.any([signal, ending.signal]), show);
    } finally {
      ending.abort();
      await kept;
      await lease.release({ id, released: true });
    }
  }

  private async keep(
    lease: Lease<Holder>,
    ending: AbortController,
    shown: Map<string, Change>,
    { beatMs, graceMs }: LeadershipTiming,
  ): Promise<void> {
    const { signal } = ending;
    while (!signal.aborted) {
      await sleep(beatMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const watchdog = setTimeout(() => ending.abort(new LeaseLost('the read store does not answer')), graceMs - beatMs);
      const changes = [...shown.values()];
      shown.clear();
      await lease
        .beat({ id: this.id, released: false }, changes)
        .catch((error: unknown) => ending.abort(new LeaseLost('the lease could not be kept', { cause: error })));
      clearTimeout(watchdog);
    }
  }
}

/** What the leader shows of its work, some moments old; of one that has ended, until the next one begins. @throws ReadStoreUnavailable */
export const shownBy = async (store: ReadStore, name: string, limit: number): Promise<readonly unknown[]> => {
  const documents = await store.view(name).range(SHOWN, { limit });
  return documents.map(({ value }) => JSON.parse(value.toString('utf8')) as unknown);
};
