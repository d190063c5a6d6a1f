/** JSON as it is stored. */
export type Json = null | boolean | number | string | readonly Json[] | Readonly<{ [member: string]: Json | undefined }>;
export type JsonMembers = Readonly<{ [member: string]: Json | undefined }>;

export type JobState = 'running' | 'switching' | 'done' | 'failed' | 'cancelled';

/** Long work that somebody asked for, as all processes see it. Times are UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type Job<Input = JsonMembers, Details = JsonMembers> = Readonly<{
  id: string;
  kind: string;
  state: JobState;
  startedAt: string;
  endedAt: string | null;
  failure: Readonly<{ message: string }> | null;
  /** The request. */
  input: Input;
  /** Further members that are shown: progress, result. */
  details: Details;
  /** Resume point, stored together with `details`. `null`: at the start. */
  resume: Json;
}>;

export const isEnded = ({ state }: Readonly<{ state: JobState }>): boolean => state !== 'running' && state !== 'switching';

/** Interface for a running job. */
export type JobControl<Details> = Readonly<{
  /** Aborted when the job is cancelled, when the process ends, and when another process has taken the job. */
  signal: AbortSignal;
  /** Whether somebody has cancelled the job: then nobody will continue it. */
  isCancelled(): boolean;
  /**
   * Tells how far the job is. Stored together within a second, in the background; a call costs nothing, so it may be made often.
   * @param resume where whoever continues the job begins; left out, it stays as it was
   * @param state `switching`: the result is being put in place. Default: `running`
   */
  report(details: Details, resume?: Json, state?: 'running' | 'switching'): void;
}>;

/**
 * A kind of jobs. `Input`, `Details` and what is reported as `resume` are JSON.
 *
 * One process at a time works on a job, except for moments: one that was stopped (by the operating system, or a long turn of the event loop)
 * notices late that it has lost the job. What two may not do at once has to be fenced off by its store.
 */
export interface JobKind<Input = JsonMembers, Details = JsonMembers> {
  /** Part of what is stored: it stays the same. */
  readonly name: string;
  /** Details of a job that has not begun. */
  initial(input: Input): Details;
  /**
   * Does the work, from `job.resume` on and with the counts of `job.details`, and returns when it is done, with the last report of it.
   * Outages of the stores may be thrown: it is called again, with what was stored last, when they are over. When the signal is aborted it
   * ends soon, by throwing or not.
   * @throws JobFailed with a message for operators; the message of any other error is not shown
   */
  run(job: Job<Input, Details>, control: JobControl<Details>): Promise<void>;
}

/** A job cannot be done; the message is shown to operators and holds no personal data. */
export class JobFailed extends Error {
  override readonly name: string = 'JobFailed';
}

/** Another job that may not run beside this one is under way. */
export class JobUnderWay extends Error {
  override readonly name = 'JobUnderWay';
  constructor(readonly other: Readonly<{ kind: string; id: string }>) {
    super(`job ${other.id} is under way`);
  }
}

/** As many jobs of the kind are under way as may be at once. */
export class TooManyJobs extends Error {
  override readonly name = 'TooManyJobs';
}
