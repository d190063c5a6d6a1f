import { performance } from 'node:perf_hooks';
import { type Change, CheckpointConflict, type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import { Alarm } from './alarm.js';
import { ownNamespace } from './own-namespace.js';

/** Key of a lease: the name of its namespace, and the document that describes the holder. */
export type LeaseKey = Readonly<{ name: string; collection: string; key: string }>;

/** How a lease uses the read store. A caller that outlives outages waits for them in here. */
type LeaseAccess = Readonly<{
  store: ReadStore;
  read<T>(operation: () => Promise<T>): Promise<T>;
  /** @throws CheckpointConflict, NamespaceGone somebody else has taken the lease */
  commit(namespace: Namespace, changes: readonly Change[], from: bigint, to: bigint): Promise<void>;
}>;

/** Uses the store directly: an outage is an error. */
export const directAccess = (store: ReadStore): LeaseAccess => ({
  store,
  read: (operation) => operation(),
  commit: (namespace, changes, from, to) => store.commit(namespace, changes, from, to),
});

/** Somebody else has taken the lease, or it could not be kept alive. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

type LeaseAcquisition<Holder> = Readonly<{
  /** Whether a holder no longer claims the lease: it has given it back, or is this process. Default: never. */
  isFree?: (holder: Holder) => boolean;
  /**
   * Called after each look at a lease that is held by somebody else. What it throws ends the acquisition.
   * @param holder `null`: somebody took the free lease a moment before us
   * @param hasBeaten whether somebody has beaten since the first look
   */
  onHeld: (holder: Holder | null, hasBeaten: boolean) => void;
  /** A holder that has not beaten for this long has lost the lease. */
  silenceMs: number;
  /** Longest time between two looks. Beats are announced, and the release too: this is for what nobody announces. */
  pollMs: number;
  signal: AbortSignal;
}>;

/** The holder as stored, of the document of a {@link LeaseKey}. `null`: nobody has ever held the lease, or the last holder deleted itself. */
export const parseHolder = <Holder>(document: Buffer | null): Holder | null =>
  document === null ? null : (JSON.parse(document.toString('utf8')) as Holder);

/**
 * Whether a holder seems to be alive, judging by the time of its last beat (milliseconds since 1970-01-01 UTC, by its own clock). The clocks of two
 * nodes may differ either way, so this is a hint: good enough to show, not good enough to take a lease away.
 */
export const seemsAlive = ({ beatAt }: Readonly<{ beatAt: number }>, silenceMs: number, now: number): boolean =>
  Math.abs(now - beatAt) < silenceMs;

/**
 * The right of one process at a time to do something. It is kept like a read model whose checkpoint counts the heart beats of the holder: taking the
 * lease is a compare-and-set, and watching it needs no clock but one's own.
 */
export class Lease<Holder> {
  private constructor(
    private readonly access: LeaseAccess,
    private readonly at: LeaseKey,
    private readonly namespace: Namespace,
    private beats: bigint,
  ) {}

  /**
   * Waits until the lease is free, or its holder has been silent for `silenceMs`; then takes it with a first beat.
   * @param first the holder to store, and further changes to make in the same step
   * @throws AbortError on the signal
   * @throws NamespaceGone the namespace of the lease was lost with the read store: try again
   * @throws what `onHeld` and the access throw
   */
  static async acquire<Holder>(
    access: LeaseAccess,
    at: LeaseKey,
    first: () => Readonly<{ holder: Holder; changes?: readonly Change[] }>,
    { isFree = () => false, onHeld, silenceMs, pollMs, signal }: LeaseAcquisition<Holder>,
  ): Promise<Lease<Holder>> {
    const { store } = access;
    const namespace = await access.read(() => ownNamespace(store, at.name));
    const alarm = new Alarm();
    const stopListening = store.onCommit(at.name, alarm.ring);
    try {
      return await Lease.watch(access, at, namespace, alarm, first, { isFree, onHeld, silenceMs, pollMs, signal });
    } finally {
      stopListening();
    }
  }

  private static async watch<Holder>(
    access: LeaseAccess,
    at: LeaseKey,
    namespace: Namespace,
    alarm: Alarm,
    first: () => Readonly<{ holder: Holder; changes?: readonly Change[] }>,
    { isFree, onHeld, silenceMs, pollMs, signal }: Required<LeaseAcquisition<Holder>>,
  ): Promise<Lease<Holder>> {
    const { store } = access;
    let watched: bigint | null = null;
    let hasBeaten = false;
    let silentSince = performance.now();
    for (;;) {
      // In this order: a beat between the two reads makes our own first beat fail. The other way round we would take the lease from a living holder.
      const beats = await access.read(() => store.checkpoint(namespace));
      const held = parseHolder<Holder>(await access.read(() => store.documents(namespace).get(at.collection, at.key)));
      if (beats !== watched) {
        hasBeaten = watched !== null;
        watched = beats;
        silentSince = performance.now();
      }
      if (held === null || isFree(held) || performance.now() - silentSince >= silenceMs) {
        const lease = new Lease<Holder>(access, at, namespace, beats);
        const { holder, changes } = first();
        if (await lease.tryBeat(holder, changes)) return lease;
        hasBeaten = true;
      }
      onHeld(held, hasBeaten);
      await alarm.pause(Math.min(pollMs, Math.max(1, silenceMs - (performance.now() - silentSince))), signal);
    }
  }

  /** Shows the others that the holder lives, and stores what it says of itself. @throws LeaseLost; what the access throws */
  async beat(holder: Holder, changes: readonly Change[] = []): Promise<void> {
    if (!(await this.tryBeat(holder, changes))) throw new LeaseLost(`somebody else has taken the lease ${this.at.name}`);
  }

  /**
   * Gives the lease back, so that nobody has to wait for it. Never throws: a lease that cannot be given back runs out.
   * @param last the last words of the holder; default: its document is deleted
   */
  async release(last?: Holder): Promise<void> {
    const { collection, key } = this.at;
    const change: Change = last === undefined ? { kind: 'delete', collection, key } : this.documentOf(last);
    await this.access.store.commit(this.namespace, [change], this.beats, this.beats + 1n).catch(() => undefined);
  }

  /** False: somebody else has beaten, or the namespace is gone. */
  private async tryBeat(holder: Holder, changes: readonly Change[] = []): Promise<boolean> {
    try {
      await this.access.commit(this.namespace, [...changes, this.documentOf(holder)], this.beats, this.beats + 1n);
      this.beats += 1n;
      return true;
    } catch (error) {
      if (error instanceof CheckpointConflict || error instanceof NamespaceGone) return false;
      throw error;
    }
  }

  private documentOf(holder: Holder): Change {
    const { collection, key } = this.at;
    return { kind: 'put', collection, key, value: JSON.stringify(holder) };
  }
}
