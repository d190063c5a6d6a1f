import { ownNamespace } from '#infra/coordination/own-namespace.js';
import { CheckpointConflict, type Namespace, NamespaceGone, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { RebuildProgress } from './rebuild-lease.js';

/** A rebuild that somebody asked for, as all processes see it. Times are UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type RebuildJob = Readonly<{
  id: string;
  projection: string;
  state: RebuildProgress['state'];
  startedAt: string;
  endedAt: string | null;
  failure: Readonly<{ message: string }> | null;
  /** Never decreases, not even over a restart. */
  processed: number;
  total: number | null;
  eventsPerSecond: number;
  remainingSeconds: number | null;
  /** Somebody asked to cancel it. */
  cancelled: boolean;
  /** The namespace under construction, and the position up to which events are counted in `processed`. Whoever continues the job starts there. */
  begun: Readonly<{ namespace: Namespace; told: string }> | null;
}>;

const NAME = 'ops.rebuilds';
const COLLECTION = 'jobs';
/** How long ended jobs are kept. */
const KEPT_MS = 7 * 86_400_000;
const MAX_LISTED = 100;
const MAX_ATTEMPTS = 50;

export const isEnded = ({ state }: RebuildJob): boolean => state !== 'running' && state !== 'switching';

/** Stores jobs in the read store, in a namespace of their own whose checkpoint counts the changes. All calls throw ReadStoreUnavailable. */
export class JobRepository {
  constructor(
    private readonly store: ReadStore,
    private readonly now: () => number,
  ) {}

  async get(id: string): Promise<RebuildJob | null> {
    const text = await this.store.view(NAME).get(COLLECTION, id);
    return text && (JSON.parse(text.toString()) as RebuildJob);
  }

  /** Newest first, at most 100. */
  async list(): Promise<readonly RebuildJob[]> {
    const jobs = await this.all();
    return jobs.sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1)).slice(0, MAX_LISTED);
  }

  /** Stores the result of `change`, unless it is the same job. Returns the job as it is then. */
  async update(id: string, change: (job: RebuildJob | null) => RebuildJob | null): Promise<RebuildJob | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        const namespace = await ownNamespace(this.store, NAME);
        const changes = await this.store.checkpoint(namespace);
        const before = await this.get(id);
        const after = change(before);
        if (after === before || after === null) return after;
        const put = { kind: 'put', collection: COLLECTION, key: id, value: JSON.stringify(after) } as const;
        await this.store.commit(namespace, [put], changes, changes + 1n);
        return after;
      } catch (error) {
        if (!(error instanceof CheckpointConflict || error instanceof NamespaceGone)) throw error;
      }
    }
    throw new ReadStoreUnavailable('the jobs change all the time');
  }

  /** Removes jobs that ended more than seven days ago. */
  async prune(): Promise<void> {
    const namespace = await ownNamespace(this.store, NAME);
    const changes = await this.store.checkpoint(namespace);
    const old = (await this.all()).filter(({ endedAt }) => endedAt !== null && Date.parse(endedAt) < this.now() - KEPT_MS);
    if (old.length === 0) return;
    const removals = old.map(({ id }) => ({ kind: 'delete', collection: COLLECTION, key: id }) as const);
    await this.store.commit(namespace, removals, changes, changes + 1n).catch(() => undefined); // the next prune removes them
  }

  private async all(): Promise<RebuildJob[]> {
    return (await this.store.view(NAME).range(COLLECTION, {})).map(({ value }) => JSON.parse(value.toString()) as RebuildJob);
  }
}
