import { performance } from 'node:perf_hooks';
import { isOutage } from '#infra/platform/coordination/outage.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { type Job, JobFailed, type JobKind, type JobState, type Json, type JsonMembers } from './job.js';
import type { JobStore, StoredJob } from './job-store.js';

/** Part of the time of silence after which others take a job that its own process stops working on it, when it cannot show that it lives. */
const FENCE = 0.7;

const MAX_MESSAGE_LENGTH = 500;

export type JobRunDependencies = Readonly<{
  store: JobStore;
  /** Id of the process that works. */
  process: string;
  /** Others take a job that has shown no sign of life for so long, in milliseconds. */
  silenceMs: number;
  /** How often a job at work is stored, in milliseconds: its progress, and that somebody works on it. */
  beatMs: number;
  now: () => number;
  log: Pick<Logger, 'warn' | 'error'>;
}>;

/** How an attempt ended: with an end that is stored; without one (the process stops, or lost the job); or it is to be tried again. */
type RunOutcome = 'ended' | 'left' | 'again';

type Report = Readonly<{ details: JsonMembers; resume?: Json; state: 'running' | 'switching' }>;

/** One attempt of one process at one job that it holds. Stores its progress once a second, and ends it when somebody has cancelled it. */
export class JobRun {
  private readonly abort = new AbortController();
  private report: Report | null = null;
  private lastBeatAt = performance.now();
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

  /** Somebody in this process has cancelled the job. */
  cancel(): void {
    this.isCancelled = true;
    this.abort.abort();
  }

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

  /** After a failure of the work: by what it was. */
  private async failed(error: unknown): Promise<RunOutcome> {
    const { log } = this.dependencies;
    if (this.isCancelled) return this.finish('cancelled');
    if (this.stopping.aborted || this.isLost) return this.leave();
    if (isOutage(error) || this.abort.signal.aborted) {
      await this.beating;
      log.warn({ job: this.job.id, kind: this.kind.name, err: error }, 'a job waits for a store');
      return 'again';
    }
    const isExpected = error instanceof JobFailed;
    const message = isExpected
      ? error.message.slice(0, MAX_MESSAGE_LENGTH)
      : 'something went wrong inside; the log of the server says what';
    log.error({ job: this.job.id, kind: this.kind.name, err: error }, 'a job failed');
    return this.finish('failed', message);
  }

  /** Stores how far it is, so that others continue there at once. */
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
        // Cancelled while its last step was under way: what the caller was promised, unless a result is in place already.
        state: state === 'done' && known.cancelled && known.state === 'running' ? 'cancelled' : state,
        endedAt,
        failure: failure === undefined ? null : { message: failure },
        resume: null,
        holder: null,
      }));
      return this.isLost ? 'left' : 'ended';
    } catch (error) {
      if (!isOutage(error)) throw error;
      return 'again'; // what is done is found done by the next attempt, or done again
    }
  }

  /** Shows the others that this process works, and how far it is. */
  private beat(): void {
    this.beating = this.beating
      .then(async () => {
        if (this.isLost) return;
        await this.store((known) => known);
        this.lastBeatAt = performance.now();
      })
      .catch((error: unknown) => {
        this.dependencies.log.warn({ job: this.job.id, err: error }, 'the progress of a job cannot be stored');
        if (performance.now() - this.lastBeatAt > this.dependencies.silenceMs * FENCE) this.abort.abort();
      });
  }

  /** Stores what was reported, with a further change, if the job is still this process's. */
  private async store(change: (known: StoredJob) => StoredJob): Promise<void> {
    const { store, process } = this.dependencies;
    const { report } = this;
    const stored = await store.update(this.job.id, (known) => {
      if (known?.holder?.process !== process) return null;
      const beating = { ...known, ...report, holder: { process, beats: known.holder.beats + 1 } };
      return change(beating);
    });
    if (stored === null) {
      this.isLost = true; // ended, taken by another process, or gone with the read store
      this.abort.abort();
    } else if (stored.cancelled) this.cancel();
  }
}

/** Members of a job that are shown, in the order of operations contract 0. */
export const jobView = ({ id, state, startedAt, endedAt, failure, details }: Job): Readonly<Record<string, unknown>> => ({
  id,
  state,
  startedAt,
  endedAt,
  failure,
  ...details,
});
