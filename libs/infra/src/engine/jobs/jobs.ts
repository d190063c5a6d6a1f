import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { isEnded, type Job, type JobKind, JobUnderWay, type JsonMembers, type LastingJobs, TooManyJobs } from './job.js';
import { JobRun, type JobRunDependencies } from './job-run.js';
import { type JobHolder, JobStore, type StoredJob } from './job-store.js';

type JobsDependencies = Readonly<{
  store: ReadStore;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Milliseconds without a heartbeat after which another process takes a job. Default: 10 s. */
  silenceMs?: number;
  /** Interval in milliseconds at which a running job is stored. Default: 1 s. */
  beatMs?: number;
  /** Interval in milliseconds between searches for such jobs. Default: 2 s. */
  lookMs?: number;
  /** Default: no job lasts. */
  lasting?: LastingJobs;
  /** Maximum number of ended jobs kept, of all kinds together, and of lasting ones besides. Default: 1,000. */
  mostEnded?: number;
}>;

type BeginOptions = Readonly<{
  /** The job does not start while another one with this text is running, whatever its kind. */
  exclusive?: string;
  /** The job does not start while this many of its kind are running. */
  most?: number;
  /** The caller that the job is for. */
  owner?: string;
  /** The job does not start while this many of its kind and owner are running. */
  mostOfOwner?: number;
}>;

const MAX_LISTED = 100;
const pauseMs = backOff(100, 5_000);

/** Holder of a job as seen by this process, and the time at which it was first seen. */
type Watched = Readonly<{ holder: JobHolder; since: number }>;

/**
 * Long-running work that survives the process that began it (operations contract 0). Every process sees every job and can cancel it; one at
 * a time works on it. When its process is gone, the first process that notices continues from the last stored state, at most a second
 * older. Jobs are kept in the read store. If that is lost, they stop, but nothing breaks.
 */
export class Jobs {
  private readonly kinds = new Map<string, JobKind>();
  private readonly jobs: JobStore;
  private readonly stopping = new AbortController();
  private readonly running = new Map<string, Readonly<{ run: { current?: JobRun }; done: Promise<void> }>>();
  private readonly watched = new Map<string, Watched>();
  private readonly run: JobRunDependencies;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopListening: () => void = () => undefined;
  /** Failed searches in a row. */
  private failures = 0;
  /** Kinds that this node works on; `undefined` before the start: all. */
  private takenOver: ReadonlySet<string> | undefined;

  constructor(private readonly dependencies: JobsDependencies) {
    const { store, now, log, silenceMs = 10_000, beatMs = 1_000, lasting, mostEnded } = dependencies;
    this.jobs = new JobStore(store, now, lasting, mostEnded);
    this.run = { store: this.jobs, process: randomUUID(), silenceMs, beatMs, now, log };
  }

  /** Registers a kind of jobs that this process can run; must precede {@link start}. Other kinds are left to other processes. */
  register<Input, Details>(kind: JobKind<Input, Details>): void {
    if (this.kinds.has(kind.name)) throw new Error(`there are two kinds of jobs named ${kind.name}`);
    this.kinds.set(kind.name, kind as JobKind);
  }

  /**
   * Looks for jobs without a process: now, whenever a process leaves one, and every few seconds unless this node works alone.
   * @param kinds that this process works on. Default: all registered ones
   */
  start(kinds: readonly string[] = [...this.kinds.keys()]): void {
    this.takenOver = new Set(kinds.filter((kind) => this.kinds.has(kind)));
    if (this.takenOver.size === 0) return;
    this.stopListening = this.jobs.onLeft(() => this.lookAgain());
    this.look();
  }

  /** Stops permanently. Resolves when this process works on no job. Another process, or the next start, continues unfinished ones. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.stopListening();
    clearTimeout(this.timer);
    await this.looking;
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  /**
   * Begins the job with this id: in this process or, if others work on its kind, at the first of them that notices it. If the job exists already,
   * returns it unchanged.
   * @throws JobUnderWay, TooManyJobs, ReadStoreUnavailable
   */
  async begin<Input extends JsonMembers>(
    kind: string,
    id: string,
    input: Input,
    { exclusive, owner, most = Number.POSITIVE_INFINITY, mostOfOwner = most }: BeginOptions = {},
  ): Promise<Job> {
    const work = this.kind(kind);
    const { now, process } = this.run;
    const isHere = this.takenOver?.has(kind) ?? true;
    const known = await this.jobs.get(id);
    if (known) return known;
    let found: StoredJob | undefined;
    const added = await this.jobs.add(({ all, number }) => {
      found = all.find((job) => job.id === id);
      if (found) return null;
      const other = exclusive === undefined ? undefined : all.find((job) => job.exclusive === exclusive && !isEnded(job));
      if (other) throw new JobUnderWay({ kind: other.kind, id: other.id });
      const same = all.filter((job) => job.kind === kind && !isEnded(job));
      const own = same.filter((job) => job.owner === owner);
      if (same.length >= most || own.length >= mostOfOwner) throw new TooManyJobs();
      return {
        id,
        kind,
        state: 'running',
        startedAt: new Date(now()).toISOString(),
        endedAt: null,
        failure: null,
        input,
        details: work.initial(input),
        resume: null,
        number,
        exclusive: exclusive ?? null,
        ...(owner !== undefined && { owner }),
        cancelled: false,
        holder: isHere ? { process, beats: 0 } : null,
      };
    });
    if (added && isHere) this.work(added.id);
    else if (added) await this.jobs.announceLeft();
    const job = added ?? found;
    if (!job) throw new Error(`job ${id} was neither found nor made`);
    return job;
  }

