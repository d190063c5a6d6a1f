import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Change, CheckpointConflict, type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';

/** Kept like a read model whose checkpoint counts heart beats: taking the lease is a compare-and-set, and watching it needs no clock. */
const LEASE = 'messaging.push';
const COLLECTION = 'push';
const HOLDER = 'holder';
const PROBLEMS = 'problem/';

/** Reports that come together go with one beat: milliseconds. */
const GATHER = 20;

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

/**
 * The node that pushes. `id`: new with every start. `released`: it has stopped. `beatAt`: by its clock, milliseconds since 1970-01-01 UTC.
 */
type Holder = Readonly<{ id: string; node: string; beatAt: number; released: boolean }>;

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

/** `node`: where the others say that pushing goes on. `id`: of this process, new with every start. */
export type LeaseParts = Readonly<{ store: ReadStore; id: string; node: string; now: () => number; timing: LeaseTiming }>;

/** Somebody else has taken the lease, or it could not be kept alive. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * Sees to it that one node at a time pushes. The holder beats; it stops by itself some time before the others may take the lease from it.
 * The problems of subscriptions are told with the beats.
 */
export class PushLease {
  private readonly reported = new Map<string, string>();
  private readonly untold = new Map<string, string | null>();
  private readonly loss = new AbortController();
  private ended = false;
  private pause = new AbortController();

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
      const holder = held && (JSON.parse(held.toString('utf8')) as Holder);
      const isFree = !holder || holder.released || holder.id === parts.id;
      if (beats !== watched) [watched, since] = [beats, performance.now()];
      if (isFree || performance.now() - since >= timing.silence) {
        const lease = new PushLease(parts, namespace, beats);
        if (await lease.taken()) return lease;
      }
      tried();
      await sleep(timing.beat / 4, undefined, { signal });
    }
  }

  /** Aborted when the lease is lost. */
  get lost(): AbortSignal {
    return this.loss.signal;
  }

  /** What differs from the last report is told to all nodes with the next beat, which comes soon. */
  report(subscriptionId: string, problem: string | null): void {
    if ((this.reported.get(subscriptionId) ?? null) === problem) return;
    if (problem === null) this.reported.delete(subscriptionId);
    else this.reported.set(subscriptionId, problem);
    this.untold.set(subscriptionId, problem);
    this.pause.abort();
  }

  /** Beats until the lease is lost or `end` is called. */
  async keep(): Promise<void> {
    while (!this.ended && !this.lost.aborted) {
      this.pause = new AbortController();
      const { signal } = this.pause;
      if (this.untold.size === 0) await sleep(this.parts.timing.beat, undefined, { signal }).catch(() => undefined);
      if (this.untold.size > 0) await sleep(GATHER);
      if (!this.ended && !this.lost.aborted) await this.beat();
    }
  }

  /** Gives the lease back, so that others need not wait; `keep` must have ended. Never throws: a lease that cannot be given back runs out. */
  async release(): Promise<void> {
    if (!this.lost.aborted) await this.commit(true, []).catch(() => undefined);
  }

  /** Makes `keep` end, at once if it pauses. */
  end(): void {
    this.ended = true;
    this.pause.abort();
  }

  /** Whether the lease is ours now. What the last holder told of subscriptions counts no more. */
  private async taken(): Promise<boolean> {
    try {
      await this.commit(false, [{ kind: 'delete-prefix', collection: COLLECTION, prefix: PROBLEMS }]);
      return true;
    } catch (error) {
      if (error instanceof CheckpointConflict || error instanceof NamespaceGone) return false;
      throw error;
    }
  }

  /** Whatever keeps a beat from the store, the lease is lost before somebody else may take it. */
  private async beat(): Promise<void> {
    const { patience, beat } = this.parts.timing;
    const changes = [...this.untold].map(
      ([id, problem]): Change =>
        problem === null
          ? { kind: 'delete', collection: COLLECTION, key: problemKey(id) }
          : { kind: 'put', collection: COLLECTION, key: problemKey(id), value: JSON.stringify(problem) },
    );
    this.untold.clear();
    const watchdog = setTimeout(() => this.loss.abort(new LeaseLost('the read store does not answer')), patience - beat);
    try {
      await this.commit(false, changes);
    } catch (error) {
      this.loss.abort(new LeaseLost('the lease could not be kept', { cause: error }));
    } finally {
      clearTimeout(watchdog);
    }
  }

  private async commit(released: boolean, changes: readonly Change[]): Promise<void> {
    const { store, id, node, now } = this.parts;
    const holder: Holder = { id, node, beatAt: now(), released };
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
