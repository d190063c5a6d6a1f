/** JSON in its stored form. */
export type Json = null | boolean | number | string | readonly Json[] | Readonly<{ [member: string]: Json | undefined }>;
export type JsonMembers = Readonly<{ [member: string]: Json | undefined }>;

export type JobState = 'running' | 'switching' | 'done' | 'failed' | 'cancelled';

/** Requested long-running work, as all processes see it. Times are UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type Job<Input = JsonMembers, Details = JsonMembers> = Readonly<{
  id: string;
  kind: string;
  state: JobState;
  startedAt: string;
  endedAt: string | null;
  failure: Readonly<{ message: string }> | null;
  /** The request. */
  input: Input;
  /** Further public members: progress, result. */
  details: Details;
  /** Resume point, stored together with `details`. `null`: at the start. */
  resume: Json;
}>;

export const isEnded = ({ state }: Readonly<{ state: JobState }>): boolean => state !== 'running' && state !== 'switching';

/** Returns the jobs whose result still counts, so that they are kept for seven days however many end after them. @param ended newest first */
export type LastingJobs = (ended: readonly Job[]) => readonly Job[];

/** Interface for a running job. */
export type JobControl<Details> = Readonly<{
  /** Aborted when the job is cancelled, when the process ends, and when another process has taken the job. */
  signal: AbortSignal;
  /** Returns whether the job was cancelled: then no process continues it. */
  isCancelled(): boolean;
  /**
   * Reports progress. Reports are stored together within a second, in the background, so calls are cheap and may be frequent.
   * @param resume point from which another process continues; default: unchanged
   * @param state `switching`: the result is being put in place. Default: `running`
   */
  report(details: Details, resume?: Json, state?: 'running' | 'switching'): void;
}>;

/**
 * A kind of jobs. `Input`, `Details` and the reported `resume` are JSON.
 *
 * One process at a time works on a job, except for short moments: a process that was suspended (by the operating system, or a long turn of
 * the event loop) notices late that it has lost the job. The store must fence off work that two processes may not do at once.
 */
export interface JobKind<Input = JsonMembers, Details = JsonMembers> {
  /** Stored with jobs, so it must not change. */
  readonly name: string;
  /** Details of a job that has not begun. */
  initial(input: Input): Details;
  /**
   * Does the work, starting at `job.resume` and the counts of `job.details`, and returns after the final report. It may throw on outages of
   * the stores: afterwards it is called again with the last stored state. When the signal is aborted it must end soon, with or without an
   * error.
   * @throws JobFailed with a message for operators; messages of other errors are not shown
   */
  run(job: Job<Input, Details>, control: JobControl<Details>): Promise<void>;
}

/** A job cannot be done. The message is shown to operators and contains no personal data. */
export class JobFailed extends Error {
  override readonly name: string = 'JobFailed';
}

/** Another job that excludes this one is running. */
export class JobUnderWay extends Error {
  override readonly name = 'JobUnderWay';
  constructor(readonly other: Readonly<{ kind: string; id: string }>) {
    super(`job ${other.id} is under way`);
  }
}

/** The maximum number of jobs of the kind, or of the kind and owner, is running. */
export class TooManyJobs extends Error {
  override readonly name = 'TooManyJobs';
}
