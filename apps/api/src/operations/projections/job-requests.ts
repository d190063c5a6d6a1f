import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Problem, problemOf } from '#api/ops-kit/problem.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { RequestProjectionJob } from './commands.js';
import { ProjectionBusy, type ProjectionJob } from './projection-jobs.js';

/** Jobs on a projection that operators request. */
@Injectable()
export class JobRequests {
  constructor(
    private readonly readModels: ReadModels,
    private readonly bus: CommandBus,
  ) {}

  /** @throws Problem 404 for an unknown projection; 409 while another job on it is running */
  async request(kind: ProjectionJob, projection: string, context: CommandContext): Promise<Readonly<{ id: string; position: Position }>> {
    if (!this.readModels.names.includes(projection)) throw new Problem(404, 'there is no projection with this name');
    return this.bus.execute(new RequestProjectionJob(context, { kind, projection })).catch(problemOf(409, ProjectionBusy));
  }
}
