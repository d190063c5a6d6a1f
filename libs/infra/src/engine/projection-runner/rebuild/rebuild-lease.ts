import type { RunnerTiming } from '#infra/engine/projection-runner/runner-timing.js';
import { Lease, type LeaseKey, LeaseLost, parseHolder, seemsAlive } from '#infra/platform/coordination/lease.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Progress of a rebuild. */
export type RebuildProgress = Readonly<{
  id: string;
  projection: string;
  /** Version of the projection being built. */
  version: number;
  state: 'running' | 'switching' | 'done' | 'failed' | 'cancelled';
  /** Events read so far. */
  processed: number;
  /** Number of events to read, as known at the start; at the end, the number read. */
  total: number | null;
  eventsPerSecond: number;
  /** An estimate; `null` while there is no basis for one. */
  remainingSeconds: number | null;
  /** UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`; likewise `endedAt`. */
  startedAt: string;
  endedAt: string | null;
}>;

/** Speed of a build so far, and an estimate of the rest. @param share of the work that is done */
export const speedOf = (
  processed: number,
  milliseconds: number,
  share: number,
): Pick<RebuildProgress, 'eventsPerSecond' | 'remainingSeconds'> => {
  const seconds = Math.max(0.001, milliseconds / 1_000);
  const remainingSeconds = share > 0 ? Math.max(0, Math.round(seconds / share - seconds)) : null;
  return { eventsPerSecond: Math.round(processed / seconds), remainingSeconds };
};

/** Another rebuild of the projection is running, in this process or another one. */
export class RebuildUnderWay extends Error {
  override readonly name = 'RebuildUnderWay';
  constructor(readonly projection: string) {
    super(`projection ${projection}: a rebuild is under way`);
  }
}

/** Minimum time between heartbeats. */
export const BEAT_MS = 1_000;
const LONGEST_POLL_MS = 250;

type Holder = Readonly<{ beatAt: number; progress: RebuildProgress }>;

const leaseOf = (projection: string): LeaseKey => ({ name: `${projection}.rebuild`, collection: 'lease', key: 'holder' });

/** The running rebuild of a projection, in any process, as of its last heartbeat (about one per second). */
export const rebuildUnderWay = async (
  store: ReadStore,
  projection: string,
  { rebuildSilenceMs }: RunnerTiming,
  now: number,
): Promise<RebuildProgress | null> => {
  const { name, collection, key } = leaseOf(projection);
  const holder = parseHolder<Holder>(await store.view(name).get(collection, key));
  return holder !== null && seemsAlive(holder, rebuildSilenceMs, now) ? holder.progress : null;
};

type RebuildLeaseDependencies = Readonly<{
  store: ReadStore;
  timing: RunnerTiming;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  retry: OutageRetry;
  signal: AbortSignal;
}>;

/**
 * Keeps two processes from building the same projection at once: each would discard the other's build, again and again. It ensures
 * progress, not correctness, because generations fence off the slower process.
 */
export class RebuildLease {
  private beating: Promise<void> | undefined;

  private constructor(
    private readonly lease: Lease<Holder>,
    private readonly projection: string,
    private readonly now: () => number,
    /** By the monotonic clock. */
    private lastBeatAt: number,
  ) {}

  /**
   * Takes `timing.rebuildSilenceMs` if the last holder died without releasing the lease.
   * @throws RebuildUnderWay
   */
  static async acquire({ store, timing, now, retry, signal }: RebuildLeaseDependencies, progress: RebuildProgress): Promise<RebuildLease> {
    const { projection } = progress;
    const { rebuildSilenceMs: silenceMs } = timing;
    const beatAt = performance.now();
    const lease = await Lease.acquire<Holder>(
      {
        store,
        read: (operation) => retry.retryUntilAvailable(operation),
        commit: (...commit) => retry.commit(store, ...commit),
      },
      leaseOf(projection),
      () => ({ holder: { beatAt: now(), progress } }),
      {
        // The process that continues a rebuild has ensured that no other works on it.
        isFree: (holder) => holder.progress.id === progress.id,
        onHeld: (holder, hasBeaten) => {
          if (hasBeaten || (holder && seemsAlive(holder, silenceMs, now()))) throw new RebuildUnderWay(projection);
        },
        silenceMs,
        pollMs: Math.min(LONGEST_POLL_MS, silenceMs / 4),
        signal,
      },
    );
    return new RebuildLease(lease, projection, now, beatAt);
  }

  /**
   * Shows other processes that this rebuild is alive, at most once a second. A call during a beat waits for that one.
   * @throws RebuildUnderWay another process took the lease
   */
  beat(progress: RebuildProgress): Promise<void> {
    this.beating ??= this.beatIfDue(progress).finally(() => {
      this.beating = undefined;
    });
    return this.beating;
  }

  /** Never throws: a lease that cannot be released expires. */
  async release(): Promise<void> {
    await this.beating?.catch(() => undefined);
    await this.lease.release();
  }

  private async beatIfDue(progress: RebuildProgress): Promise<void> {
    const beatAt = performance.now();
    if (beatAt - this.lastBeatAt < BEAT_MS) return;
    try {
      await this.lease.beat({ beatAt: this.now(), progress });
    } catch (error) {
      throw error instanceof LeaseLost ? new RebuildUnderWay(this.projection) : error;
    }
    this.lastBeatAt = beatAt;
  }
}