  /** `null` if there is no job of this id and kind, or it ended more than seven days ago. @throws ReadStoreUnavailable */
  async get(kind: string, id: string): Promise<Job | null> {
    const job = await this.jobs.get(id);
    return job?.kind === kind ? job : null;
  }

  /** Jobs of a kind, newest first, at most 100. @throws ReadStoreUnavailable */
  async list(kind: string): Promise<readonly Job[]> {
    return (await this.all(kind)).slice(0, MAX_LISTED);
  }

  /** All jobs of a kind, newest first. @throws ReadStoreUnavailable */
  async all(kind: string): Promise<readonly Job[]> {
    const jobs = (await this.jobs.all()).filter((job) => job.kind === kind);
    return jobs.sort((one, other) => other.number - one.number);
  }

  /** The running job with this text for `exclusive`, whatever its kind. @throws ReadStoreUnavailable */
  async underWay(exclusive: string): Promise<Job | null> {
    return (await this.jobs.all()).find((job) => job.exclusive === exclusive && !isEnded(job)) ?? null;
  }

  /** Cancels the job soon, whichever process works on it. Returns `false` if it has ended or is unknown. @throws ReadStoreUnavailable */
  async cancel(kind: string, id: string): Promise<boolean> {
    const job = await this.jobs.update(id, (known) =>
      known?.kind === kind && !isEnded(known) && !known.cancelled ? { ...known, cancelled: true } : known,
    );
    if (job?.kind !== kind || isEnded(job)) return false;
    this.running.get(id)?.run.current?.cancel();
    return true;
  }

  /** Resolves with the job once it has ended in any process; calls `onProgress` when it changes. @throws ReadStoreUnavailable */
  async ended(kind: string, id: string, onProgress: (job: Job) => void = () => undefined, everyMs = 250): Promise<Job | null> {
    for (;;) {
      const job = await this.get(kind, id);
      if (!job) return null;
      onProgress(job);
      if (isEnded(job)) return job;
      await sleep(everyMs);
    }
  }

  private kind(name: string): JobKind {
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`there is no kind of jobs named ${name}`);
    return kind;
  }

  private lookAgain(): void {
    void this.looking.then(() => this.look());
  }

  private look(): void {
    if (this.stopping.signal.aborted) return;
    clearTimeout(this.timer);
    const { store, log } = this.dependencies;
    this.looking = this.takeAbandoned()
      .then(
        () => {
          this.failures = 0;
          return store.isAlone;
        },
        (error: unknown) => {
          if (isLogged(++this.failures)) log.warn({ err: error }, 'the search for abandoned jobs failed and is repeated later');
          return false;
        },
      )
      .then((isDone) => {
        if (this.stopping.signal.aborted || isDone) return;
        this.timer = setTimeout(() => this.look(), this.dependencies.lookMs ?? 2_000).unref();
      });
  }

  private async takeAbandoned(): Promise<void> {
    const unended = (await this.jobs.all()).filter((job) => !isEnded(job));
    const ids = new Set(unended.map(({ id }) => id));
    for (const id of this.watched.keys()) if (!ids.has(id)) this.watched.delete(id);
    for (const job of unended) if (this.takenOver?.has(job.kind) && !this.running.has(job.id) && this.isAbandoned(job)) this.work(job.id);
  }

  /**
   * Returns whether no process works on a job. If this node works alone, no other one does. Otherwise this is decided by the time since
   * this process last saw a new beat, because the clocks of two nodes may differ.
   */
  private isAbandoned({ id, holder }: StoredJob): boolean {
    if (holder === null || holder.process === this.run.process || this.dependencies.store.isAlone) return true;
    const before = this.watched.get(id);
    const isSame = before?.holder.process === holder.process && before.holder.beats === holder.beats;
    if (!before || !isSame) {
      this.watched.set(id, { holder, since: performance.now() });
      return false;
    }
    return performance.now() - before.since >= this.run.silenceMs;
  }

  private work(id: string): void {
    if (this.stopping.signal.aborted || this.running.has(id)) return;
    const run: { current?: JobRun } = {};
    const done = this.attempts(id, run)
      .catch((error: unknown) => this.dependencies.log.error({ job: id, err: error }, 'the outcome of a job is unknown'))
      .finally(() => this.running.delete(id));
    this.running.set(id, { run, done });
  }

  /** Works on a job until it has ended or another process holds it. */
  private async attempts(id: string, run: { current?: JobRun }): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; ) {
      const started = performance.now();
      try {
        const job = await this.claim(id);
        const kind = job && this.kinds.get(job.kind);
        if (!kind) return;
        run.current = new JobRun(this.run, job, kind, signal);
        if ((await run.current.run()) !== 'again') return;
        failures += 1;
      } catch (error) {
        failures = performance.now() - started > 60_000 ? 1 : failures + 1;
        if (isLogged(failures)) this.dependencies.log.warn({ job: id, err: error }, 'a job waits for a store');
      }
      await sleep(pauseMs(failures), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Takes the job, unless another process was seen working on it. `null`: it was, or the job has ended. @throws ReadStoreUnavailable */
  private async claim(id: string): Promise<StoredJob | null> {
    const { process } = this.run;
    const abandoned = this.watched.get(id)?.holder;
    const claimed = await this.jobs.update(id, (known) => {
      if (!known || isEnded(known)) return null;
      const { holder } = known;
      const isFree =
        holder === null ||
        holder.process === process ||
        this.dependencies.store.isAlone ||
        (abandoned?.process === holder.process && abandoned.beats === holder.beats);
      return isFree ? { ...known, holder: { process, beats: (holder?.beats ?? 0) + 1 } } : null;
    });
    this.watched.delete(id);
    return claimed;
  }
}
