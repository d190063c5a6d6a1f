import type { Position } from '#domain/shared/events.js';
import { type Job, type JobControl, JobFailed, type JobKind } from '#infra/engine/jobs/job.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { noProgress, type RebuildDetails } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { speedOf } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import type { Projection } from '#projections/shared/projection.js';
import { type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import type { Difference } from './differences.js';
import { type ComparisonResult, NotToVerify, ProjectionVerification } from './verification.js';

export const VERIFICATION = 'verification';

/** `build`: the build served at the time of the request; absent if unknown. */
type VerificationInput = Readonly<{ projection: string; build?: string | null }>;

/** A verification as shown to operators (operations contract 1). */
export type VerificationDetails = RebuildDetails &
  Readonly<{
    /** Position of the compared documents; `null` until it is done. */
    position: string | null;
    /** Documents compared so far. */
    compared: number;
    equal: boolean | null;
    differenceCount: number | null;
    /** The first 100 differences. */
    differences: readonly Difference[];
  }>;

const OVERTAKEN = 'another build replaced this one: verify once more';

type Begun = Readonly<{ namespace: Namespace; countedTo: string }>;

/** Compares the served documents of a projection with a separate build. */
export class VerificationKind implements JobKind<VerificationInput, VerificationDetails> {
  readonly name = VERIFICATION;
  private readonly projections: ReadonlyMap<string, Projection>;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly readModels: Pick<ReadModels, 'build' | 'rebuildUnderWay'>,
    projections: readonly Projection[],
  ) {
    this.projections = new Map(projections.map((projection) => [projection.name, projection]));
  }

  initial({ projection }: VerificationInput): VerificationDetails {
    return { ...noProgress(projection), position: null, compared: 0, equal: null, differenceCount: null, differences: [] };
  }

  async run(job: Job<VerificationInput, VerificationDetails>, control: JobControl<VerificationDetails>): Promise<void> {
    const { build } = job.input;
    const projection = this.projections.get(job.input.projection);
    if (!projection) throw new JobFailed(`there is no projection ${job.input.projection}`);
    if (await this.readModels.rebuildUnderWay(projection.name)) throw new JobFailed(`a rebuild of ${projection.name} is under way`);
    const { events, count, now } = this.dependencies;
    const { categories } = projection;
    const [head, total = null] = await Promise.all([events.head(categories, control.signal), count?.(categories, control.signal)]);
    const progress = new Progress({ ...job, details: { ...job.details, total } }, control, now, head);
    const verification = new ProjectionVerification(this.dependencies, projection, {
      signal: control.signal,
      begun: progress.begun && { namespace: progress.begun.namespace, countedTo: BigInt(progress.begun.countedTo) },
      onNamespace: (namespace) => progress.builds(namespace),
      onEvents: (events, position) => progress.read(events, position),
      onCompared: (compared) => progress.compared(compared),
    });
    try {
      const verdict = await verification.run();
      if (build !== undefined && build !== (await this.readModels.build(projection.name))) throw new JobFailed(OVERTAKEN);
      progress.done(verdict);
    } catch (error) {
      if (control.isCancelled()) await verification.cleanUp().catch(() => undefined); // the next build does it
      throw explained(error);
    }
    await verification.cleanUp().catch(() => undefined);
  }
}

/** Reported progress of a job. */
class Progress {
  begun: Begun | null;
  private details: VerificationDetails;

  constructor(
    private readonly job: Job<VerificationInput, VerificationDetails>,
    private readonly control: JobControl<VerificationDetails>,
    private readonly now: () => number,
    private readonly head: Position,
  ) {
    this.begun = job.resume as Begun | null;
    this.details = job.details;
  }

  builds(namespace: Namespace): void {
    const countedTo = this.begun?.countedTo ?? '0';
    this.begun = { namespace, countedTo };
    this.report({});
  }

  read(events: number, position: Position): void {
    const processed = this.details.processed + events;
    const share = this.head > 0n ? Math.min(1, Number(position) / Number(this.head)) : 1;
    if (this.begun && position > BigInt(this.begun.countedTo)) this.begun = { ...this.begun, countedTo: `${position}` };
    this.report({ processed, ...speedOf(processed, this.now() - Date.parse(this.job.startedAt), share) });
  }

  compared(compared: number): void {
    if (compared > this.details.compared) this.report({ compared });
  }

  done({ position, compared, differenceCount, differences }: ComparisonResult): void {
    const { processed: total } = this.details;
    const equal = differenceCount === 0;
    this.report({ total, remainingSeconds: null, position: `${position}`, compared, equal, differenceCount, differences });
  }

  private report(change: Partial<VerificationDetails>): void {
    this.details = { ...this.details, ...change };
    this.control.report(this.details, this.begun);
  }
}

/** Turns errors that operators can act on into failures of the job. */
const explained = (error: unknown): unknown => {
  if (error instanceof NotToVerify) return new JobFailed(error.message, { cause: error });
  if (error instanceof NamespaceGone) return new JobFailed(OVERTAKEN, { cause: error });
  return error;
};
