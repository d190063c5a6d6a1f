import type { RunnerDependencies } from '#infra/projection-runner/dependencies.js';
import type { ReadModels } from '#infra/projection-runner/read-models.js';
import { isEnded, JobRepository, type RebuildJob } from './job-repository.js';
import type { RebuildOptions } from './rebuild.js';
import { type RebuildProgress, RebuildUnderWay, rebuildUnderWay } from './rebuild-lease.js';

/** How often jobs are looked for that nobody works at any more, and how often one tells how far it is: milliseconds. */
const LOOK_INTERVAL_MS = 5_000;
const REPORT_INTERVAL_MS = 1_000;

const MAX_MESSAGE_LENGTH = 500;

export type JobParts = Readonly<{
  parts: Pick<RunnerDependencies, 'store' | 'timing' | 'now' | 'log'>;
  readModels: Pick<ReadModels, 'rebuild' | 'names'>;
}>;

/**
 * Rebuilds as jobs that outlive the process that works at them: each is known to all processes, and when nobody works at one any more, whichever
 * finds it goes on from where it last committed.
 */
export class RebuildJobs {
  private readonly tracker: JobRepository;
  private readonly running = new Map<string, Readonly<{ abort: AbortController; done: Promise<void> }>>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly all: JobParts) {
    this.tracker = new JobRepository(all.parts.store, all.parts.now);
  }

  /** Looks for jobs to go on with, now and later. */
  start(): void {
    this.look();
  }

  /** Resolves when nothing is under way here any more; jobs wait for another process. For good. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
    for (const { abort } of this.running.values()) abort.abort();
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  /** Whether a rebuild of the projection is under way, by a job or otherwise. @throws ReadStoreUnavailable */
  async isUnderWay(projection: string): Promise<boolean> {
    const { store, timing, now } = this.all.parts;
    if ((await rebuildUnderWay(store, projection, timing, now())) !== null) return true;
    return (await this.tracker.list()).some((job) => job.projection === projection && !isEnded(job));
  }

  /** Begins the job of this id unless there is one. @throws ReadStoreUnavailable */
  async begin(projection: string, id: string): Promise<void> {
    await this.tracker.prune();
    const job = await this.tracker.update(id, (known) => known ?? newJob(id, projection, this.all.parts.now()));
    if (job && !isEnded(job)) this.work(job);
  }

  /** The newest first, 100 at most. @throws ReadStoreUnavailable */
  list(): Promise<readonly RebuildJob[]> {
    return this.tracker.list();
  }

  /** Also a rebuild that was begun otherwise, for as long as it is under way. `null`: there is none. @throws ReadStoreUnavailable */
  async get(id: string): Promise<RebuildJob | null> {
    const { store, timing, now } = this.all.parts;
    const known = await this.tracker.get(id);
    if (known) return known;
    for (const projection of this.all.readModels.names) {
      const progress = await rebuildUnderWay(store, projection, timing, now());
      if (progress?.id === id) return { ...progress, failure: null, cancelled: false, begun: null };
    }
    return null;
  }

  /** Ends the job wherever somebody works at it, soon. False: it has ended, or is no job. @throws ReadStoreUnavailable */
  async cancel(id: string): Promise<boolean> {
    const job = await this.tracker.update(id, (known) => (known && !isEnded(known) ? { ...known, cancelled: true } : known));
    if (!job || isEnded(job)) return false;
    this.running.get(id)?.abort.abort();
    if (!this.running.has(id)) this.look();
    return true;
  }

  private look(): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.looking = this.looking
      .then(() => this.goOn())
      .catch((error: unknown) => this.all.parts.log.warn({ err: error }, 'jobs that nobody works at are looked for later'))
      .finally(() => {
        if (!this.stopped) this.timer = setTimeout(() => this.look(), LOOK_INTERVAL_MS).unref();
      });
  }

  private async goOn(): Promise<void> {
    const { store, timing, now } = this.all.parts;
    for (const job of await this.tracker.list()) {
      if (this.stopped || isEnded(job) || this.running.has(job.id)) continue;
      if ((await rebuildUnderWay(store, job.projection, timing, now())) === null) this.work(job);
    }
  }

  private work(job: RebuildJob): void {
    if (this.stopped || this.running.has(job.id)) return;
    const abort = new AbortController();
    if (job.cancelled) abort.abort();
    const done = this.run(job, abort)
      .catch((error: unknown) => this.all.parts.log.warn({ job: job.id, err: error }, 'a rebuild cannot tell how it went'))
      .finally(() => this.running.delete(job.id));
    this.running.set(job.id, { abort, done });
  }

  private async run(job: RebuildJob, abort: AbortController): Promise<void> {
    const recorder = new ProgressRecorder(this.tracker, job, abort, this.all.parts.now);
    try {
      if (!this.all.readModels.names.includes(job.projection)) throw new Error(`there is no projection ${job.projection}`);
      abort.signal.throwIfAborted();
      await this.all.readModels.rebuild(job.projection, recorder.options);
      await recorder.end('done');
    } catch (error) {
      await recorder.told;
      if (error instanceof RebuildUnderWay) return; // somebody else works at it
      const isCancelled = (await this.tracker.get(job.id))?.cancelled === true;
      if (abort.signal.aborted && !isCancelled) return; // this process ends
      await recorder.end(isCancelled ? 'cancelled' : 'failed', isCancelled ? undefined : error);
    }
  }
}

