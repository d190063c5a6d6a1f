import { setTimeout as sleep } from 'node:timers/promises';
import { isOriginAlive, ownOrigin } from '#infra/platform/program/process-origin.js';
import type { Change, ReadStore } from '#projections/shared/read-store.js';
import { LONGEST_TIMER_MS } from './alarm.js';
import { directAccess, Lease, type LeaseKey, LeaseLost, parseHolder, seemsAlive } from './lease.js';

const REPORTS = 'report/';

const reportKey = (item: string): string => REPORTS + item;

/** Item under which the last problem of an item is reported, to be known when it is over. */
export const lastOf = (item: string): string => `${item}/last`;

const SINCE = 'since/';

/** Item under which the beginning of the problem of an item is reported, as long as the problem lasts. */
export const sinceOf = (item: string): string => SINCE + item;

/** All in milliseconds. */
export type LeaseTiming = Readonly<{
  /** Between two heart beats of the holder. */
  beatMs: number;
  /** A holder that could not beat for this long stops; less than `silenceMs`, unless two holders do no harm. */
  graceMs: number;
  /** A holder that has not beaten for this long has lost the lease. */
  silenceMs: number;
  /** Reports that come together within it go with one beat. Default 20. */
  gatherMs?: number;
}>;

/** How often a holder looks at the time while it waits for the answer to a beat. */
const LOOKS = 20;

export const DEFAULT_LEASE_TIMING: LeaseTiming = { beatMs: 1_000, graceMs: 3_000, silenceMs: 5_000 };

/**
 * The node that works. `id`: new with every start. `released`: it has stopped. `beatAt`: by its clock, milliseconds since 1970-01-01 UTC. `origin`: its
 * process, which tells where it works alone whether it lives.
 */
type Holder = Readonly<{ id: string; node: string; beatAt: number; released: boolean; origin?: string }>;

/** State of the work, as every node can see it. */
export type WorkCondition = Readonly<{
  /** `null`: no node has ever worked. */
  node: string | null;
  /** Some node works now. The clocks of two nodes may differ, so this is a hint. */
  alive: boolean;
  /** Last reported problem of the given item; `null`: none. */
  problem: string | null;
  /** The same, though it is over. */
  lastProblem: string | null;
  /** Beginning of the problem, if the holder reports it. */
  since: string | null;
}>;

const textIn = (report: Buffer | null | undefined): string | null => (report ? (JSON.parse(report.toString('utf8')) as string) : null);

/** One lookup. @param item of the work, such as the id of a subscription. @throws ReadStoreUnavailable */
export const workCondition = async (
  store: ReadStore,
  { name, collection, key }: LeaseKey,
  now: number,
  { silenceMs }: LeaseTiming,
  item = '',
): Promise<WorkCondition> => {
  const keys = [key, ...[item, lastOf(item), sinceOf(item)].map(reportKey)];
  const [held = null, problem, lastProblem, since] = await store.view(name).getMany(collection, keys);
  const holder = parseHolder<Holder>(held);
  if (!holder) return { node: null, alive: false, problem: null, lastProblem: null, since: null };
  return {
    node: holder.node,
    alive: !holder.released && (store.isAlone ? isOriginAlive(holder.origin ?? '') : seemsAlive(holder, silenceMs, now)),
    problem: textIn(problem),
    lastProblem: textIn(lastProblem),
    since: textIn(since),
  };
};

/**
 * Whether some node works now, whatever the clocks of nodes show: watches for a beat. Where nobody works, that takes as long as a holder may miss its
 * beats. @throws ReadStoreUnavailable
 */
export const isWorking = async (
  store: ReadStore,
  { name, collection, key }: LeaseKey,
  { beatMs, graceMs }: LeaseTiming,
): Promise<boolean> => {
  const look = async () => parseHolder<Holder>(await store.view(name).get(collection, key));
  const first = await look();
  if (!first || first.released) return false;
  if (store.isAlone) return isOriginAlive(first.origin ?? '');
  for (const end = performance.now() + graceMs; performance.now() < end; ) {
    await sleep(beatMs / 4);
    const holder = await look();
    if (!holder || holder.released) return false;
    if (holder.id !== first.id || holder.beatAt !== first.beatAt) return true;
  }
  return false;
};

/** Recent reports of the holder about its items; after it has ended, until the next one begins. @throws ReadStoreUnavailable */
export const reportsOf = async (store: ReadStore, { name, collection }: LeaseKey, limit: number): Promise<readonly unknown[]> => {
  const documents = await store.view(name).range(collection, { gte: REPORTS, lt: 'report0', limit }); // `0` follows `/`
  return documents.map(({ value }) => JSON.parse(value.toString('utf8')) as unknown);
};

/** `at`: what kind of work. `node`: the address that the other nodes show for this one. `id`: of this process, new with every start. */
type WorkLeaseDependencies = Readonly<{
  store: ReadStore;
  at: LeaseKey;
  id: string;
  node: string;
  now: () => number;
  timing: LeaseTiming;
}>;

