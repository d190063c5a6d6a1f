import { atomically, ownNamespace } from '#infra/platform/coordination/own-namespace.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { isEnded, type Job } from './job.js';

/** Process that works on a job. `beats` counts the signs of life, so that others need no clock but their own to see that there are none. */
export type JobHolder = Readonly<{ process: string; beats: number }>;

/** A job with what only the processes need. */
export type StoredJob = Job &
  Readonly<{
    /** Order of creation. */
    number: number;
    /** No two jobs with the same text are under way at once. */
    exclusive: string | null;
    /** Somebody asked to cancel it. */
    cancelled: boolean;
    holder: JobHolder | null;
  }>;

/** All kinds together: ids are unique over all of them. */
const NAME = 'ops.jobs';
const COLLECTION = 'jobs';
/** Its checkpoint counts the jobs that were left to others, so that these hear of it at once. */
const LEFT = 'ops.jobs-left';
/** How long ended jobs are kept. */
const KEPT_MS = 7 * 86_400_000;
/** Every process looks at all of them every few seconds: somebody who begins jobs in a loop must not make that long. */
const MOST_ENDED = 1_000;

/** All jobs at one moment. `number`: that of the next one. */
type JobsNow = Readonly<{ all: readonly StoredJob[]; number: number }>;

/** Stores jobs in the read store, in a namespace of their own whose checkpoint counts the changes. All calls throw ReadStoreUnavailable. */
export class JobStore {
  constructor(
    private readonly store: ReadStore,
    private readonly now: () => number,
    private readonly mostEnded = MOST_ENDED,
  ) {}

  async get(id: string): Promise<StoredJob | null> {
    if (!isKey(id)) return null;
    const text = await this.store.view(NAME).get(COLLECTION, id);
    const job = text && parse(text);
    return job && !this.isOver(job) ? job : null;
  }

  /** All that are kept, in no order. */
  async all(): Promise<readonly StoredJob[]> {
    return this.keptOf(await this.store.view(NAME).range(COLLECTION, {}));
  }

  /** Stores the result of `change`, unless it is the same job or none. Returns the job as it is then. */
  update(id: string, change: (job: StoredJob | null) => StoredJob | null): Promise<StoredJob | null> {
    return atomically(this.store, NAME, async (namespace, changes) => {
      const text = await this.store.documents(namespace).get(COLLECTION, id);
      const before = text && parse(text);
      const after = change(before);
      if (after !== before && after !== null) await this.put(namespace, after, changes);
      return after;
    });
  }

  /** Stores a new job that `create` makes in view of all others. What it throws is thrown, and nothing stored. Removes what was kept long enough. */
  add(create: (now: JobsNow) => StoredJob | null): Promise<StoredJob | null> {
    return atomically(this.store, NAME, async (namespace, changes) => {
      const stored = (await this.store.documents(namespace).range(COLLECTION, {})).map(({ value }) => parse(value));
      const created = create({ all: stored.filter((job) => !this.isOver(job)), number: Number(changes) + 1 });
      if (!created) return null;
      const removals = this.notKept(stored).map(({ id }) => ({ kind: 'delete', collection: COLLECTION, key: id }) as const);
      const put = { kind: 'put', collection: COLLECTION, key: created.id, value: JSON.stringify(created) } as const;
      await this.store.commit(namespace, [...removals, put], changes, changes + 1n);
      return created;
    });
  }

  /** Tells all processes that a job was left to them. Never throws: they look now and then without it. */
  async announceLeft(): Promise<void> {
    try {
      const namespace = await ownNamespace(this.store, LEFT);
      const before = await this.store.checkpoint(namespace);
      await this.store.commit(namespace, [], before, before + 1n);
    } catch {
      // Or somebody else has just announced another one.
    }
  }

  /** Returns how to stop. */
  onLeft(listener: () => void): () => void {
    return this.store.onCommit(LEFT, listener);
  }

  private put(namespace: Namespace, job: StoredJob, changes: bigint): Promise<void> {
    const put = { kind: 'put', collection: COLLECTION, key: job.id, value: JSON.stringify(job) } as const;
    return this.store.commit(namespace, [put], changes, changes + 1n);
  }

  /** Those that ended too long ago, and the oldest ended ones of too many. */
  private notKept(stored: readonly StoredJob[]): readonly StoredJob[] {
    const ended = stored.filter(isEnded).sort((one, other) => other.number - one.number);
    return ended.filter((job, place) => place >= this.mostEnded || this.isOver(job));
  }

  private keptOf(documents: readonly Readonly<{ value: Buffer }>[]): readonly StoredJob[] {
    return documents.map(({ value }) => parse(value)).filter((job) => !this.isOver(job));
  }

  private isOver(job: StoredJob): boolean {
    return isEnded(job) && job.endedAt !== null && Date.parse(job.endedAt) < this.now() - KEPT_MS;
  }
}

const parse = (text: Buffer): StoredJob => JSON.parse(text.toString('utf8')) as StoredJob;

/** Keys of the read store have 1 to 1,500 bytes. */
const isKey = (id: string): boolean => id !== '' && Buffer.byteLength(id) <= 1_500;
