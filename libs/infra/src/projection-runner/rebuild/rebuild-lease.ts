import { setTimeout as sleep } from 'node:timers/promises';
import type { ProjectionFailure } from '#infra/projection-runner/failure.js';
import { ownNamespace } from '#infra/projection-runner/own-namespace.js';
import type { Patience, RunnerTiming } from '#infra/projection-runner/timing.js';
import { CheckpointConflict, type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';

/** How far a rebuild is. */
export type RebuildProgress = Readonly<{
  id: string;
  projection: string;
  /** The version of the projection that is being built. */
  version: number;
  state: 'running' | 'switching' | 'done' | 'failed' | 'cancelled';
  /** Events read so far. */
  processed: number;
  /** Events to read, as far as anybody knew when it started. */
  total: number | null;
  eventsPerSecond: number;
  /** An estimate; `null` as long as there is nothing to go by. */
  remainingSeconds: number | null;
  /** UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`; likewise `endedAt`. */
  startedAt: string;
  endedAt: string | null;
  /** The event that ended it. `null` with the state `failed`: it failed for another reason, which the log names. */
  failure: ProjectionFailure | null;
}>;

/** Another rebuild of the projection is under way, in this process or another one. */
export class RebuildUnderWay extends Error {
  override readonly name = 'RebuildUnderWay';
  constructor(readonly projection: string) {
    super(`projection ${projection}: a rebuild is under way`);
  }
}

/** A heart beat is due this often, in milliseconds. */
const BEAT = 1_000;

const COLLECTION = 'lease';
const KEY = 'holder';

type Lease = Readonly<{ beatAt: number; progress: RebuildProgress }>;
type Clock = () => number;

const leaseName = (projection: string): string => `${projection}.rebuild`;

const parse = (text: Buffer | null): Lease | null => (text === null ? null : JSON.parse(text.toString()));

/** Clocks of two nodes may differ either way, so this is a hint: enough to show, not enough to take a lease away. */
const seemsAlive = (lease: Lease, timing: RunnerTiming, now: number): boolean => Math.abs(now - lease.beatAt) < timing.rebuildSilence;

/** The rebuild of a projection that is under way in any process, as of its last heart beat (about one a second). */
export const rebuildUnderWay = async (
  store: ReadStore,
  projection: string,
  timing: RunnerTiming,
  now: number,
): Promise<RebuildProgress | null> => {
  const lease = parse(await store.view(leaseName(projection)).get(COLLECTION, KEY));
  return lease !== null && seemsAlive(lease, timing, now) ? lease.progress : null;
};

/**
 * Keeps two processes from building the same projection at once: each would throw away what the other has built, for ever.
 * Not needed for correctness (generations fence), only for progress. It lives in a namespace of the read store of its own, whose
 * checkpoint counts the heart beats, so that taking it is a compare-and-set and watching it needs no clock.
 */
export class RebuildLease {
  private beatAt = 0;

  private constructor(
    private readonly store: ReadStore,
    private readonly projection: string,
    private readonly namespace: Namespace,
    private beats: bigint,
    private readonly now: Clock,
  ) {}

  /**
   * Takes `timing.rebuildSilence` when the last holder died without a word.
   * @throws RebuildUnderWay
   */
  static async take(
    store: ReadStore,
    progress: RebuildProgress,
    parts: Readonly<{ timing: RunnerTiming; now: Clock; patience: Patience; signal: AbortSignal }>,
  ): Promise<RebuildLease> {
    const { projection } = progress;
    const { timing, now, patience, signal } = parts;
    const namespace = await patience.persist(() => ownNamespace(store, leaseName(projection)));
    // In this order: beats that come in between make the first beat below fail, rather than take the lease away.
    const beats = await patience.persist(() => store.checkpoint(namespace));
    const held = parse(await patience.persist(() => store.documents(namespace).get(COLLECTION, KEY)));
    if (held !== null) {
      if (seemsAlive(held, timing, now())) throw new RebuildUnderWay(projection);
      await sleep(timing.rebuildSilence, undefined, { signal });
    }
    const lease = new RebuildLease(store, projection, namespace, beats, now);
    await lease.beat(progress, patience);
    return lease;
  }

  /** Tells the others that this rebuild lives and how far it is, once a second at most. @throws RebuildUnderWay somebody else took the lease */
  async beat(progress: RebuildProgress, patience: Patience): Promise<void> {
    const beatAt = this.now();
    if (beatAt - this.beatAt < BEAT) return;
    const lease: Lease = { beatAt, progress };
    const change = { kind: 'put', collection: COLLECTION, key: KEY, value: JSON.stringify(lease) } as const;
    try {
      await patience.commit(this.store, this.namespace, [change], this.beats, this.beats + 1n);
    } catch (error) {
      throw error instanceof CheckpointConflict || error instanceof NamespaceGone ? new RebuildUnderWay(this.projection) : error;
    }
    this.beats += 1n;
    this.beatAt = beatAt;
  }

  /** Never throws: a lease that cannot be given back runs out by itself. */
  async release(): Promise<void> {
    const change = { kind: 'delete', collection: COLLECTION, key: KEY } as const;
    await this.store.commit(this.namespace, [change], this.beats, this.beats + 1n).catch(() => undefined);
  }
}
