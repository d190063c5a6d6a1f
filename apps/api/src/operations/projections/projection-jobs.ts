import { randomUUID } from 'node:crypto';
import { executeOn } from '#api/runtime/projection-commands.js';
import type { ProjectionCommand } from '#domain/operations/projection-operations.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { JobUnderWay } from '#infra/engine/jobs/job.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { exclusiveFor, REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { VERIFICATION } from '#infra/engine/projection-runner/verify/verification-kind.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';

/** A rebuild or verification of the projection is running. */
export class ProjectionBusy extends Error {
  override readonly name = 'ProjectionBusy';
}

export type ProjectionJob = typeof REBUILD | typeof VERIFICATION;

type Requested = Readonly<{ id: string; position: Position }>;

const requestOf = (kind: ProjectionJob, projection: string): ProjectionCommand =>
  kind === REBUILD
    ? { type: 'RequestRebuild', projection, rebuildId: randomUUID() }
    : { type: 'RequestVerification', projection, verificationId: randomUUID() };

/** Running work on the projection in any process, including rebuilds that a new version began by itself. @throws ReadStoreUnavailable */
export const underWay = async (
  { jobs, readModels }: Readonly<{ jobs: Jobs; readModels: ReadModels }>,
  projection: string,
): Promise<Readonly<{ kind: string; id: string }> | null> => {
  const job = await jobs.underWay(exclusiveFor(projection));
  if (job) return { kind: job.kind, id: job.id };
  const rebuild = await readModels.rebuildUnderWay(projection);
  return rebuild && { kind: REBUILD, id: rebuild.id };
};

/** Rebuilds and verifications requested by operators: at most one for each projection runs over all nodes (operations contract 1). */
export class ProjectionJobs {
  constructor(private readonly parts: Readonly<{ processor: Pick<StreamProcessor, 'execute'>; jobs: Jobs; readModels: ReadModels }>) {}

  /** Records the request and begins the job, or finds the one that this request began before. @throws ProjectionBusy */
  async request(kind: ProjectionJob, projection: string, context: CommandContext): Promise<Requested> {
    const { jobs, readModels } = this.parts;
    const other = await underWay(this.parts, projection);
    const requested = await this.record(kind, projection, other ? { type: 'LookUp', projection } : requestOf(kind, projection), context);
    if (!requested) throw new ProjectionBusy(`a ${other?.kind ?? 'job'} of ${projection} is under way`);
    try {
      const input = { projection, build: await readModels.build(projection) };
      await jobs.begin(kind, requested.id, input, { exclusive: exclusiveFor(projection) });
    } catch (error) {
      throw error instanceof JobUnderWay ? new ProjectionBusy(`a ${error.other.kind} of ${projection} is under way`) : error;
    }
    return requested;
  }

  /** The job of the request; of a repeated call the earlier one. */
  private async record(
    kind: ProjectionJob,
    projection: string,
    command: ProjectionCommand,
    context: CommandContext,
  ): Promise<Requested | undefined> {
    const { events, position } = await executeOn(this.parts.processor, projection, command, context);
    for (const { type, data } of events) {
      if (kind === REBUILD && type === 'ProjectionRebuildRequested') return { id: data.rebuildId, position };
      if (kind === VERIFICATION && type === 'ProjectionVerificationRequested') return { id: data.verificationId, position };
    }
    return undefined;
  }
}
