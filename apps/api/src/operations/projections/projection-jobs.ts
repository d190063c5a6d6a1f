import { randomUUID } from 'node:crypto';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { JobUnderWay } from '#infra/engine/jobs/job.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { exclusiveFor } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import type { PartitionOperator, ProjectionJob } from './partition-operator.js';

/** A rebuild or verification of the projection is running. */
export class ProjectionBusy extends Error {
  override readonly name = 'ProjectionBusy';
}

/** Rebuilds and verifications requested by operators: at most one for each projection runs over all nodes (operations contract 1). */
export class ProjectionJobs {
  constructor(private readonly parts: Readonly<{ jobs: Jobs; readModels: ReadModels; operator: PartitionOperator }>) {}

  /** Records the request and begins the job, or finds the one that this request began before. @throws ProjectionBusy */
  async request(kind: ProjectionJob, projection: string, context: CommandContext): Promise<Readonly<{ id: string; position: Position }>> {
    const { jobs, operator, readModels } = this.parts;
    const other = await this.underWay(projection);
    const requested = await operator.requestJob(kind, projection, other ? undefined : randomUUID(), context);
    if (!requested) throw new ProjectionBusy(`a ${other?.kind ?? 'job'} of ${projection} is under way`);
    try {
      const input = { projection, build: await readModels.build(projection) };
      await jobs.begin(kind, requested.id, input, { exclusive: exclusiveFor(projection) });
    } catch (error) {
      throw error instanceof JobUnderWay ? new ProjectionBusy(`a ${error.other.kind} of ${projection} is under way`) : error;
    }
    return requested;
  }

  /** Running work on the projection in any process. @throws ReadStoreUnavailable */
  underWay(projection: string): Promise<Readonly<{ kind: string; id: string }> | null> {
    return this.parts.operator.underWay(projection);
  }
}
