import { isEnded, type JobRepository, type RebuildJob } from './job-repository.js';
import type { RebuildOptions } from './rebuild.js';
import type { RebuildProgress } from './rebuild-lease.js';

/** How often the progress of a job is stored. */
const STORE_INTERVAL_MS = 1_000;

const MAX_MESSAGE_LENGTH = 500;

/** Stores the progress of one job, and aborts the rebuild when somebody has cancelled it. */
export class ProgressRecorder {
  readonly options: RebuildOptions;
  private storedAt = 0;
  private storing: Promise<unknown> = Promise.resolve();
  private progress: Partial<RebuildJob> = {};
  private begun: RebuildJob['begun'];

  constructor(
    private readonly jobs: JobRepository,
    private readonly job: RebuildJob,
    private readonly abort: AbortController,
    private readonly now: () => number,
  ) {
    const { begun } = job;
    this.begun = begun;
    this.options = {
      id: job.id,
      signal: abort.signal,
      processed: job.processed,
      startedAt: Date.parse(job.startedAt),
      ...(begun && { begun: { namespace: begun.namespace, countedTo: BigInt(begun.told) } }),
      onNamespace: (namespace) => {
        this.begun = { namespace, told: this.begun?.told ?? '0' };
        this.storedAt = 0; // store it at once: without the namespace nobody could continue the job
      },
      onProgress: (progress, position) => this.onProgress(progress, position),
    };
  }

  /** Resolves when everything due has been stored. */
  get settled(): Promise<unknown> {
    return this.storing;
  }

  async end(state: RebuildJob['state'], error?: unknown): Promise<void> {
    await this.storing;
    const endedAt = new Date(this.now()).toISOString();
    const failure = error === undefined ? null : { message: messageOf(error) };
    await this.jobs.update(this.job.id, (known) =>
      known && !isEnded(known) ? { ...known, ...this.progress, state, endedAt, failure, remainingSeconds: null, begun: null } : known,
    );
  }

  private onProgress({ state, processed, total, eventsPerSecond, remainingSeconds }: RebuildProgress, position: bigint | null): void {
    if (state !== 'running' && state !== 'switching') return;
    this.progress = { state, processed, total, eventsPerSecond, remainingSeconds };
    if (position !== null && this.begun && position > BigInt(this.begun.told)) this.begun = { ...this.begun, told: `${position}` };
    if (this.now() - this.storedAt < STORE_INTERVAL_MS) return;
    this.storedAt = this.now();
    const update = { ...this.progress, begun: this.begun };
    this.storing = this.storing.then(async () => {
      const known = await this.jobs.update(this.job.id, (before) => before && { ...before, ...update }).catch(() => null);
      if (known?.cancelled) this.abort.abort();
    });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE_LENGTH);
