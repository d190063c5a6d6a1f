import type { RunnerDependencies } from '#infra/projection-runner/dependencies.js';
import type { ReadModels } from '#infra/projection-runner/read-models.js';
import { isEnded, JobRepository, type RebuildJob } from './job-repository.js';
import { ProgressRecorder } from './progress-recorder.js';
import { RebuildUnderWay, rebuildUnderWay } from './rebuild-lease.js';

/** How often to look for jobs that no process works on any more. */
const LOOK_INTERVAL_MS = 5_000;

/**
 * Rebuilds as jobs that outlive the process that works on them. Every process sees every job. When no process works on a job any more, the first one
 * that finds it continues from its last commit.
 */
export class RebuildJobs {
  private readonly jobs: JobRepository;
  private readonly running = new Map<string, Readonly<{ abort: AbortController; done: Promise<void> }>>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly dependencies: Pick<RunnerDependencies, 'store' | 'timing' | 'now' | 'log'>,
    private readonly readModels: Pick<ReadModels, 'rebuild' | 'names'>,
  ) {
    this.jobs = new JobRepository(dependencies.store, dependencies.now);
  }

  /** Looks for abandoned jobs, now and every few seconds. */
  start(): void {
    this.look();
  }

  /** Stops for good. Resolves when this process works on no job any more; unfinished jobs wait for another process. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
    for (const { abort } of this.running.values()) abort.abort();
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  /** Whether a rebuild of the projection is under way, as a job or otherwise. @throws ReadStoreUnavailable */
  async isUnderWay(projection: string): Promise<boolean> {
    const { store, timing, now } = this.dependencies;
    if ((await rebuildUnderWay(store, projection, timing, now())) !== null) return true;
    return (await this.jobs.list()).some((job) => job.projection === projection && !isEnded(job));
  }

  /** Starts the job of this id unless it exists. @throws ReadStoreUnavailable */
  async begin(projection: string, id: string): Promise<void> {
    await this.jobs.prune();
    const job = await this.jobs.update(id, (known) => known ?? newJob(id, projection, this.dependencies.now()));
    if (job && !isEnded(job)) this.work(job);
  }

  /** Newest first, at most 100. @throws ReadStoreUnavailable */
  list(): Promise<readonly RebuildJob[]> {
    return this.jobs.list();
  }

  /** Also finds a rebuild that was started otherwise, while it is under way. `null`: there is none. @throws ReadStoreUnavailable */
  async get(id: string): Promise<RebuildJob | null> {
    const { store, timing, now } = this.dependencies;
    const known = await this.jobs.get(id);
    if (known) return known;
    for (const projection of this.readModels.names) {
      const progress = await rebuildUnderWay(store, projection, timing, now());
      if (progress?.id === id) return { ...progress, failure: null, cancelled: false, begun: null };
    }
    return null;
  }

  /** Cancels the job soon, whichever process works on it. Returns false if it has ended, or is no job. @throws ReadStoreUnavailable */
  async cancel(id: string): Promise<boolean> {
    const job = await this.jobs.update(id, (known) => (known && !isEnded(known) ? { ...known, cancelled: true } : known));
    if (!job || isEnded(job)) return false;
    this.running.get(id)?.abort.abort();
    if (!this.running.has(id)) this.look();
    return true;
  }

  private look(): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.looking = this.looking
      .then(() => this.continueAbandoned())
      .catch((error: unknown) => this.dependencies.log.warn({ err: error }, 'jobs that nobody works at are looked for later'))
      .finally(() => {
        if (!this.stopped) this.timer = setTimeout(() => this.look(), LOOK_INTERVAL_MS).unref();
      });
  }

  private async continueAbandoned(): Promise<void> {
    const { store, timing, now } = this.dependencies;
    for (const job of await this.jobs.list()) {
      if (this.stopped || isEnded(job) || this.running.has(job.id)) continue;
      if ((await rebuildUnderWay(store, job.projection, timing, now())) === null) this.work(job);
    }
  }

  private work(job: RebuildJob): void {
    if (this.stopped || this.running.has(job.id)) return;
    const abort = new AbortController();
    if (job.cancelled) abort.abort();
    const done = this.run(job, abort)
      .catch((error: unknown) => this.dependencies.log.warn({ job: job.id, err: error }, 'a rebuild cannot tell how it went'))
      .finally(() => this.running.delete(job.id));
    this.running.set(job.id, { abort, done });
  }

  private async run(job: RebuildJob, abort: AbortController): Promise<void> {
    const recorder = new ProgressRecorder(this.jobs, job, abort, this.dependencies.now);
    try {
      if (!this.readModels.names.includes(job.projection)) throw new Error(`there is no projection ${job.projection}`);
      abort.signal.throwIfAborted();
      await this.readModels.rebuild(job.projection, recorder.options);
      await recorder.end('done');
    } catch (error) {
      await recorder.settled;
      if (error instanceof RebuildUnderWay) return; // another process works on it
      const isCancelled = (await this.jobs.get(job.id))?.cancelled === true;
      if (abort.signal.aborted && !isCancelled) return; // this process is stopping
      await recorder.end(isCancelled ? 'cancelled' : 'failed', isCancelled ? undefined : error);
    }
  }
}

const newJob = (id: string, projection: string, now: number): RebuildJob => ({
  id,
  projection,
  state: 'running',
  startedAt: new Date(now).toISOString(),
  endedAt: null,
  failure: null,
  processed: 0,
  total: null,
  eventsPerSecond: 0,
  remainingSeconds: null,
  cancelled: false,
  begun: null,
});