/** Writes down how far a job is, and hears that it is to end. */
class ProgressRecorder {
  readonly options: RebuildOptions;
  private toldAt = 0;
  private telling: Promise<unknown> = Promise.resolve();
  private progress: Partial<RebuildJob> = {};
  private begun: RebuildJob['begun'];

  constructor(
    private readonly tracker: JobRepository,
    private readonly job: RebuildJob,
    private readonly abort: AbortController,
    private readonly now: () => number,
  ) {
    this.begun = job.begun;
    const { begun } = job;
    this.options = {
      id: job.id,
      signal: abort.signal,
      processed: job.processed,
      startedAt: Date.parse(job.startedAt),
      ...(begun && { begun: { namespace: begun.namespace, told: BigInt(begun.told) } }),
      onNamespace: (namespace) => {
        this.begun = { namespace, told: this.begun?.told ?? '0' };
        this.toldAt = 0; // at once: without it nobody could go on with it
      },
      onProgress: (progress, position) => this.hear(progress, position),
    };
  }

  /** Resolves when what was to be written down by now has been. */
  get told(): Promise<unknown> {
    return this.telling;
  }

  async end(state: RebuildJob['state'], error?: unknown): Promise<void> {
    await this.telling;
    const endedAt = new Date(this.now()).toISOString();
    const failure = error === undefined ? null : { message: messageOf(error) };
    await this.tracker.update(this.job.id, (known) =>
      known && !isEnded(known) ? { ...known, ...this.progress, state, endedAt, failure, remainingSeconds: null, begun: null } : known,
    );
  }

  private hear({ state, processed, total, eventsPerSecond, remainingSeconds }: RebuildProgress, position: bigint | null): void {
    if (state !== 'running' && state !== 'switching') return;
    this.progress = { state, processed, total, eventsPerSecond, remainingSeconds };
    if (position !== null && this.begun && position > BigInt(this.begun.told)) this.begun = { ...this.begun, told: `${position}` };
    if (this.now() - this.toldAt < REPORT_INTERVAL_MS) return;
    this.toldAt = this.now();
    const told = { ...this.progress, begun: this.begun };
    this.telling = this.telling.then(async () => {
      const known = await this.tracker.update(this.job.id, (before) => before && { ...before, ...told }).catch(() => null);
      if (known?.cancelled) this.abort.abort();
    });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE_LENGTH);

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
