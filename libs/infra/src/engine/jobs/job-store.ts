import { atomically, ownNamespace } from '#infra/platform/coordination/own-namespace.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { isEnded, type Job, type LastingJobs } from './job.js';

/** Process that works on a job. `beats` counts the heartbeats, so that other processes detect silence with their own clock only. */
export type JobHolder = Readonly<{ process: string; beats: number }>;

/** A job with its internal members. */
export type StoredJob = Job &
  Readonly<{
    /** Order of creation. */
    number: number;
    /** Text that no two running jobs share. */
    exclusive: string | null;
    /** The caller that it is for; jobs of programs, and those of older releases, have none. */
    owner?: string;
    /** Set once its cancellation is requested. */
    cancelled: boolean;
    holder: JobHolder | null;
  }>;

/** Name for all kinds together, because ids are unique across kinds. */
const NAME = 'ops.jobs';
const COLLECTION = 'jobs';
/** Its checkpoint counts the jobs left to other processes, so that these are notified at once. */
const LEFT = 'ops.jobs-left';
/** Retention of ended jobs. */
const KEPT_MS = 7 * 86_400_000;
/** Maximum number of ended jobs. Every process reads all jobs every few seconds, so starting jobs in a loop must not slow that down. */
const MOST_ENDED = 1_000;

/** All jobs at one moment. `number`: of the next job. */
type JobsNow = Readonly<{ all: readonly StoredJob[]; number: number }>;

/** Stores jobs in the read store, in a namespace of their own whose checkpoint counts the changes. All calls throw ReadStoreUnavailable. */
export class JobStore {
  constructor(
    private readonly store: ReadStore,
    private readonly now: () => number,
    private readonly lasting: LastingJobs = () => [],
    private readonly mostEnded = MOST_ENDED,
  ) {}

  async get(id: string): Promise<StoredJob | null> {
    const text = await this.store.view(NAME).get(COLLECTION, id);
    const job = text && parse(text);
    return job && !this.isOver(job) ? job : null;
  }

  /** All stored jobs, in no order. */
  async all(): Promise<readonly StoredJob[]> {
    return this.keptOf(await this.store.view(NAME).range(COLLECTION, {}));
  }

  /** Stores the result of `change`, unless it is the same job or none. Returns the stored job. */
  update(id: string, change: (job: StoredJob | null) => StoredJob | null): Promise<StoredJob | null> {
    return atomically(this.store, NAME, async (namespace, changes) => {
      const text = await this.store.documents(namespace).get(COLLECTION, id);
      const before = text && parse(text);
      const after = change(before);
      if (after !== before && after !== null) await this.put(namespace, after, changes);
      return after;
    });
  }

  /** Stores a new job that `create` makes from all others. If it throws, nothing is stored. Removes jobs older than their retention. */
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

  /** Notifies all processes that a job was left to them. Never throws, because they also check from time to time. */
  async announceLeft(): Promise<void> {
    try {
      const namespace = await ownNamespace(this.store, LEFT);
      const before = await this.store.checkpoint(namespace);
      await this.store.commit(namespace, [], before, before + 1n);
    } catch {
      // Or another process has just announced another job.
    }
  }

  /** Returns a function that removes the listener. */
  onLeft(listener: () => void): () => void {
    return this.store.onCommit(LEFT, listener);
  }

  private put(namespace: Namespace, job: StoredJob, changes: bigint): Promise<void> {
    const put = { kind: 'put', collection: COLLECTION, key: job.id, value: JSON.stringify(job) } as const;
    return this.store.commit(namespace, [put], changes, changes + 1n);
  }

  /** Jobs that ended too long ago, and the oldest ended ones beyond the maximum, except for lasting ones, which have a maximum of their own. */
  private notKept(stored: readonly StoredJob[]): readonly StoredJob[] {
    const ended = stored.filter(isEnded).sort((one, other) => other.number - one.number);
    const lasting = new Set(this.lasting(ended.filter((job) => !this.isOver(job))).slice(0, this.mostEnded));
    return ended.filter((job, place) => this.isOver(job) || (place >= this.mostEnded && !lasting.has(job)));
  }

  private keptOf(documents: readonly Readonly<{ value: Buffer }>[]): readonly StoredJob[] {
    return documents.map(({ value }) => parse(value)).filter((job) => !this.isOver(job));
  }

  private isOver(job: StoredJob): boolean {
    return isEnded(job) && job.endedAt !== null && Date.parse(job.endedAt) < this.now() - KEPT_MS;
  }
}

const parse = (text: Buffer): StoredJob => JSON.parse(text.toString('utf8')) as StoredJob;