/**
 * Ensures that one node at a time does some work in the background, such as pushing. The holder beats, and stops by itself some time before the others may
 * take the lease from it. What is to be known of the items that are worked on, their problems for example, is stored with the beats.
 */
export class WorkLease {
  private readonly reported = new Map<string, string>();
  /** JSON texts. */
  private readonly unstored = new Map<string, string | null>();
  private readonly loss = new AbortController();
  private ended = false;
  private pause = new AbortController();

  private constructor(
    private readonly dependencies: WorkLeaseDependencies,
    private readonly lease: Lease<Holder>,
  ) {}

  /**
   * Waits until the lease is free. `onHeld` is called when another node holds it.
   * @throws AbortError on the signal
   * @throws ReadStoreUnavailable
   */
  static async acquire(dependencies: WorkLeaseDependencies, signal: AbortSignal, onHeld: () => void): Promise<WorkLease> {
    const { store, at, id, timing } = dependencies;
    const lease = await Lease.acquire<Holder>(
      directAccess(store),
      at,
      // Reports of the last holder are out of date.
      () => ({ holder: holderOf(dependencies), changes: [{ kind: 'delete-prefix', collection: at.collection, prefix: REPORTS }] }),
      {
        isFree: (holder) => holder.released || holder.id === id || store.isAlone === true,
        onHeld,
        silenceMs: timing.silenceMs,
        pollMs: 2 * timing.beatMs,
        signal,
      },
    );
    return new WorkLease(dependencies, lease);
  }

  /** Aborted when the lease is lost. */
  get lost(): AbortSignal {
    return this.loss.signal;
  }

  /** Stores what is to be known of an item with the next beat, which comes soon, if it differs from the last report; `null`: nothing. */
  report(item: string, report: object | string | null): void {
    const text = report === null ? null : JSON.stringify(report);
    if ((this.reported.get(item) ?? null) === text) return;
    if (text === null) this.reported.delete(item);
    else this.reported.set(item, text);
    this.unstored.set(item, text);
    this.pause.abort();
  }

  /** Beats until the lease is lost or `end` is called; of a node that works alone, only to store reports. */
  async keep(): Promise<void> {
    const { store, timing } = this.dependencies;
    const { beatMs, gatherMs = 20 } = timing;
    const pauseMs = store.isAlone ? LONGEST_TIMER_MS : beatMs;
    while (!this.ended && !this.lost.aborted) {
      this.pause = new AbortController();
      const { signal } = this.pause;
      if (this.unstored.size === 0) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (this.unstored.size > 0) await sleep(gatherMs);
      if (!this.ended && !this.lost.aborted && (this.unstored.size > 0 || !store.isAlone)) await this.beat();
    }
  }

  /** Gives the lease back, so that other nodes need not wait; `keep` must have ended. Never throws: a lease that cannot be given back runs out. */
  async release(): Promise<void> {
    if (!this.lost.aborted) await this.lease.release({ ...holderOf(this.dependencies), released: true });
  }

  /** Makes `keep` end, at once if it pauses. */
  end(): void {
    this.ended = true;
    this.pause.abort();
  }

  private async beat(): Promise<void> {
    const { at } = this.dependencies;
    const changes = [...this.unstored].map(
      ([item, value]): Change =>
        value === null
          ? { kind: 'delete', collection: at.collection, key: reportKey(item) }
          : { kind: 'put', collection: at.collection, key: reportKey(item), value },
    );
    this.unstored.clear();
    const answered = this.expectAnswer();
    try {
      await this.lease.beat(holderOf(this.dependencies), changes);
    } catch (error) {
      this.loss.abort(new LeaseLost('the lease could not be kept', { cause: error }));
    } finally {
      answered();
    }
  }

  /**
   * The lease counts as lost if the store does not answer a beat in time, which is before another node may take it. Time in which this process was too busy
   * to see an answer hardly counts: if nobody took the lease, the answer that waits renews it, otherwise it says so. Effects of what was done meanwhile
   * are fenced where they are stored.
   * @returns to be called with the answer
   */
  private expectAnswer(): () => void {
    const { graceMs, beatMs } = this.dependencies.timing;
    const lookMs = (graceMs - beatMs) / LOOKS;
    let [looked, waited] = [performance.now(), 0];
    const timer = setInterval(() => {
      const now = performance.now();
      waited += Math.min(now - looked, 2 * lookMs);
      looked = now;
      if (waited >= graceMs - beatMs) this.loss.abort(new LeaseLost('the read store does not answer'));
    }, lookMs);
    return () => clearInterval(timer);
  }
}

const holderOf = ({ store, id, node, now }: WorkLeaseDependencies): Holder => ({
  ...{ id, node, beatAt: now(), released: false },
  ...(store.isAlone && { origin: ownOrigin() }),
});
