import { performance } from 'node:perf_hooks';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { type Job, JobFailed, type JobKind, type JobState, type Json, type JsonMembers } from './job.js';
import type { JobStore, StoredJob } from './job-store.js';

/** Fraction of the silence time after which a process stops working on its own job if it cannot store a heartbeat. */
const FENCE = 0.7;

const MAX_MESSAGE_LENGTH = 500;

export type JobRunDependencies = Readonly<{
  store: JobStore;
  /** Id of the working process. */
  process: string;
  /** Milliseconds without a heartbeat after which other processes take a job. */
  silenceMs: number;
  /** Interval in milliseconds at which a running job stores its progress and heartbeat. */
  beatMs: number;
  now: () => number;
  log: Pick<Logger, 'warn' | 'error'>;
}>;

/** End of an attempt: with a stored end; without one (the process stops, or lost the job); or to be repeated. */
type RunOutcome = 'ended' | 'left' | 'again';

type Report = Readonly<{ details: JsonMembers; resume?: Json; state: 'running' | 'switching' }>;

/** One attempt of one process at a job that it holds. Stores its progress once a second, and ends the job when it is cancelled. */
export class JobRun {
  private readonly abort = new AbortController();
  private report: Report | null = null;
  private lastBeatAt = performance.now();
  /** Failed heartbeats in a row. */
  private missed = 0;
  private beating: Promise<void> = Promise.resolve();
  private isLost = false;
  private isCancelled: boolean;

  constructor(
    private readonly dependencies: JobRunDependencies,
    private readonly job: StoredJob,
    private readonly kind: JobKind,
    private readonly stopping: AbortSignal,
  ) {
    this.isCancelled = job.cancelled;
  }

  /** Cancels the job from this process. */
  cancel(): void {
    this.isCancelled = true;
    this.abort.abort();
  }

  /** @throws Error an outage ended the attempt: it is to be repeated */
  async run(): Promise<RunOutcome> {
    if (this.isCancelled) this.abort.abort();
    const timer = setInterval(() => this.beat(), this.dependencies.beatMs);
    const signal = AbortSignal.any([this.abort.signal, this.stopping]);
    try {
      signal.throwIfAborted();
      await this.kind.run(this.job, {
        signal,
        isCancelled: () => this.isCancelled,
        report: (details, resume, state = 'running') => this.take({ details, resume, state }),
      });
      return await this.finish('done');
    } catch (error) {
      return await this.failed(error);
    } finally {
      clearInterval(timer);
      await this.beating;
    }
  }

  private take({ resume, ...report }: Report): void {
    const kept = resume === undefined ? this.report?.resume : resume;
    this.report = kept === undefined ? report : { ...report, resume: kept };
  }

  /** Handles a failure of the work by its kind. */
  private async failed(error: unknown): Promise<RunOutcome> {
    const { log } = this.dependencies;
    if (this.isCancelled) return this.finish('cancelled');
    if (this.stopping.aborted || this.isLost) return this.leave();
    if (isOutage(error) || this.abort.signal.aborted) {
      await this.beating;
      throw error;
    }
    const isExpected = error instanceof JobFailed;
    const message = isExpected
      ? error.message.slice(0, MAX_MESSAGE_LENGTH)
      : 'something went wrong inside; the log of the server says what';
    log.error({ job: this.job.id, kind: this.kind.name, err: error }, 'a job failed');
    return this.finish('failed', message);
  }

  /** Stores the progress, so that another process can continue there at once. */
  private async leave(): Promise<RunOutcome> {
    if (this.isLost) return 'left';
    const isStored = await this.store((known) => ({ ...known, holder: null })).then(
      () => true,
      () => false,
    );
    if (isStored) await this.dependencies.store.announceLeft();
    return 'left';
  }

  private async finish(state: JobState, failure?: string): Promise<RunOutcome> {
    await this.beating;
    const endedAt = new Date(this.dependencies.now()).toISOString();
    try {
      await this.store((known) => ({
        ...known,
        // Cancelled during its last step: the caller was promised a cancellation, unless a result is already in place.
        state: state === 'done' && known.cancelled && known.state === 'running' ? 'cancelled' : state,
        endedAt,
        failure: failure === undefined ? null : { message: failure },
        resume: null,
        holder: null,
      }));
      return this.isLost ? 'left' : 'ended';
    } catch (error) {
      if (!isOutage(error)) throw error;
      return 'again'; // the next attempt detects finished work, or repeats it
    }
  }

  /** Shows other processes that this one works, and its progress. */
  private beat(): void {
    this.beating = this.beating
      .then(async () => {
        if (this.isLost) return;
        await this.store((known) => known);
        this.lastBeatAt = performance.now();
        this.missed = 0;
      })
      .catch((error: unknown) => {
        if (isLogged(++this.missed)) this.dependencies.log.warn({ job: this.job.id, err: error }, 'the progress of a job cannot be stored');
        if (performance.now() - this.lastBeatAt > this.dependencies.silenceMs * FENCE) this.abort.abort();
      });
  }

  /** Stores the reported state with a further change, if this process still holds the job. */
  private async store(change: (known: StoredJob) => StoredJob): Promise<void> {
    const { store, process } = this.dependencies;
    const { report } = this;
    const stored = await store.update(this.job.id, (known) => {
      if (known?.holder?.process !== process) return null;
      const beating = { ...known, ...report, holder: { process, beats: known.holder.beats + 1 } };
      return change(beating);
    });
    if (stored === null) {
      this.isLost = true; // ended, taken by another process, or lost with the read store
      this.abort.abort();
    } else if (stored.cancelled) this.cancel();
  }
}

/** Public members of a job, in the order of operations contract 0. */
export const jobView = ({ id, state, startedAt, endedAt, failure, details }: Job): Readonly<Record<string, unknown>> => ({
  id,
  state,
  startedAt,
  endedAt,
  failure,
  ...details,
});
