import type { EventMetadata, Position } from '#domain/shared/events.js';
import { type Job, type JobControl, JobFailed, type JobKind } from '#infra/engine/jobs/job.js';
import type { EventReference } from '#infra/engine/projection-runner/failure.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { LeftOutEvents } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import { LogReplaced } from './rebuild.js';
import { type RebuildProgress, RebuildUnderWay } from './rebuild-lease.js';

export const REBUILD = 'rebuild';

/** Excludes a second concurrent rebuild or verification of a projection. */
export const exclusiveFor = (projection: string): string => `projection ${projection}`;

/** Request to leave out the events of partitions that fail alike. `caller`: metadata of the request, for the event that lists them. */
export type SkipAlike = LeftOutEvents & Readonly<{ partition: string; reason: string; caller: Omit<EventMetadata, 'schemaVersion'> }>;

type RebuildInput = Readonly<{ projection: string; skip?: SkipAlike }>;

/** Records the events that a rebuild has left out, for good. A repeated call does no harm. */
export type RecordLeftOut = (projection: string, skip: SkipAlike, events: readonly EventReference[]) => Promise<void>;

/** Progress as shown to operators (operations contract 1). */
export type RebuildDetails = Readonly<{
  projection: string;
  /** Never decreases, not even after a restart. */
  processed: number;
  total: number | null;
  eventsPerSecond: number | null;
  remainingSeconds: number | null;
}>;

/** The namespace under construction, and the position up to which events are counted in `processed`. */
type Begun = Readonly<{ namespace: Namespace; countedTo: string }>;

export const noProgress = (projection: string): RebuildDetails => ({
  projection,
  processed: 0,
  total: null,
  eventsPerSecond: null,
  remainingSeconds: null,
});

/** Runs requested rebuilds. */
export class RebuildKind implements JobKind<RebuildInput, RebuildDetails> {
  readonly name = REBUILD;

  constructor(
    private readonly readModels: Pick<ReadModels, 'rebuild' | 'names'>,
    private readonly recordLeftOut: RecordLeftOut,
  ) {}

  initial({ projection }: RebuildInput): RebuildDetails {
    return noProgress(projection);
  }

  async run(job: Job<RebuildInput, RebuildDetails>, { signal, report }: JobControl<RebuildDetails>): Promise<void> {
    const { projection, skip } = job.input;
    let begun = job.resume as Begun | null;
    let details = job.details;
    if (!this.readModels.names.includes(projection)) throw new JobFailed(`there is no projection ${projection}`);
    const tell = (state: 'running' | 'switching' = 'running') => report(details, begun, state);
    const onProgress = (progress: RebuildProgress, position: Position | null): void => {
      const { state, processed, total, eventsPerSecond, remainingSeconds } = progress;
      details = { projection, processed, total, eventsPerSecond, remainingSeconds };
      if (position !== null && begun && position > BigInt(begun.countedTo)) begun = { ...begun, countedTo: `${position}` };
      tell(state === 'switching' || state === 'done' ? 'switching' : 'running'); // a served build is not cancelled any more
    };
    const options = {
      id: job.id,
      signal,
      processed: job.details.processed,
      startedAt: Date.parse(job.startedAt),
      ...(begun && { begun: { namespace: begun.namespace, countedTo: BigInt(begun.countedTo) } }),
      onNamespace: (namespace: Namespace) => {
        begun = { namespace, countedTo: begun?.countedTo ?? '0' };
        tell();
      },
      onProgress,
      ...(skip && {
        alike: skip,
        onLeftOut: (events: readonly EventReference[]) => this.recordLeftOut(projection, skip, events),
      }),
    };
    await this.readModels.rebuild(projection, options).catch((error: unknown) => {
      throw explained(error);
    });
  }
}

/** Turns errors that operators can act on into failures of the job. */
const explained = (error: unknown): unknown => {
  if (error instanceof NamespaceGone)
    return new JobFailed('the build was replaced, or has lost documents: rebuild once more', { cause: error });
  return error instanceof LogReplaced || error instanceof RebuildUnderWay ? new JobFailed(error.message, { cause: error }) : error;
};
