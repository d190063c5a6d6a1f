import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Change, CheckpointConflict, type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';

/** Kept like a read model whose checkpoint counts heart beats: taking the lease is a compare-and-set, and watching it needs no clock. */
const LEASE = 'messaging.push';
const COLLECTION = 'push';
const HOLDER = 'holder';
const PROBLEMS = 'problem/';
const problemKey = (subscriptionId: string): string => PROBLEMS + subscriptionId;

/** All in milliseconds. */
export type LeaseTiming = Readonly<{
  /** Between two heart beats of the holder. */
  beat: number;
  /** A holder that could not beat for this long stops; less than `silence`. */
  patience: number;
  /** A holder that has not been heard of for this long has lost the lease. */
  silence: number;
}>;

export const defaultLeaseTiming: LeaseTiming = { beat: 1_000, patience: 3_000, silence: 5_000 };

/** The node that pushes. `released`: it has stopped. `beatAt`: by its clock, milliseconds since 1970-01-01 UTC. */
type Holder = Readonly<{ node: string; beatAt: number; released: boolean }>;

/** How pushing is, as every node can see it. */
export type PushCondition = Readonly<{
  /** `null`: no node has ever pushed. */
  node: string | null;
  /** Somebody pushes now. Clocks of two nodes may differ, so this is a hint. */
  alive: boolean;
  /** What went wrong with the subscription asked for at last; `null`: nothing. */
  problem: string | null;
}>;

/** One lookup. @throws ReadStoreUnavailable */
export const pushCondition = async (
  store: ReadStore,
  now: number,
  { silence }: LeaseTiming,
  subscriptionId = '',
): Promise<PushCondition> => {
  const [held, problem] = await store.view(LEASE).getMany(COLLECTION, [HOLDER, problemKey(subscriptionId)]);
  if (!held) return { node: null, alive: false, problem: null };
  const { node, beatAt, released } = JSON.parse(held.toString('utf8')) as Holder;
  return {
    node,
    alive: !released && Math.abs(now - beatAt) < silence,
    problem: problem ? (JSON.parse(problem.toString('utf8')) as string) : null,
  };
};

type LeaseParts = Readonly<{ store: ReadStore; node: string; now: () => number; timing: LeaseTiming }>;

/** Somebody else has taken the lease, or it could not be kept alive. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * Sees to it that one node at a time pushes. The holder beats; it stops by itself some time before the others may take the lease from it.
 * The problems of subscriptions are told with the beats.
 */
export class PushLease {
  readonly #problems = new Map<string, string | null>();
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  #told: () => void = () => undefined;

  private constructor(
    private readonly parts: LeaseParts,
    private readonly namespace: Namespace,
    private beats: bigint,
  ) {}

  /**
   * Waits until the lease can be had. `tried` is called once it is known whether that will take a while.
   * @throws AbortError when the signal says so
   * @throws ReadStoreUnavailable
   */
  static async take(parts: LeaseParts, signal: AbortSignal, tried: () => void): Promise<PushLease> {
    const { store, timing } = parts;
    const namespace = await leaseNamespace(store);
    let [watched, since] = [-1n, performance.now()];
    for (;;) {
      const beats = await store.checkpoint(namespace);
      const held = await store.documents(namespace).get(COLLECTION, HOLDER);
      const isFree = held === null || (JSON.parse(held.toString('utf8')) as Holder).released;
      if (beats !== watched) [watched, since] = [beats, performance.now()];
      if (isFree || performance.now() - since >= timing.silence) {
        const lease = new PushLease(parts, namespace, beats);
        if (await lease.#taken()) return lease;
      }
      tried();
      await sleep(timing.beat / 4, undefined, { signal });
    }
  }

  /** Aborted when the lease is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** To be told to all nodes with the next beat, which comes soon. */
  report(subscriptionId: string, problem: string | null): void {
    this.#problems.set(subscriptionId, problem);
    this.#told();
  }

  /** Beats until the lease is lost or `end` is called. */
  async keep(): Promise<void> {
    const { timing } = this.parts;
    const done = AbortSignal.any([this.#lost.signal, this.#ended.signal]);
    while (!done.aborted) {
      const news = new Promise<void>((resolve) => {
        this.#told = resolve;
      });
      const pause = sleep(timing.beat, undefined, { signal: done }).catch(() => undefined);
      if (this.#problems.size === 0) await Promise.race([pause, news]);
      if (!done.aborted) await this.#beat().catch((error: unknown) => this.#lost.abort(error));
    }
  }

  /** Gives the lease back, so that others need not wait. Never throws: a lease that cannot be given back runs out by itself. */
  async end(): Promise<void> {
    this.#ended.abort();
    if (!this.#lost.signal.aborted) await this.#commit(true, []).catch(() => undefined);
  }

  /** Whether the lease is ours now. What the last holder told of subscriptions counts no more. */
  async #taken(): Promise<boolean> {
    try {
      await this.#commit(false, [{ kind: 'delete-prefix', collection: COLLECTION, prefix: PROBLEMS }]);
      return true;
    } catch (error) {
      if (error instanceof CheckpointConflict || error instanceof NamespaceGone) return false;
      throw error;
    }
  }

  /** Beats, again and again for as long as the store does not answer and nobody else can have the lease. @throws LeaseLost */
  async #beat(): Promise<void> {
    const { timing } = this.parts;
    const told = [...this.#problems];
    this.#problems.clear();
    const changes = told.map(
      ([id, problem]): Change =>
        problem === null
          ? { kind: 'delete', collection: COLLECTION, key: problemKey(id) }
          : { kind: 'put', collection: COLLECTION, key: problemKey(id), value: JSON.stringify(problem) },
    );
    const watchdog = setTimeout(() => this.#lost.abort(new LeaseLost('the read store did not answer')), timing.patience - timing.beat);
    try {
      await this.#commit(false, changes);
    } catch (error) {
      throw new LeaseLost('the lease could not be kept', { cause: error });
    } finally {
      clearTimeout(watchdog);
    }
  }

  async #commit(released: boolean, changes: readonly Change[]): Promise<void> {
    const { store, node, now } = this.parts;
    const holder: Holder = { node, beatAt: now(), released };
    const held: Change = { kind: 'put', collection: COLLECTION, key: HOLDER, value: JSON.stringify(holder) };
    await store.commit(this.namespace, [...changes, held], this.beats, this.beats + 1n);
    this.beats += 1n;
  }
}

/** Where the lease is kept; made by the first node that pushes. */
const leaseNamespace = async (store: ReadStore): Promise<Namespace> => {
  for (;;) {
    const served = await store.served(LEASE);
    if (served) return served;
    try {
      await store.serve(await store.prepare(LEASE, 1));
    } catch (error) {
      // Another node makes one too: whichever is served at last is the right one.
      if (!(error instanceof NamespaceGone) && !(error instanceof CheckpointConflict)) throw error;
    }
  }
};
